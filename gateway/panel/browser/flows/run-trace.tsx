/** The trace of one conversation's run, from the log itself. */
import { useEffect } from 'preact/hooks';
import { query } from '../base/call.ts';
import { Isolated, isolated } from '../base/isolated.tsx';
import { Alert, Link } from '../base/parts.tsx';
import { place } from '../base/router.ts';
import { useRead } from '../base/use-read.ts';
import type { Data } from '../conversations/state/api.ts';
import { fullTimeOf, timeOf } from '../format.ts';
import { TEXT } from '../sentences.ts';
import type { FlowRun, PanelFlow, RunEntry, RunPosition } from './api.ts';
import { wayOf } from './flow-graph.tsx';
import { RunList } from './run-list.tsx';

const { flows } = TEXT;

interface RunTraceProps {
  readonly flow: PanelFlow;
  /** Tells the step at which the shown run waits. */
  readonly onCurrent: (step: string | null) => void;
}

export function RunTrace({ flow, onCurrent }: RunTraceProps) {
  const named = new URLSearchParams(place.value.search);
  const chosen = { conversationId: named.get('conversa') ?? '', endedSeq: endedSeqIn(named) };
  const read = useRead<Data<FlowRun | null>>(pathOf(chosen), {
    kinds: ['conversation'],
    id: chosen.conversationId,
  });
  const isChosen = chosen.conversationId !== '';
  const run = isChosen && !read.loading ? (read.body?.data ?? null) : null;
  const current = run?.flowId === flow.id ? (run.waiting?.step ?? null) : null;
  useEffect(() => onCurrent(current), [current]);
  return (
    <div class="flow-runs">
      <section class="block">
        <h3>{flows.runs}</h3>
        <RunList flowId={flow.id} chosen={chosen} />
      </section>
      {isChosen ? (
        <section class="block">
          <h3>{flows.trace}</h3>
          <Alert refused={read.refused} onAgain={read.again} />
          {run ? <Trace run={run} conversationId={chosen.conversationId} /> : null}
          {read.body?.data === null ? <p class="soft">{flows.noRun}</p> : null}
        </section>
      ) : null}
    </div>
  );
}

/** Null where no entry is named that has ended the run. */
function endedSeqIn(named: URLSearchParams): number | null {
  const seq = Number(named.get('fim') ?? 0);
  return Number.isInteger(seq) && seq > 0 ? seq : null;
}

interface Chosen {
  readonly conversationId: string;
  readonly endedSeq: number | null;
}

function pathOf({ conversationId, endedSeq }: Chosen): string | null {
  if (conversationId === '') return null;
  const of = `/panel/api/conversations/${encodeURIComponent(conversationId)}/run`;
  return of + query(endedSeq === null ? {} : { endedSeq });
}

interface TraceProps {
  readonly run: FlowRun;
  readonly conversationId: string;
}

function Trace({ run, conversationId }: TraceProps) {
  const { flowName, startedAt, endedAt, reason, entries, isWhole } = run;
  return (
    <>
      <p>
        <span class="strong">
          <Isolated text={flowName} />
        </span>
        : {flows.began(fullTimeOf(startedAt))}
        {endedAt === null ? '' : `, ${flows.ended(fullTimeOf(endedAt))}`}.{' '}
        <Link to={`/conversas/${conversationId}`}>{flows.open}</Link>
      </p>
      {reason ? <p class="small">{flows.reasons[reason] ?? reason}</p> : null}
      {isWhole ? null : <p class="soft small">{flows.cut}</p>}
      <ol class="lines" aria-label={flows.trace}>
        {entries.map((entry) => (
          <TraceEntry key={entry.entryId} entry={entry} />
        ))}
      </ol>
    </>
  );
}

function TraceEntry({ entry }: { readonly entry: RunEntry }) {
  const { at, step, do: kind, said, chosen, next } = entry;
  return (
    <li>
      <time class="soft small" dateTime={at}>
        {timeOf(at)}
      </time>
      <div class="grow">
        <p>
          <span class="strong">{step ?? flows.beginning}</span>{' '}
          <span class="soft">{kind === null ? '' : (flows.kinds[kind] ?? kind)}</span>
        </p>
        {said ? (
          <p class="bubble-text">
            {isolated(said.author)}: <Isolated text={said.text ?? TEXT.thread.file} />
          </p>
        ) : null}
        {chosen.length === 0 ? null : (
          <p class="small">{flows.chosen(chosen.map(wayOf).join(', '))}</p>
        )}
        <p class="soft small">{next ? whereTo(next) : flows.over}</p>
      </div>
    </li>
  );
}

function whereTo({ step, dueAt }: RunPosition): string {
  return dueAt === null ? flows.nextStep(step) : flows.nextTimer(step, fullTimeOf(dueAt));
}
