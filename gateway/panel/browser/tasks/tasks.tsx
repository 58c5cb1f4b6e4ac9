/** Screen "Tarefas": late, today, later, and done. */
import { useRef, useState } from 'preact/hooks';
import type { Task } from '../../../../shared/api/task.ts';
import { call, query, type Refused } from '../base/call.ts';
import { isolated } from '../base/isolated.tsx';
import { Linked } from '../base/linked.tsx';
import { Alert, Empty, Link } from '../base/parts.tsx';
import { useFocusSuccessor } from '../base/use-focus-successor.ts';
import { useMinutes } from '../base/use-minutes.ts';
import { useReadBy } from '../base/use-read.ts';
import { now } from '../clock.ts';
import {
  activeIn,
  type Page,
  readPages,
  type TeamMember,
  useTeam,
} from '../conversations/state/api.ts';
import { isoDayOf, shortDayOf, timeOf, today } from '../format.ts';
import { changed } from '../live.ts';
import { TEXT } from '../sentences.ts';
import { mayWrite, session } from '../session.ts';
import { EditTaskDialog } from './edit-task-dialog.tsx';
import { GROUPS, groupOf } from './groups.ts';
import { NewTaskDialog } from './new-task-dialog.tsx';

const { tasks } = TEXT;
const LIMIT = 200;

export function Tasks() {
  const [done, setDone] = useState(false);
  const [onlyMine, setOnlyMine] = useState(false);
  const [pages, setPages] = useState(1);
  const [creating, setCreating] = useState(false);
  // Not in the task's line: that one goes when another member ends the task, and the words with it.
  const [editing, setEditing] = useState<Task | null>(null);
  const own = session.value?.member?.id;
  const assigneeId = onlyMine ? own : undefined;
  const pathOf = (page: number) =>
    `/panel/api/tasks${query({ status: done ? 'done' : 'open', assigneeId, page, limit: LIMIT })}`;
  const read = useReadBy<Page<Task>>(`${pathOf(1)} ${pages}`, { kinds: ['task'] }, () =>
    readPages<Task>(pathOf, pages),
  );
  const team = useTeam();
  useMinutes();
  const rows = read.body?.data ?? [];
  return (
    <div class="screen">
      <header class="screen-head">
        <h1>{tasks.title}</h1>
        <fieldset class="row" aria-label={tasks.view}>
          <Toggle text={tasks.open} pressed={!done} onClick={() => setDone(false)} />
          <Toggle text={tasks.done} pressed={done} onClick={() => setDone(true)} />
          {own === undefined ? null : (
            <Toggle
              text={tasks.onlyMine}
              pressed={onlyMine}
              onClick={() => setOnlyMine(!onlyMine)}
            />
          )}
        </fieldset>
        {mayWrite() ? (
          <button type="button" class="button main" onClick={() => setCreating(true)}>
            {tasks.create}
          </button>
        ) : null}
      </header>
      <Alert refused={read.refused} onAgain={read.again} />
      {read.body && rows.length === 0 ? <NoTasks done={done} /> : null}
      <Groups rows={rows} done={done} team={team} onEdit={setEditing} />
      {read.body && rows.length < read.body.total ? (
        <button type="button" class="button" onClick={() => setPages(pages + 1)}>
          {TEXT.more}
        </button>
      ) : null}
      {creating ? <NewTaskDialog team={activeIn(team)} onClose={() => setCreating(false)} /> : null}
      {editing ? (
        <EditTaskDialog task={editing} team={team} onClose={() => setEditing(null)} />
      ) : null}
    </div>
  );
}

interface ToggleProps {
  readonly text: string;
  readonly pressed: boolean;
  readonly onClick: () => void;
}

function Toggle({ text, pressed, onClick }: ToggleProps) {
  return (
    <button type="button" class="button" aria-pressed={pressed} onClick={onClick}>
      {text}
    </button>
  );
}

function NoTasks({ done }: { readonly done: boolean }) {
  if (done) return <Empty title={tasks.emptyDone} />;
  return <Empty title={tasks.emptyTitle} text={tasks.emptyText} />;
}

interface GroupsProps {
  readonly rows: readonly Task[];
  readonly done: boolean;
  readonly team: readonly TeamMember[];
  readonly onEdit: (task: Task) => void;
}

function Groups({ rows, done, ...rest }: GroupsProps) {
  if (done) return <Lines name={tasks.groups.done} rows={rows} late={false} {...rest} />;
  const given = { now: now(), day: today(), dayOf: isoDayOf };
  return (
    <>
      {GROUPS.map((group) => (
        <Lines
          key={group}
          name={tasks.groups[group]}
          rows={rows.filter((task) => groupOf(task, given) === group)}
          late={group === 'late'}
          {...rest}
        />
      ))}
    </>
  );
}

interface LinesProps extends Pick<GroupsProps, 'rows' | 'team' | 'onEdit'> {
  readonly name: string;
  readonly late: boolean;
}

function Lines({ name, rows, ...rest }: LinesProps) {
  if (rows.length === 0) return null;
  return (
    <section class="block">
      <h2>{name}</h2>
      <ul class="lines" aria-label={name}>
        {rows.map((task) => (
          <Line key={task.id} task={task} {...rest} />
        ))}
      </ul>
    </section>
  );
}

interface LineProps extends Pick<LinesProps, 'team' | 'late' | 'onEdit'> {
  readonly task: Task;
}

function Line({ task, team, late, onEdit }: LineProps) {
  const { id, title, notes, dueAt, done, assigneeId } = task;
  const [refused, setRefused] = useState<Refused | null>(null);
  const toggle = async () => {
    const path = `/api/v1/tasks/${encodeURIComponent(id)}`;
    const outcome = await call('POST', path, { body: { done: !done } });
    setRefused(outcome.ok ? null : outcome.refused);
    changed('task', id);
  };
  const assignee = team.find((member) => member.id === assigneeId)?.name;
  const item = useRef<HTMLLIElement>(null);
  useFocusSuccessor(item, 'main');
  return (
    <li ref={item}>
      <div class="grow">
        <p class={done ? 'done-text' : ''}>{title}</p>
        {notes === null || notes === '' ? null : (
          <p class="small soft bubble-text">
            <Linked text={notes} />
          </p>
        )}
        <Facts task={task} assignee={assignee} />
      </div>
      {dueAt === null ? null : (
        <time class={late ? 'late' : 'soft'} dateTime={dueAt}>
          {dueOf(task, dueAt)}
        </time>
      )}
      {mayWrite() ? (
        <>
          <button
            type="button"
            class="button small"
            aria-label={`${tasks.edit}: ${isolated(title)}`}
            onClick={() => onEdit(task)}
          >
            {tasks.editShort}
          </button>
          <button type="button" class="button small" onClick={() => void toggle()}>
            {done ? tasks.reopen : tasks.complete}
          </button>
        </>
      ) : null}
      <Alert refused={refused} />
    </li>
  );
}

interface FactsProps extends Pick<LineProps, 'task'> {
  readonly assignee: string | undefined;
}

/** Whose it is, and whom or what it is about. */
function Facts({ task: { title, contactId, dealId }, assignee }: FactsProps) {
  if ((assignee ?? contactId ?? dealId) === null) return null;
  return (
    <p class="row small soft">
      {assignee === undefined ? null : <span>{tasks.assignedTo(isolated(assignee))}</span>}
      {contactId === null ? null : (
        <Link
          to={`/contatos/${contactId}`}
          class="in-line"
          label={tasks.contactOf(isolated(title))}
        >
          {tasks.contact}
        </Link>
      )}
      {dealId === null ? null : (
        <Link to="/negocios" class="in-line" label={tasks.dealOf(isolated(title))}>
          {tasks.deal}
        </Link>
      )}
    </p>
  );
}

function dueOf({ dueHasTime }: Task, dueAt: string): string {
  const isToday = isoDayOf(dueAt) === today();
  const time = dueHasTime ? [timeOf(dueAt)] : isToday ? [tasks.withoutTime] : [];
  return [...(isToday ? [] : [shortDayOf(dueAt)]), ...time].join(' ');
}
