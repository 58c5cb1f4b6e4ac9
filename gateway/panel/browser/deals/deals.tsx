/** Screen "Negócios": a column for each stage of a pipeline. */
import { useRef, useState } from 'preact/hooks';
import type { Refused } from '../base/call.ts';
import { Alert, Select } from '../base/parts.tsx';
import { useRead } from '../base/use-read.ts';
import { after } from '../clock.ts';
import type { Data } from '../conversations/state/api.ts';
import { TEXT } from '../sentences.ts';
import { mayWrite } from '../session.ts';
import {
  changeDeal,
  type Deal,
  type DealChange,
  type Pipeline,
  type StageSum,
  sumsPath,
} from './api.ts';
import { BoardColumn } from './column.tsx';
import { LostDialog } from './lost-dialog.tsx';
import { NewDealDialog } from './new-deal-dialog.tsx';

const { deals } = TEXT;

export function Deals() {
  const read = useRead<Data<readonly Pipeline[]>>('/api/v1/pipelines', { kinds: ['organization'] });
  const pipelines = read.body?.data ?? [];
  const [chosen, setChosen] = useState('');
  const [creating, setCreating] = useState(false);
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
        {mayWrite() ? (
          <button type="button" class="button main" onClick={() => setCreating(true)}>
            {deals.create}
          </button>
        ) : null}
      </header>
      <Alert refused={read.refused} onAgain={read.again} />
      {pipeline ? <Board key={pipeline.id} pipeline={pipeline} /> : null}
      {creating && pipeline ? (
        <NewDealDialog stages={pipeline.stages} onClose={() => setCreating(false)} />
      ) : null}
    </div>
  );
}

/** Columns are read one by one: for so long a changed deal shows as the server's answer has it. */
const ANSWER_SHOWN_MS = 3_000;

/** Changes of deals: the answer to one shows in every column at once. */
function useChanges() {
  const [refused, setRefused] = useState<Refused | null>(null);
  const [changes, setChanges] = useState<ReadonlyMap<string, Deal>>(new Map());
  const change = async (deal: Deal, body: DealChange) => {
    const outcome = await changeDeal(deal.id, body);
    setRefused(outcome.ok ? null : outcome.refused);
    if (!outcome.ok) return;
    const { data } = outcome.body;
    setChanges((before) => new Map(before).set(data.id, data));
    after(ANSWER_SHOWN_MS, () =>
      setChanges((before) => new Map([...before].filter(([, shown]) => shown !== data))),
    );
  };
  const move = async (deal: Deal, stageId: string) => {
    if (stageId !== deal.stageId) await change(deal, { stageId });
  };
  return { refused, changes, change, move };
}

function Board({ pipeline }: { readonly pipeline: Pipeline }) {
  const { body } = useRead<Data<readonly StageSum[]>>(sumsPath(pipeline.id), { kinds: ['deal'] });
  const [losing, setLosing] = useState<Deal | null>(null);
  const { refused, changes, change, move } = useChanges();
  const focused = useRef({ id: '' });
  const stages = pipeline.stages.toSorted((a, b) => a.position - b.position);
  return (
    <>
      <Alert refused={refused} />
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
            focused={focused.current}
            onMove={(deal, stageId) => void move(deal, stageId)}
            onWon={(deal) => void change(deal, { status: 'won' })}
            onLost={setLosing}
          />
        ))}
      </section>
      {losing ? (
        <LostDialog
          onClose={() => setLosing(null)}
          onReason={(lostReason) => {
            setLosing(null);
            void change(losing, { status: 'lost', lostReason });
          }}
        />
      ) : null}
    </>
  );
}
