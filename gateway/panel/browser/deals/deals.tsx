/** Screen "Negócios": a column for each stage of a pipeline. */
import { useRef, useState } from 'preact/hooks';
import type { Refused } from '../base/call.ts';
import { isolated } from '../base/isolated.tsx';
import { Alert, Select } from '../base/parts.tsx';
import { useRead } from '../base/use-read.ts';
import { after } from '../clock.ts';
import { type Data, type TeamMember, useTeam } from '../conversations/state/api.ts';
import { TEXT } from '../sentences.ts';
import { mayWrite } from '../session.ts';
import {
  changeDeal,
  type Deal,
  type DealChange,
  type Pipeline,
  type Situation,
  type Stage,
  type StageSum,
  sumsPath,
} from './api.ts';
import { BoardColumn } from './column.tsx';
import { DealList } from './deal-list.tsx';
import { EditDealDialog } from './edit-deal-dialog.tsx';
import { LostDialog } from './lost-dialog.tsx';
import { NewDealDialog } from './new-deal-dialog.tsx';

const { deals } = TEXT;
const SITUATIONS: readonly Situation[] = ['all', 'open', 'won', 'lost'];

export function Deals() {
  const read = useRead<Data<readonly Pipeline[]>>('/api/v1/pipelines', { kinds: ['organization'] });
  const pipelines = read.body?.data ?? [];
  const [chosen, setChosen] = useState('');
  const [creating, setCreating] = useState(false);
  const [situation, setSituation] = useState<Situation>('open');
  const team = useTeam();
  const pipeline =
    pipelines.find(({ id }) => id === chosen) ??
    pipelines.find(({ isDefault }) => isDefault) ??
    pipelines[0];
  return (
    <div class="screen">
      <header class="screen-head">
        <h1>{deals.title}</h1>
        {pipelines.length > 1 && pipeline ? (
          <Select
            quiet
            label={deals.pipeline}
            value={pipeline.id}
            onValue={setChosen}
            options={pipelines.map(({ id, name }) => [id, name] as const)}
          />
        ) : null}

        <Select
          quiet
          label={deals.situation}
          value={situation}
          onValue={(value) => setSituation(SITUATIONS.find((each) => each === value) ?? 'open')}
          options={SITUATIONS.map((each) => [each, deals.situations[each]] as const)}
        />
        {mayWrite() ? (
          <button type="button" class="button main" onClick={() => setCreating(true)}>
            {deals.create}
          </button>
        ) : null}
      </header>
      <Alert refused={read.refused} onAgain={read.again} />
      {pipeline && situation === 'open' ? (
        <Board key={pipeline.id} pipeline={pipeline} team={team} />
      ) : null}
      {pipeline && situation !== 'open' ? (
        <DealList
          key={`${pipeline.id} ${situation}`}
          pipelineId={pipeline.id}
          situation={situation}
          team={team}
        />
      ) : null}
      {creating && pipeline ? (
        <NewDealDialog stages={pipeline.stages} onClose={() => setCreating(false)} />
      ) : null}
    </div>
  );
}

/** Columns are read one by one: for so long a changed deal shows as the server's answer has it. */
const ANSWER_SHOWN_MS = 3_000;

/** The last act on the board, with the change that takes it back; null once it is taken back. */
interface Act {
  readonly text: string;
  readonly undo: { readonly deal: Deal; readonly body: DealChange } | null;
}

interface Done {
  readonly text: string;
  /** Null: it takes an act back itself. */
  readonly undo: DealChange | null;
}

/** Changes of deals: a card stays until the answer, which shows in every column at once. */
function useChanges() {
  const [refused, setRefused] = useState<Refused | null>(null);
  const [changes, setChanges] = useState<ReadonlyMap<string, Deal>>(new Map());
  const [act, setAct] = useState<Act | null>(null);
  const show = (deal: Deal) => setChanges((before) => new Map(before).set(deal.id, deal));
  const unshow = (deal: Deal) =>
    setChanges((before) => new Map([...before].filter(([, shown]) => shown !== deal)));
  const change = async (deal: Deal, body: DealChange, { text, undo }: Done) => {
    // A column that hears of the change before its answer would show a second card. It is a copy:
    // the time of an act's answer, which is taken back here, must not end this one.
    const before = { ...deal };
    show(before);
    const outcome = await changeDeal(deal.id, body);
    setRefused(outcome.ok ? null : outcome.refused);
    if (!outcome.ok) return unshow(before);
    const { data } = outcome.body;
    setAct({ text, undo: undo && { deal: data, body: undo } });
    show(data);
    after(ANSWER_SHOWN_MS, () => unshow(data));
  };
  const close = (deal: Deal, body: DealChange & { readonly status: 'won' | 'lost' }) =>
    change(deal, body, {
      text: deals.done[body.status](isolated(deal.title)),
      undo: { status: 'open' },
    });
  const move = async (deal: Deal, stage: Stage) => {
    if (stage.id === deal.stageId) return;
    await change(
      deal,
      { stageId: stage.id },
      {
        text: deals.done.moved(isolated(deal.title), isolated(stage.name)),
        undo: { stageId: deal.stageId },
      },
    );
  };
  const undo = async () => {
    if (!act?.undo) return;
    const { deal, body } = act.undo;
    await change(deal, body, { text: deals.done.undone(isolated(deal.title)), undo: null });
  };
  return { refused, changes, act, close, move, undo };
}

interface LastActProps {
  readonly act: Act | null;
  readonly onUndo: () => void;
}

/** It stays until the next act: nobody has to be fast. */
function LastAct({ act, onUndo }: LastActProps) {
  const text = useRef<HTMLSpanElement>(null);
  return (
    <div role="status" class={act ? 'notice row' : 'spoken'}>
      <span ref={text} tabIndex={-1}>
        {act?.text ?? ''}
      </span>
      {act?.undo ? (
        <button
          type="button"
          class="button small"
          onClick={() => {
            // The button goes away with its act.
            text.current?.focus();
            onUndo();
          }}
        >
          {deals.undo}
        </button>
      ) : null}
    </div>
  );
}

interface BoardProps {
  readonly pipeline: Pipeline;
  readonly team: readonly TeamMember[];
}

function Board({ pipeline, team }: BoardProps) {
  const { body } = useRead<Data<readonly StageSum[]>>(sumsPath(pipeline.id), { kinds: ['deal'] });
  const [losing, setLosing] = useState<Deal | null>(null);
  const [editing, setEditing] = useState<Deal | null>(null);
  const { refused, changes, act, close, move, undo } = useChanges();
  const focused = useRef({ id: '' });
  const stages = pipeline.stages.toSorted((a, b) => a.position - b.position);
  return (
    <>
      <Alert refused={refused} />
      <LastAct act={act} onUndo={() => void undo()} />
      <section
        class="board"
        aria-label={pipeline.name}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it
        tabIndex={0}
      >
        {stages.map((stage) => (
          <BoardColumn
            key={stage.id}
            pipelineId={pipeline.id}
            stage={stage}
            stages={stages}
            sum={body?.data.find(({ stageId }) => stageId === stage.id)}
            changes={changes}
            team={team}
            focused={focused.current}
            onMove={(deal, stageId) => {
              const to = stages.find(({ id }) => id === stageId);
              if (to) void move(deal, to);
            }}
            onWon={(deal) => void close(deal, { status: 'won' })}
            onLost={setLosing}
            onEdit={setEditing}
          />
        ))}
      </section>
      {losing ? (
        <LostDialog
          onClose={() => setLosing(null)}
          onReason={(lostReason) => {
            setLosing(null);
            void close(losing, { status: 'lost', lostReason });
          }}
        />
      ) : null}
      {editing ? (
        <EditDealDialog deal={editing} team={team} onClose={() => setEditing(null)} />
      ) : null}
    </>
  );
}
