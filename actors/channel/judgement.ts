/** Consequences of one send's end for its lane, its number and the first contacts. */
import { AMBIGUOUS_SEND_WAIT_MS } from '../../shared/limits.ts';
import type { Backlog } from './backlog.ts';
import { backoffMs } from './backoff.ts';
import type { FirstContacts } from './first-contacts.ts';
import type { Lane, Lanes } from './lanes.ts';
import type { NumberHealth } from './number-health.ts';
import type { PacedNumber } from './paced-number.ts';
import type { ReadinessWatch } from './readiness-watch.ts';
import type { Judged } from './round.ts';

interface JudgedDesk {
  readonly lanes: Lanes;
  readonly backlog: Backlog;
  readonly health: NumberHealth;
  readonly paced: PacedNumber;
  readonly firstContacts: FirstContacts;
  readonly readiness: Pick<ReadinessWatch, 'refuseAll' | 'sendEnded'>;
  /** Called when there is room again for what the store holds. */
  readonly onHungry: () => void;
}

interface JudgedLane {
  readonly lane: Lane;
  readonly how: Judged;
  /** Monotonic milliseconds. */
  readonly now: number;
}

export function applyJudgement(desk: JudgedDesk, { lane, how, now }: JudgedLane): void {
  const { lanes, health, firstContacts } = desk;
  const messageId = lane.queue[0]?.entryId;
  switch (how.judged) {
    case 'done':
      lanes.done(lane);
      desk.readiness.sendEnded(lane.conversationId);
      firstContacts.ended(messageId, how.accepted === true);
      if (how.byNetwork && health.worked(now)) lanes.wakeHeldByNumber();
      if (desk.backlog.isHungry()) desk.onHungry();
      return;
    case 'ambiguous':
      lanes.wait(lane, now + Math.min(how.waitMs, AMBIGUOUS_SEND_WAIT_MS));
      if (how.unanswered) health.unanswered(lane.conversationId, now);
      return;
    case 'retry':
      firstContacts.putBack(messageId);
      return lanes.wait(lane, now + how.waitMs);
    case 'held':
      desk.paced.giveBack(1);
      desk.readiness.sendEnded(lane.conversationId);
      return lanes.wait(lane, now + how.waitMs, 'as first');
    case 'later':
      firstContacts.putBack(messageId);
      return turnedAway(desk, lane, { how, now });
    default:
      how satisfies never;
  }
}

function turnedAway(
  { lanes, health, readiness }: JudgedDesk,
  lane: Lane,
  { how, now }: { readonly how: Extract<Judged, { judged: 'later' }>; readonly now: number },
): void {
  const { scope, channelReason } = how;
  const ofPair = scope === 'pair';
  // An outage of the number says nothing of the pair, whose waits grow faster.
  lane.backoffs = lane.backoffsOfPair === ofPair ? lane.backoffs + 1 : 1;
  lane.backoffsOfPair = ofPair;
  const until = now + backoffMs(how, lane.backoffs);
  lanes.wait(lane, until, ofPair ? null : 'by number');
  if (!ofPair) {
    if (how.unprobed) health.keepUntil(until);
    else health.turnedAway(lane.conversationId, scope, until);
  }
  if (channelReason !== undefined) readiness.refuseAll(channelReason);
}
