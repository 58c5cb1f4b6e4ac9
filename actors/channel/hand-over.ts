/** A message that is journaled as `sending` goes to the network; what that said is recorded. */
import { AMBIGUOUS_SEND_WAIT_MS } from '../../shared/limits.ts';
import { LOG_EVENT } from '../../shared/log-events.ts';
import type { SendOutcome } from '../../shared/network.ts';
import { revisionOf } from '../domain/network-readiness.ts';
import { describe } from '../runtime/mailbox.ts';
import { recordOutcome } from './outcome.ts';
import type { RoundDesk, Sending } from './round.ts';
import { transmit } from './transmit.ts';

/** What comes of it is told to the lane. */
export function handOn(desk: RoundDesk, sending: Sending): void {
  desk.handing.add(sending.entry.conversationId, handOver(desk, sending));
}

/** Never rejects. */
async function handOver(desk: RoundDesk, sending: Sending): Promise<void> {
  const { judge, lane, entry } = sending;
  const { log, leaseHeld } = desk.world;
  // The lease may have ended since it was marked: then the next owner resolves it.
  if (!leaseHeld() || desk.closed) {
    return judge(lane, { judged: 'ambiguous', waitMs: AMBIGUOUS_SEND_WAIT_MS });
  }
  try {
    await recordOutcome(desk, sending, await send(desk, sending));
  } catch (fault) {
    log.error({ messageId: entry._id, error: describe(fault) }, 'a send failed');
    judge(lane, { judged: 'ambiguous', waitMs: AMBIGUOUS_SEND_WAIT_MS });
  }
}

async function send(desk: RoundDesk, sending: Sending): Promise<SendOutcome> {
  const { entry } = sending;
  const { conversationId, requestId, _id: messageId } = entry;
  desk.sent.keep(messageId, { conversationId, messageId });
  desk.inDoubt.add(messageId);
  const outcome = await transmit(desk, sending);
  const revision = revisionOf(sending.configuration.entry);
  desk.readiness.sent({ conversationId, revision, outcome });
  const { attempt } = sending.send;
  const { channelId } = desk;
  desk.world.log.info(
    { channelId, messageId, requestId, attempt, ...told(outcome) },
    LOG_EVENT.send,
  );
  return outcome;
}

function told(outcome: SendOutcome): Readonly<Record<string, unknown>> {
  return {
    outcome: outcome.outcome,
    ...(outcome.outcome === 'refused' ? { code: outcome.code } : {}),
    ...(outcome.outcome === 'later' ? { scope: outcome.scope } : {}),
    ...('cause' in outcome && outcome.cause !== undefined ? { cause: outcome.cause } : {}),
    ...('fault' in outcome && outcome.fault !== undefined ? { fault: outcome.fault.kind } : {}),
    ...('channelReason' in outcome ? { reason: outcome.channelReason } : {}),
  };
}
