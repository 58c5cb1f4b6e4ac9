/** The reminder mail, in Portuguese. */
import type { Mail } from '../../shared/ports/mailer.ts';
import type { ContactDocument } from '../contact/documents.ts';
import type { Due, TaskState } from '../domain/task.ts';

export interface Addressee {
  readonly name: string;
  readonly email: string;
  readonly organization: string;
}

/** The reminder of the task to its assignee. */
export function reminderMail(
  id: string,
  task: TaskState,
  about: {
    readonly to: Addressee;
    readonly contact: ContactDocument | null;
    /** Now, epoch milliseconds. */
    readonly at: number;
  },
): Mail {
  const { to, contact, at } = about;
  const lines = [
    `Olá, ${to.name}!`,
    '',
    `Lembrete da tarefa: ${task.title}`,
    ...(task.due ? [`Prazo: ${dueText(task.due)}`] : []),
    ...(contact ? [`Contato: ${contactText(contact)}`] : []),
    ...(task.notes ? ['', task.notes] : []),
    '',
    to.organization,
    '',
  ];
  return {
    id,
    to: { name: to.name, address: to.email },
    subject: `Lembrete: ${task.title}`,
    text: lines.join('\n'),
    at,
  };
}

function dueText({ on, time }: Due): string {
  const [year, month, day] = on.split('-');
  const date = `${day}/${month}/${year}`;
  return time === null ? date : `${date} às ${time}`;
}

function contactText({ name, phone }: ContactDocument): string {
  return [name, phone === '' ? null : `+${phone}`].filter((part) => part !== null).join(', ');
}
