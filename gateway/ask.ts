/** Ask stage: sends a plan to the actor or the query that answers it. */

import { type FailureKind, failure } from '../shared/failures.ts';
import { ASK_DEADLINE_MS } from '../shared/limits.ts';
import type { Command } from '../shared/ports/bus.ts';
import { MAY_HAVE_RUN, NOT_RUN } from '../shared/wire/caller.ts';
import { type Admitted, admission, readAdmission } from './admit.ts';
import type { Gateway, KnownKey } from './gateway.ts';
import { readMedia } from './media.ts';
import { answerWithRest } from './parts.ts';
import { answerReply, type Reply, refusalReply } from './reply.ts';
import type { Plan, Sequence } from './route.ts';

export interface AskFrame {
  readonly requestId: string;
  /** Whose call it is, empty for a network's: bodies in parts are bounded for each. */
  readonly orgId: string;
  /** The refusal while there is no connection. */
  readonly whenDisconnected: FailureKind;
  /** Under an `Idempotency-Key`: the command may be asked again for a day. */
  readonly keyed?: boolean;
}

/** @throws when no answer arrives in time */
export async function ask(gateway: Gateway, plan: Plan, frame: AskFrame): Promise<Reply> {
  if (plan.to === 'caller') return refusalReply(plan.refusal);
  if (!gateway.bus.connected()) return refusalReply(failure(frame.whenDisconnected));
  if (plan.to === 'media') return readMedia(gateway, plan.payload, frame.requestId);
  const withinMs = (plan.to === 'actor' ? plan.withinMs : undefined) ?? ASK_DEADLINE_MS;
  const options = {
    deadline: gateway.clock.now() + withinMs,
    requestId: frame.requestId,
  };
  if (plan.to === 'actor') {
    return answerReply(await gateway.bus.ask(plan.address, commandOf(plan, frame), options));
  }
  const { resource, payload } = plan;
  return answerWithRest(gateway, frame, () => gateway.bus.query(resource, payload, options));
}

/** Asks each step of a plan; the answer before decides about the next. */
export async function runPlan(
  gateway: Gateway,
  plan: Plan | Sequence,
  frame: AskFrame,
): Promise<Reply> {
  if (plan.to !== 'sequence') return ask(gateway, plan, frame);
  const first = await ask(gateway, plan.first, frame);
  const step = plan.next(first);
  const reply = 'status' in step ? step : await runPlan(gateway, step, frame);
  return plan.appliesPartially && first.status < 300 ? { ...reply, partiallyApplied: true } : reply;
}

function commandOf({ command }: ActorPlan, { keyed = false }: AskFrame): Command {
  return keyed ? { ...command, lasting: true } : command;
}

/** The command was not run; one that was asked more than once may have run before. */
export interface NotRun {
  readonly admitted: Admitted;
  readonly mayHaveRun: boolean;
}

type ActorPlan = Extract<Plan, { to: 'actor' }>;

/**
 * Asks, with the call's admission in the same request. The result is the reply of the command that
 * ran, or the admission that stopped it (already counted).
 * @throws when no answer arrives in time
 */
export async function askWithAdmission(
  gateway: Gateway,
  key: KnownKey,
  [plan, requestId]: readonly [ActorPlan, string],
): Promise<{ readonly reply: Reply } | NotRun> {
  const answer = await gateway.bus.ask(plan.address, plan.command, {
    deadline: gateway.clock.now() + ASK_DEADLINE_MS,
    requestId,
    admission: { orgId: key.orgId, command: admission(gateway, key) },
  });
  const admitted = answer.admission ? readAdmission(gateway, key, answer.admission) : null;
  if (answer.status === NOT_RUN && admitted) {
    return { admitted, mayHaveRun: answer.headers?.[MAY_HAVE_RUN] !== undefined };
  }
  const reply = answerReply(answer);
  return { reply: admitted?.rates ? { ...reply, rates: admitted.rates } : reply };
}
