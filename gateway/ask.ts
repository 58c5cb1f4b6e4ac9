/** The stage that carries a plan to whoever answers it. */
import { type FailureKind, failure } from '../shared/failures.ts';
import { ASK_DEADLINE_MS } from '../shared/limits.ts';
import type { Gateway } from './gateway.ts';
import { answerReply, type Reply, refusalReply } from './reply.ts';
import type { Plan } from './route.ts';

export interface AskFrame {
  readonly requestId: string;
  /** The refusal while there is no connection. */
  readonly whenDisconnected: FailureKind;
}

/** @throws when nobody answers in time */
export async function ask(gateway: Gateway, plan: Plan, frame: AskFrame): Promise<Reply> {
  if (plan.to === 'caller') return refusalReply(plan.refusal);
  if (!gateway.bus.connected()) return refusalReply(failure(frame.whenDisconnected));
  const options = {
    deadline: gateway.clock.now() + ASK_DEADLINE_MS,
    requestId: frame.requestId,
  };
  const answer =
    plan.to === 'actor'
      ? await gateway.bus.ask(plan.address, plan.command, options)
      : await gateway.bus.query(plan.resource, plan.payload, options);
  return answerReply(answer);
}
