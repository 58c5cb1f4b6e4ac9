/**
 * Reminder sender: sends the reminders of tasks when they are due.
 *
 * 1. A reminder is claimed, durably, before it is sent: of two owners only one claims it. A send
 *    that a crash interrupts is recognised, and repeated under the same id.
 * 2. Every write compares the task's version. A concurrent change of the task prevails, and its
 *    reminder is not sent.
 * 3. A task with an outbox is skipped until the outbox is published, so that clearing it never
 *    misses. The outcome of a reminder is recorded without this wait. If the task has an outbox by
 *    then, the sender publishes it too: its write makes the actor's clearing miss.
 */
import { reminderId } from '../../shared/entity-ids.ts';
import { LOG_EVENT } from '../../shared/log-events.ts';
import type { Mail } from '../../shared/ports/mailer.ts';
import { readContact } from '../contact/read-contact.ts';
import {
  applyReminderOutcome,
  type Due,
  decideClaim,
  type Reminder,
  type TaskState,
} from '../domain/task.ts';
import type { Environment } from '../environment.ts';
import type { ContactDocument } from '../model/contact.ts';
import type { TaskDocument } from '../model/task.ts';
import { readTeam } from '../organization/team.ts';
import { type EntityParts, entityWrite, publishOutbox } from '../outbox/versioned-document.ts';
import { describe } from '../runtime/describe-fault.ts';
import { TASKS } from './documents.ts';

export class ReminderSender {
  readonly #parts: EntityParts;
  readonly #environment: Environment;

  constructor(parts: EntityParts) {
    this.#parts = parts;
    this.#environment = parts.environment;
  }

  /** Sends the task's reminder if it is due, and records the outcome. Never throws. */
  async remind(known: TaskDocument): Promise<void> {
    try {
      const { clock, leaseHeld, ids, mailer } = this.#environment;
      // The task has no reminder: the write removes it from the agenda.
      if (!known.state.reminder) return void (await this.#write(known, known.state));
      const decision = decideClaim(known.state.reminder, clock.now());
      if (decision.decision === 'wait') return;
      const mail = decision.decision === 'send' ? await this.#mail(known, decision.reminder) : null;
      if (decision.decision === 'give-up' || !mail) {
        return void (await this.#write(known, { ...known.state, reminder: null }));
      }
      const { reminder } = decision;
      const claimed = await this.#write(known, { ...known.state, reminder });
      if (!claimed || !leaseHeld()) return;
      const { outcome, ...details } = await mailer.send(mail);
      const fields = { reminderId: reminderId(ids, known._id, reminder), outcome, ...details };
      this.#environment.log.info(
        { taskId: known._id, orgId: known.state.orgId, ...fields },
        LOG_EVENT.reminder,
      );
      await this.#recordOutcome(claimed, reminder, outcome);
    } catch (fault) {
      // The claim expires, and the agenda then finds the task again.
      const error = describe(fault);
      this.#environment.log.warn({ taskId: known._id, error }, 'a reminder could not be sent');
    }
  }

  /** Null for a member who has left or has no e-mail address: no mail, no error. */
  async #mail({ state }: TaskDocument, reminder: Reminder): Promise<Mail | null> {
    const { store, ids, clock } = this.#environment;
    const [team, contact] = await Promise.all([
      readTeam(this.#environment, state.orgId),
      state.contactId === null ? null : readContact(store, state.contactId),
    ]);
    const member = team.member(reminder.assigneeId);
    if (!member?.email) return null;
    return {
      id: reminderId(ids, state.id, reminder),
      to: { name: member.name, address: member.email },
      subject: `Lembrete: ${state.title}`,
      text: reminderText(state, { contact, member: member.name, organization: team.name }),
      at: clock.now(),
    };
  }

  async #recordOutcome(
    claimed: TaskDocument,
    sent: Reminder,
    outcome: 'sent' | 'refused' | 'later',
  ): Promise<void> {
    const { store, clock } = this.#environment;
    for (let task: TaskDocument | null = claimed; task; ) {
      const next = applyReminderOutcome(task.state, sent, { outcome, now: clock.now() });
      if (next === task.state) return;
      const written = await this.#write(task, next);
      if (written?.outbox) await publishOutbox(this.#parts, TASKS.collection, written);
      if (written) return;
      task = await store.findOne('tasks', { _id: claimed._id });
    }
  }

  /** Null when another writer has changed the task meanwhile. */
  async #write(task: TaskDocument, state: TaskState): Promise<TaskDocument | null> {
    const version = task.version + 1;
    const next = { ...task, version, state: { ...state, version } };
    const [written] = await this.#environment.store.commit([entityWrite(TASKS, next)]);
    if (written && !written.ok && 'error' in written) throw written.error;
    return written?.ok ? next : null;
  }
}

/** In Portuguese. */
function reminderText(
  task: TaskState,
  about: { contact: ContactDocument | null; member: string; organization: string },
): string {
  const { contact, member, organization } = about;
  return [
    `Olá, ${member}!`,
    '',
    `Lembrete da tarefa: ${task.title}`,
    ...(task.due ? [`Prazo: ${dueText(task.due)}`] : []),
    ...(contact ? [`Contato: ${contactText(contact)}`] : []),
    ...(task.notes ? ['', task.notes] : []),
    '',
    organization,
    '',
  ].join('\n');
}

function dueText({ on, time }: Due): string {
  const [year, month, day] = on.split('-');
  const date = `${day}/${month}/${year}`;
  return time === null ? date : `${date} às ${time}`;
}

function contactText({ name, phone }: ContactDocument): string {
  return [name, phone === '' ? null : `+${phone}`].filter((part) => part !== null).join(', ');
}
