/**
 * Whether a `web` number can send now: `GET /api/sessions/{session}`. Ready is WORKING alone, and
 * only as the channel's own number.
 */

import { networkFault } from '../../../../shared/network-fault.ts';
import type { Clock } from '../../../../shared/ports/clock.ts';
import type { NetworkChannel } from '../../../../shared/ports/network.ts';
import type { Readiness } from '../../../../shared/ports/network-event.ts';
import { readinessOfRefusal } from '../answered-fault.ts';
import { parseRecord, textAt } from '../webhook-body.ts';
import { type BridgeCaller, missingSetting, readBridge, sessionOf } from './bridge-call.ts';
import type { Directory } from './directory.ts';
import type { Engines } from './engines.ts';
import { outcomeOfLookup, STARTING, sessionReason } from './errors.ts';
import { findPhoneOfMe, otherNumber } from './own-number.ts';
import { restrictionOf } from './restriction.ts';

export interface StatusReader extends BridgeCaller {
  readonly directory: Directory;
  readonly engines: Engines;
  readonly clock: Clock;
}

/** Asks the bridge; never rejects. */
export async function readStatus(
  reader: StatusReader,
  channel: NetworkChannel,
): Promise<Readiness> {
  const missing = missingSetting(channel);
  if (missing !== null) return { ready: false, reason: missing };
  const path = `/api/sessions/${encodeURIComponent(sessionOf(channel))}`;
  const answer = await readBridge(reader, channel, path);
  if (!answer.answered) return { ready: 'unknown', cause: answer.cause, fault: answer.fault };
  if (answer.status === 200) {
    const session = parseRecord(answer.body) ?? {};
    const status = textAt(session, 'status');
    if (status === undefined) return { ready: 'unknown', cause: 'answer without a status' };
    await reader.engines.learn(channel, session);
    const unready = unreadinessOf(status);
    if (unready !== null) return unready;
    const phone = await findPhoneOfMe(reader.directory, channel, session);
    const other = otherNumber(channel, phone);
    if (other !== null) return other;
    const restriction = restrictionOf(session, reader.clock.now());
    return {
      ready: true,
      ...(phone === undefined ? { unnamed: true as const } : {}),
      ...(restriction === undefined ? {} : { restriction }),
    };
  }
  const outcome = outcomeOfLookup(answer.status, answer.body);
  return readinessOfRefusal(outcome, `status ${answer.status}`);
}

/** The unreadiness by a state of the session other than WORKING; null when it works. */
export function unreadinessOf(status: string): Exclude<Readiness, { ready: true }> | null {
  const reason = sessionReason(status);
  if (reason === null) return null;
  if (status !== STARTING) return { ready: false, reason };
  return { ready: 'unknown', cause: `session ${status}`, fault: networkFault('starting') };
}
