/**
 * Admission of a call by one ask to the organization's owner. The owner counts exactly across
 * gateways, and knows a revocation at once (I27).
 */

import { type Failure, failure } from '../shared/failures.ts';
import { ASK_DEADLINE_MS } from '../shared/limits.ts';
import type { Answer } from '../shared/ports/bus.ts';
import {
  ADMITTED,
  ADMITTED_WITH_CALLER,
  type Admission,
  type AdmitCommand,
  type Caller,
} from '../shared/wire/caller.ts';
import type { Gateway, KnownKey } from './gateway.ts';
import type { Rates } from './reply.ts';

export type Admitted =
  | { readonly caller: Caller; readonly rates: Rates | null }
  | { readonly refusal: Failure; readonly rates: Rates | null };

/** @throws when the organization's owner does not answer in time */
export async function admit(gateway: Gateway, key: KnownKey, requestId: string): Promise<Admitted> {
  const command = admission(gateway, key);
  const answer = await gateway.bus.ask({ kind: 'organization', key: key.orgId }, command, {
    deadline: gateway.clock.now() + ASK_DEADLINE_MS,
    requestId,
  });
  return readAdmission(gateway, key, answer);
}

/** The command that asks for a call's admission. */
export function admission(gateway: Gateway, key: KnownKey): AdmitCommand {
  return {
    id: gateway.freshId('adm'),
    type: 'admit',
    digest: key.digest,
    knownVersion: key.caller?.version ?? null,
  };
}

/** @throws when the answer is not one of an owner's */
export function readAdmission(gateway: Gateway, key: KnownKey, answer: Answer): Admitted {
  if (answer.status === 401) {
    gateway.keys.delete(key.digest);
    return { refusal: failure('unauthorized'), rates: null };
  }
  if (![ADMITTED, ADMITTED_WITH_CALLER, 429].includes(answer.status)) {
    throw new Error(`admission was answered with ${answer.status}`);
  }
  const body: Admission = JSON.parse(answer.body);
  const rates = body.rates ?? null;
  if (body.caller) updateCaller(key, body.caller);
  if (answer.status === 429) {
    const retryAfterSeconds = Math.max(1, body.retryAfterSeconds ?? 1);
    return { refusal: { kind: 'rate_limited', retryAfterSeconds }, rates };
  }
  const caller = body.caller ?? key.caller;
  if (!caller) throw new Error('admission was answered without the caller');
  return { caller, rates };
}

/** Answers may overtake each other: an older caller never replaces a newer one. */
function updateCaller(key: KnownKey, caller: Caller): void {
  if (!key.caller || key.caller.version <= caller.version) key.caller = caller;
}
