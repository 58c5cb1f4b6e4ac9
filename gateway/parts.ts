/**
 * Streams a list to the caller, part by part (D124). The next part is read after the caller has
 * received the one before: the process never holds a whole list.
 */

import { failure } from '../shared/failures.ts';
import { ASK_DEADLINE_MS } from '../shared/limits.ts';
import type { Answer } from '../shared/ports/bus.ts';
import type { AnswerRest } from '../shared/wire/answer-rest.ts';
import type { Gateway } from './gateway.ts';
import { answerReply, type Reply, refusalReply } from './http/respond.ts';

interface Asked {
  readonly orgId: string;
  readonly requestId: string;
}

/**
 * Answers as `query` does, the rest of the body behind it. Where the organization has reached its
 * limit of open streams, the query is repeated when one of them has ended.
 * @throws when no answer arrives in time
 */
export async function answerWithRest(
  gateway: Gateway,
  { orgId, requestId }: Asked,
  query: () => Promise<Answer>,
): Promise<Reply> {
  const until = gateway.clock.now() + ASK_DEADLINE_MS;
  for (;;) {
    const answer = await query();
    const { rest, body } = answer;
    if (!rest) return answerReply(answer);
    const end = gateway.streamLimiter.tryAcquire(orgId);
    if (end) {
      const chunks = partsOf(gateway, { body, rest }, requestId);
      return { ...answerReply(answer), body: '', stream: { sizeBytes: null, chunks, end } };
    }
    const leftMs = until - gateway.clock.now();
    if (leftMs <= 0) return refusalReply(failure('overloaded'));
    await gateway.streamLimiter.waitForPermit(orgId, leftMs);
  }
}

interface Part {
  readonly body: string;
  readonly rest?: AnswerRest;
}

/** A part without an answer ends the body early: its reader sees that it is incomplete. */
async function* partsOf(
  { bus, clock }: Gateway,
  first: Part,
  requestId: string,
): AsyncGenerator<Uint8Array> {
  let part = first;
  for (;;) {
    yield Buffer.from(part.body);
    const { rest } = part;
    if (!rest) return;
    const deadline = clock.now() + ASK_DEADLINE_MS;
    const next = await bus.query(rest.resource, rest.payload, { deadline, requestId });
    if (next.status !== 200) throw new Error(`a part of a list was answered with ${next.status}`);
    part = next;
  }
}
