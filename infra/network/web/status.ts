/** Whether a `web` number can send now: `GET /api/sessions/{session}`, WORKING alone is ready. */
import type { NetworkChannel, Readiness } from '../../../shared/network.ts';
import { parseRecord, textAt } from '../json-shape.ts';
import { type BridgeCaller, missingSetting, readBridge, sessionOf } from './bridge-call.ts';
import { outcomeOfError, sessionReason } from './errors.ts';

/** Asks the bridge; never rejects. */
export async function readStatus(
  caller: BridgeCaller,
  channel: NetworkChannel,
): Promise<Readiness> {
  const missing = missingSetting(channel);
  if (missing !== null) return { ready: false, reason: missing };
  const path = `/api/sessions/${encodeURIComponent(sessionOf(channel))}`;
  const answer = await readBridge(caller, channel, path);
  if (!answer.answered) return { ready: 'unknown', cause: answer.cause };
  if (answer.status === 200) {
    const status = textAt(parseRecord(answer.body) ?? {}, 'status');
    if (status === undefined) return { ready: 'unknown', cause: 'answer without a status' };
    const reason = sessionReason(status);
    return reason === null ? { ready: true } : { ready: false, reason };
  }
  const outcome = outcomeOfError(answer.status, answer.body);
  return 'channelReason' in outcome && outcome.channelReason !== undefined
    ? { ready: false, reason: outcome.channelReason }
    : { ready: 'unknown', cause: `status ${answer.status}` };
}
