/** What is done with the selected conversations, how far it is, and what of it has failed. */
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { isolated } from '../../base/isolated.tsx';
import { Menu } from '../../base/menu.tsx';
import { Link } from '../../base/parts.tsx';
import { SELECTION } from '../../sentences/selection.ts';
import { TEXT } from '../../sentences.ts';
import type { TeamMember } from '../state/api.ts';
import { assigneesIn } from '../state/assignees.ts';
import { addTag, assignTo, RESOLVE } from './acts.ts';
import { type Batch, batch, dismiss, type Failure, run } from './batch.ts';
import { full, letGo, SELECTED_MAX, selection, shown } from './selection.ts';
import { focusList } from './shown-rows.ts';
import { TagDialog } from './tag-dialog.tsx';

interface SelectionBarProps {
  readonly team: readonly TeamMember[];
}

export function SelectionBar({ team }: SelectionBarProps) {
  const { value } = batch;
  const failures = value?.isRunning === false ? value.failures : [];
  const isShown = selection.value.size > 0 || value?.isRunning === true;
  return (
    <div class="selection">
      <Failures failures={failures} />
      <p role="status" class={value === null && !full.value ? 'spoken' : 'selection-told small'}>
        {toldOf(value)}
      </p>
      {isShown ? <Tools team={team} /> : null}
    </div>
  );
}

function toldOf(value: Batch | null): string {
  if (full.value) return SELECTION.full(SELECTED_MAX);
  if (value === null) return '';
  const { act, done, total, failures, isRunning } = value;
  if (isRunning) return SELECTION.progress(act.doing, done + failures.length, total);
  return SELECTION.ended(act.done(done), total - done);
}

function Failures({ failures }: { readonly failures: readonly Failure[] }) {
  if (failures.length === 0) return null;
  return (
    <div class="alert selection-failures" role="alert">
      <p>{SELECTION.failed(failures.length)}</p>
      <ul>
        {failures.map(({ selected: { id, name }, sentence }) => (
          <li key={id}>
            <Link to={`/conversas/${encodeURIComponent(id)}`} class="cut">
              {isolated(name)}
            </Link>
            : {sentence}
          </li>
        ))}
      </ul>
    </div>
  );
}

function Tools({ team }: SelectionBarProps) {
  const [isTagging, setTagging] = useState(false);
  const bar = useRef<HTMLDivElement>(null);
  const isRunning = batch.value?.isRunning === true;
  const selected = [...selection.value.keys()];
  const hidden = selected.filter((id) => !shown.value.some((row) => row.id === id)).length;
  useLayoutEffect(() => {
    const own = bar.current;
    // The element is still in its place while its component ends.
    return () => {
      if (own?.contains(document.activeElement)) focusList();
    };
  }, []);
  const assign = assigneesIn(team).map((assignee) => ({
    key: assignee.id ?? 'none',
    text: assignee.text,
    choose: () => void run(assignTo(assignee)),
  }));
  return (
    <>
      <div
        ref={bar}
        role="toolbar"
        aria-label={SELECTION.title}
        class="selection-tools"
        onKeyDown={moveAlong}
      >
        <span class="small strong">{SELECTION.counted(selected.length, hidden)}</span>
        <Tool text={SELECTION.clear} off={isRunning} quiet onPress={clear} />
        <div class="row selection-acts">
          <Menu
            label={TEXT.actions.assign}
            class="button small"
            shortcut="a"
            items={assign}
            empty={<p class="empty">{TEXT.actions.noTeam}</p>}
          />
          <Tool
            text={TEXT.actions.resolve}
            off={isRunning}
            shortcut="e"
            onPress={() => void run(RESOLVE)}
          />
          <Tool text={SELECTION.tag} off={isRunning} onPress={() => setTagging(true)} />
        </div>
      </div>
      {isTagging ? (
        <TagDialog
          count={selected.length}
          onClose={() => setTagging(false)}
          onTag={(tag) => void run(addTag(tag))}
        />
      ) : null}
    </>
  );
}

function clear(): void {
  letGo(() => true);
  dismiss();
}

interface ToolProps {
  readonly text: string;
  readonly off: boolean;
  readonly quiet?: boolean;
  /** It leads here. */
  readonly shortcut?: string;
  readonly onPress: () => void;
}

/** One that is off keeps the focus, as a disabled one would not. */
function Tool({ text, off, quiet = false, shortcut, onPress }: ToolProps) {
  return (
    <button
      type="button"
      class={quiet ? 'button small quiet' : 'button small'}
      aria-disabled={off}
      aria-keyshortcuts={shortcut}
      onClick={() => (off ? undefined : onPress())}
    >
      {text}
    </button>
  );
}

/** Arrows move within a toolbar; those of an open menu are its own. */
function moveAlong(event: KeyboardEvent): void {
  const { key, currentTarget } = event;
  const by = { ArrowRight: 1, ArrowLeft: -1 }[key];
  if (by === undefined || !(currentTarget instanceof HTMLElement)) return;
  const tools = [...currentTarget.querySelectorAll<HTMLElement>('button:not([role=menuitem])')];
  const at = tools.findIndex((each) => each.matches(':focus'));
  if (at < 0) return;
  event.preventDefault();
  tools.at((at + by) % tools.length)?.focus();
}
