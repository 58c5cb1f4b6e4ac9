/** The operator's commands as the panel asks them: their answers in the shape of the public API. */
import * as v from 'valibot';
import { atMostItems, SENTENCES } from '../../../shared/api/sentences.ts';
import { type FailureKind, failure, invalid } from '../../../shared/failures.ts';
import {
  KEYS_MAX_PER_ORGANIZATION,
  SUBSCRIPTIONS_MAX_PER_ORGANIZATION,
} from '../../../shared/limits.ts';
import type { CommandOf } from '../../../shared/ports/bus.ts';
import type { Ids } from '../../../shared/ports/ids.ts';
import { bodyOf } from '../../../shared/wire/answer.ts';
import type { Caller } from '../../../shared/wire/caller.ts';
import { jsonReply, type Reply, refusalReply } from '../../http/respond.ts';
import type { ActorPlan } from '../../route.ts';

/** 166 random bits, from which the command's secrets derive. */
export function freshSeed(ids: Ids): string {
  return `${ids.fresh('seed')}${ids.fresh('seed')}`;
}

export function toOrganization(
  { orgId }: Caller,
  command: CommandOf<'organization'>,
): Extract<ActorPlan, { readonly address: { readonly kind: 'organization' } }> {
  return { to: 'actor', address: { kind: 'organization', key: orgId }, command };
}

const RefusalSchema = v.object({
  problems: v.optional(v.array(v.object({ path: v.string() })), []),
});

/** Problems that the row's own schema cannot know. */
const REFUSED_PATHS: Readonly<Record<string, string>> = {
  url: SENTENCES.urlRefused,
  expiresAt: SENTENCES.momentPast,
  keys: atMostItems(KEYS_MAX_PER_ORGANIZATION),
  subscriptions: atMostItems(SUBSCRIPTIONS_MAX_PER_ORGANIZATION),
};

/** The command line's sentences are English: the panel has its own for the same refusals. */
export function refusedAs(kind: FailureKind, reply: Reply): Reply {
  if (reply.status === 404) return refusalReply(failure(kind));
  if (reply.status !== 422) return reply;
  const { problems } = v.parse(RefusalSchema, bodyOf(reply));
  const named = problems.map(({ path }) => ({ path, message: REFUSED_PATHS[path] ?? '' }));
  return refusalReply(invalid(...named.filter(({ message }) => message !== '')));
}

/** The answer's body as `data`, or its refusal. */
export function answeredAs(kind: FailureKind, reply: Reply): Reply {
  if (reply.status >= 300) return refusedAs(kind, reply);
  return jsonReply(reply.status, { data: bodyOf(reply) });
}
