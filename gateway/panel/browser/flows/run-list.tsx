/** The last runs of a flow: those under way, then those that ended; each leads to its trace. */
import { query } from '../base/call.ts';
import { Alert, Link } from '../base/parts.tsx';
import { useRead } from '../base/use-read.ts';
import type { Data } from '../conversations/state/api.ts';
import { fullTimeOf, phoneOf } from '../format.ts';
import { TEXT } from '../sentences.ts';
import { type FlowRunRow, flowPath } from './api.ts';

const { flows } = TEXT;

/** Address of a run's trace. */
function runPath(flowId: string, conversationId: string, endedSeq: number | null): string {
  const named = { conversa: conversationId, ...(endedSeq === null ? {} : { fim: endedSeq }) };
  return `/fluxos/${encodeURIComponent(flowId)}${query(named)}`;
}

interface RunListProps {
  readonly flowId: string;
  readonly chosen: { readonly conversationId: string; readonly endedSeq: number | null };
}

export function RunList({ flowId, chosen }: RunListProps) {
  const path = `${flowPath(flowId)}/runs`;
  const read = useRead<Data<readonly FlowRunRow[]>>(path, { kinds: ['conversation'] });
  const rows = read.body?.data ?? [];
  return (
    <>
      <Alert refused={read.refused} onAgain={read.again} />
      {read.body && rows.length === 0 ? <p class="soft">{flows.noRuns}</p> : null}
      <ul class="lines" aria-label={flows.runs}>
        {rows.map((row) => {
          const { id, conversationId, endedSeq, contact, state, reason } = row;
          const isChosen = conversationId === chosen.conversationId && endedSeq === chosen.endedSeq;
          return (
            <li key={id}>
              <div class="grow">
                <Link to={runPath(flowId, conversationId, endedSeq)} current={isChosen}>
                  {contact.name ?? phoneOf(contact.phone)}
                </Link>
                <p class="soft small">{whenOf(row)}</p>
                {reason ? <p class="small">{flows.reasons[reason] ?? reason}</p> : null}
              </div>
              <span class={state === 'stopped' ? 'tag state-bad' : 'tag'}>
                {flows.runStates[state]}
              </span>
            </li>
          );
        })}
      </ul>
    </>
  );
}

function whenOf({ step, startedAt, endedAt }: FlowRunRow): string {
  if (endedAt !== null) return flows.ended(fullTimeOf(endedAt));
  return [...(step === null ? [] : [flows.at(step)]), flows.began(fullTimeOf(startedAt))].join(
    ', ',
  );
}
