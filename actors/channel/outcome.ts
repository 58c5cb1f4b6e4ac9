/**
 * The network's answer to a send: recorded in the message's conversation, then judged by its lane.
 *
 * 1. A lane is done only when the receipt is on record. A receipt that was given up with the lease
 *    leaves the message in doubt: the settled `seq` outlives the desk, and would let the next owner
 *    in this process send what comes after it first.
 */
import { AMBIGUOUS_SEND_WAIT_MS } from '../../shared/limits.ts';
import type { SendOutcome } from '../../shared/network.ts';
import type { Receipt } from '../domain/receipt.ts';
import { describe } from '../runtime/mailbox.ts';
import type { Later } from './backoff.ts';
import { insistOnReceipt } from './insist.ts';
import type { Judged, RoundDesk, Sending } from './round.ts';

/** A fault of the network on one very message is borne so often. */
const FAILURES_MAX = 10;
/** Where the network can be asked what became of a message. */
const FIRST_LOOK_MS = 2_000;
const GIVEN_UP: Judged = { judged: 'ambiguous', waitMs: AMBIGUOUS_SEND_WAIT_MS };

/** Judges the message's lane once all is recorded. */
export async function recordOutcome(
  desk: RoundDesk,
  sending: Sending,
  outcome: SendOutcome,
): Promise<void> {
  const { configuration, judge, lane } = sending;
  switch (outcome.outcome) {
    case 'accepted':
      return recordAccepted(desk, sending, outcome);
    case 'refused': {
      if (outcome.channelReason !== undefined) desk.readiness.refuseAll(outcome.channelReason);
      if (outcome.restriction) desk.firstContacts.restrict(outcome.restriction);
      const { code, reason: message } = outcome;
      return failMessage(desk, sending, { code, message, byNetwork: true });
    }
    case 'later':
      return recordLater(desk, sending, outcome);
    case 'unknown': {
      const driver = desk.world.networks.driver(configuration.network.provider);
      const waitMs = driver.findSent ? FIRST_LOOK_MS : AMBIGUOUS_SEND_WAIT_MS;
      return judge(lane, { judged: 'ambiguous', waitMs, unanswered: true });
    }
    default:
      outcome satisfies never;
  }
}

/** The network's names of a message that it has, and of its contact. */
interface AcceptedAs {
  readonly externalId: string;
  readonly fullId?: string;
  readonly networkId?: string;
}

export async function recordAccepted(
  desk: RoundDesk,
  { entry, send, judge, lane }: Sending,
  { externalId, fullId, networkId }: AcceptedAs,
): Promise<void> {
  const { conversationId, _id: messageId } = entry;
  desk.sent.keep(externalId, { conversationId, messageId });
  const names = { externalId, ...(fullId === undefined ? {} : { fullId }) };
  const receipt: Receipt = { status: 'sent', at: desk.world.clock.now(), ...names };
  const told = { conversationId, messageId, receipt, networkId };
  if (!(await insistOnReceipt(desk.world, told))) return judge(lane, GIVEN_UP);
  desk.sent.keepRecorded(externalId, told, networkId);
  // Of a message that was in doubt, an earlier owner may have kept some.
  if (desk.early.has(externalId) || isInherited(desk, send)) {
    await desk.early.apply({ conversationId, messageId, externalId });
  }
  desk.inDoubt.delete(messageId);
  judge(lane, { judged: 'done', byNetwork: true, accepted: true });
}

function isInherited(desk: RoundDesk, send: Sending['send']): boolean {
  return send.doubtSince !== undefined || send.epoch !== desk.epoch;
}

interface Failure {
  readonly code: string;
  /** Portuguese. */
  readonly message: string;
  readonly byNetwork: boolean;
}

export async function failMessage(
  desk: RoundDesk,
  { entry, judge, lane }: Sending,
  { code, message, byNetwork }: Failure,
): Promise<void> {
  const { conversationId, _id: messageId } = entry;
  const error = { code, message };
  const receipt: Receipt = { status: 'failed', at: desk.world.clock.now(), error };
  const recorded = await insistOnReceipt(desk.world, { conversationId, messageId, receipt });
  if (!recorded) return judge(lane, GIVEN_UP);
  desk.inDoubt.delete(messageId);
  judge(lane, { judged: 'done', byNetwork });
}

async function recordLater(desk: RoundDesk, sending: Sending, later: Later): Promise<void> {
  const failures = (sending.send.failures ?? 0) + (later.failure ? 1 : 0);
  if (later.failure && failures >= FAILURES_MAX) {
    const { code, reason: message } = later.failure;
    return failMessage(desk, sending, { code, message, byNetwork: false });
  }
  await putBack(desk, sending, failures);
  desk.inDoubt.delete(sending.entry._id);
  sending.judge(sending.lane, { judged: 'later', ...later });
}

/** Nothing was sent: the message is queued again, and its attempt does not count. */
async function putBack(desk: RoundDesk, sending: Sending, failures: number): Promise<void> {
  const { entry, send } = sending;
  try {
    await desk.world.store.commit([
      {
        update: 'entries',
        filter: { _id: entry._id, 'send.state': 'sending', 'send.attempt': send.attempt },
        change: {
          $set: {
            'send.state': 'queued',
            'send.attempt': send.attempt - 1,
            ...(failures > 0 ? { 'send.failures': failures } : {}),
          },
        },
      },
    ]);
  } catch (fault) {
    // It stays marked; this desk knows that it was not sent, another one waits and looks.
    desk.world.log.warn({ messageId: entry._id, error: describe(fault) }, 'could not put back');
  }
}
