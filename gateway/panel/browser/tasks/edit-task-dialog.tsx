/** Title, due day and hour, and member of a task; what is left as it was is not sent. */
import { useState } from 'preact/hooks';
import type { Task } from '../../../../shared/api/task.ts';
import { FormDialog } from '../base/dialog.tsx';
import { errorAt, errorBeside } from '../base/field-errors.ts';
import { Alert, Field, Select } from '../base/parts.tsx';
import { useChange } from '../base/use-change.ts';
import { memberOptions, type TeamMember } from '../conversations/state/api.ts';
import { isoDayOf, timeOf } from '../format.ts';
import { TEXT } from '../sentences.ts';

const TITLE_MAX_CHARS = 160;
const BESIDE = ['title', 'dueOn', 'dueTime'];
const { tasks } = TEXT;

interface EditTaskDialogProps {
  readonly task: Task;
  readonly team: readonly TeamMember[];
  readonly onClose: () => void;
}

/** As the fields have them. */
interface Edited {
  readonly title: string;
  readonly day: string;
  readonly time: string;
  readonly assigneeId: string;
}

function editedOf({ title, dueAt, dueHasTime, assigneeId }: Task): Edited {
  const day = dueAt === null ? '' : isoDayOf(dueAt);
  const time = dueAt === null || !dueHasTime ? '' : timeOf(dueAt);
  return { title, day, time, assigneeId: assigneeId ?? '' };
}

/** An hour goes with its day: both are sent where one is another. Without a day it is refused. */
function changeOf(before: Edited, { title, day, time, assigneeId }: Edited) {
  const isDue = day !== before.day || time !== before.time;
  const due = { dueOn: day || null, dueTime: time || null };
  return {
    ...(title === before.title ? {} : { title }),
    ...(isDue ? due : {}),
    ...(assigneeId === before.assigneeId ? {} : { assigneeId: assigneeId || null }),
  };
}

export function EditTaskDialog({ task, team, onClose }: EditTaskDialogProps) {
  const [before] = useState(() => editedOf(task));
  const [edited, setEdited] = useState(before);
  const { busy, refused, make } = useChange('task', task.id);
  const set = (name: keyof Edited) => (value: string) => setEdited({ ...edited, [name]: value });
  const save = async () => {
    const body = changeOf(before, edited);
    const path = `/api/v1/tasks/${encodeURIComponent(task.id)}`;
    if (Object.keys(body).length === 0 || (await make(path, { body }))) onClose();
  };
  return (
    <FormDialog
      title={tasks.edit}
      confirm={TEXT.save}
      busy={busy}
      onClose={onClose}
      onConfirm={() => void save()}
    >
      <Field
        label={tasks.taskTitle}
        value={edited.title}
        onValue={set('title')}
        maxLength={TITLE_MAX_CHARS}
        error={errorAt(refused, 'title')}
        required
      />
      <div class="pair">
        <Field
          label={tasks.due}
          type="date"
          value={edited.day}
          onValue={(day) => setEdited({ ...edited, day, ...(day === '' ? { time: '' } : {}) })}
          error={errorAt(refused, 'dueOn')}
        />
        <Field
          label={tasks.time}
          type="time"
          value={edited.time}
          onValue={set('time')}
          error={errorAt(refused, 'dueTime')}
        />
      </div>
      <Select
        label={tasks.assignee}
        value={edited.assigneeId}
        onValue={set('assigneeId')}
        options={memberOptions(team, task.assigneeId)}
      />
      <Alert refused={errorBeside(refused, BESIDE)} />
    </FormDialog>
  );
}
