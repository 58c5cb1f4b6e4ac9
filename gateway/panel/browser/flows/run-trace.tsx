/** The trace of one conversation's run, from the log itself. */
import { useEffect, useState } from 'preact/hooks';
import { query } from '../base/call.ts';
import { Isolated, isolated } from '../base/isolated.tsx';
import { Alert, Link, Select } from '../base/parts.tsx';
import { place } from '../base/router.ts';
import { useRead } from '../base/use-read.ts';
import type { Data, Page, PanelConversation } from '../conversations/api.ts';
import { fullTimeOf, phoneOf, timeOf } from '../format.ts';
import { TEXT } from '../sentences.ts';
import type { FlowRun, PanelFlow, RunEntry, RunPosition } from './api.ts';
import { wayOf } from './flow-graph.tsx';

const LIMIT = 50;
const { flows } = TEXT;

interface RunTraceProps {
  readonly flow: PanelFlow;
  /** Tells the step at which the shown run waits. */
  readonly onCurrent: (step: string | null) => void;
}

export function RunTrace({ flow, onCurrent }: RunTraceProps) {
  const named = new URLSearchParams(place.value.search).get('conversa') ?? '';
  const [chosen, setChosen] = useState(named);
  const listed = useRead<Page<PanelConversation>>(
    `/panel/api/conversations${query({ status: 'in_flow', limit: LIMIT })}`,
    { kinds: ['conversation'] },
  );
  const path = `/panel/api/conversations/${encodeURIComponent(chosen)}/run`;
  const read = useRead<Data<FlowRun | null>>(chosen === '' ? null : path, {
    kinds: ['conversation'],
    id: chosen,
  });
  const run = chosen === '' ? null : (read.body?.data ?? null);
  const current = run?.flowId === flow.id ? (run.waiting?.step ?? null) : null;
  useEffect(() => onCurrent(current), [current]);
  const options = (listed.body?.data ?? []).map(({ id, contact }) => {
    return [id, contact.name ?? phoneOf(contact.phone)] as const;
  });
  const isListed = chosen === '' || options.some(([id]) => id === chosen);
  return (
    <section class="block">
      <h3>{flows.trace}</h3>
      <Select
        label={flows.traceOf}
        value={chosen}
        onValue={setChosen}
        options={[
          ['', flows.chooseRun],
          ...options,
          ...(isListed ? [] : [[chosen, chosen] as const]),
        ]}
      />
      {listed.body && options.length === 0 ? <p class="soft">{flows.noRuns}</p> : null}
      <Alert refused={listed.refused ?? read.refused} onAgain={read.again} />
      {run ? <Trace run={run} conversationId={chosen} /> : null}
      {chosen !== '' && read.body?.data === null ? <p class="soft">{flows.noRun}</p> : null}
    </section>
  );
}

interface TraceProps {
  readonly run: FlowRun;
  readonly conversationId: string;
}

function Trace({ run, conversationId }: TraceProps) {
  const { flowName, startedAt, endedAt, entries, isWhole } = run;
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
            {isolated(said.author)}: {said.text ?? TEXT.thread.file}
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
