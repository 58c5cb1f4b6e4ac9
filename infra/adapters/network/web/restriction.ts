/**
 * A restriction in the bridge's data: `reachoutTimelock` beside the session's own contact, or the
 * error of an acknowledgement. Its end comes as seconds, milliseconds or a date.
 */
import type { Restriction } from '../../../../shared/ports/network-event.ts';
import { isRecord, type JsonRecord, numberAt, recordAt, textAt } from '../webhook-body.ts';

const SECONDS_BELOW = 1e11;
const LATEST_MS = 1e14;

/**
 * Undefined without information, null without a restriction. A bare null is no information: the
 * bridge shows it while sends meet the restriction (WAHA #2219).
 */
export function restrictionOf(reported: JsonRecord, now: number): Restriction | null | undefined {
  const lock = [
    reported.reachoutTimelock,
    recordAt(reported, 'me').reachoutTimelock,
    reported.restriction,
  ];
  const found = lock.find(isRecord);
  if (found === undefined) return undefined;
  if (found.isActive !== true && found.active !== true) return null;
  const until = endOf(found, 'timeEnforcementEnds') ?? endOf(found, 'until');
  return until !== null && until <= now ? null : { until };
}

/** Epoch milliseconds; null without an end. */
export function endOf(record: JsonRecord, key: string): number | null {
  const number = numberAt(record, key);
  const millis =
    number === undefined
      ? Date.parse(textAt(record, key) ?? '')
      : number * (number < SECONDS_BELOW ? 1000 : 1);
  return millis > 0 && millis < LATEST_MS ? Math.round(millis) : null;
}
