/** A new task, with or without day, hour, member and contact. */
import { useMemo, useState } from 'preact/hooks';
import { call, type Refused } from '../base/call.ts';
import { FormDialog } from '../base/dialog.tsx';
import { errorAt, errorBeside, refusedAt } from '../base/field-errors.ts';
import { Alert, Field, Select } from '../base/parts.tsx';
import { freshId } from '../clock.ts';
import type { TeamMember } from '../conversations/state/api.ts';
import { changed } from '../live.ts';
import { TEXT } from '../sentences.ts';

const TITLE_MAX_CHARS = 160;
const NOTES_MAX_CHARS = 2000;
const NOT_FOUND = 404;
const { tasks } = TEXT;

/** Their problems stand beside them. */
const BESIDE = ['title', 'notes', 'dueOn', 'dueTime', 'phone'];

const EMPTY = { title: '', notes: '', dueOn: '', dueTime: '', assigneeId: '', phone: '' };

interface NewTaskDialogProps {
  readonly team: readonly TeamMember[];
  readonly onClose: () => void;
}

export function NewTaskDialog({ team, onClose }: NewTaskDialogProps) {
  const [task, setTask] = useState(EMPTY);
  const [busy, setBusy] = useState(false);
  const [refused, setRefused] = useState<Refused | null>(null);
  // The same for every try with the same content: a repeat creates no second task.
  const idempotencyKey = useMemo(freshId, [task]);
  const set = (name: keyof typeof EMPTY) => (value: string) => setTask({ ...task, [name]: value });
  const create = async () => {
    const body = Object.fromEntries(Object.entries(task).filter(([, value]) => value !== ''));
    setBusy(true);
    const outcome = await call('POST', '/api/v1/tasks', { body, idempotencyKey });
    setBusy(false);
    if (outcome.ok) {
      changed('task', '');
      onClose();
    } else setRefused(aboutContact(outcome.refused));
  };
  return (
    <FormDialog
      title={tasks.create}
      confirm={tasks.confirmCreate}
      busy={busy}
      onClose={onClose}
      onConfirm={() => void create()}
    >
      <Field
        label={tasks.taskTitle}
        value={task.title}
        onValue={set('title')}
        maxLength={TITLE_MAX_CHARS}
        error={errorAt(refused, 'title')}
        required
      />
      <Field
        label={tasks.notes}
        value={task.notes}
        onValue={set('notes')}
        maxLength={NOTES_MAX_CHARS}
        error={errorAt(refused, 'notes')}
      />
      <MoreFields task={task} set={set} team={team} refused={refused} />
      <Alert refused={errorBeside(refused, BESIDE)} />
    </FormDialog>
  );
}

/** A contact that is not there was named by its phone. */
function aboutContact(refused: Refused): Refused {
  return refused.status === NOT_FOUND ? refusedAt('phone', refused) : refused;
}

interface MoreFieldsProps {
  readonly task: typeof EMPTY;
  readonly set: (name: keyof typeof EMPTY) => (value: string) => void;
  readonly team: readonly TeamMember[];
  readonly refused: Refused | null;
}

function MoreFields({ task, set, team, refused }: MoreFieldsProps) {
  const members = team.map(({ id, name }) => [id, name] as const);
  return (
    <>
      <div class="pair">
        <Field
          label={tasks.day}
          type="date"
          value={task.dueOn}
          onValue={set('dueOn')}
          error={errorAt(refused, 'dueOn')}
        />
        <Field
          label={tasks.time}
          type="time"
          value={task.dueTime}
          onValue={set('dueTime')}
          error={errorAt(refused, 'dueTime')}
        />
      </div>
      <Select
        label={tasks.assignee}
        value={task.assigneeId}
        onValue={set('assigneeId')}
        options={[['', TEXT.none], ...members]}
      />
      <Field
        label={tasks.phone}
        type="tel"
        value={task.phone}
        onValue={set('phone')}
        error={errorAt(refused, 'phone')}
      />
    </>
  );
}
