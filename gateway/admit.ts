/**
 * May it call now? One ask to the organization's owner, which counts exactly across gateways and
 * knows a revocation at once (design: Actors, `organization`).
 */
import type { Admission, AdmitCommand, Caller } from '../shared/caller.ts';
import { type Failure, failure } from '../shared/failures.ts';
import { ASK_DEADLINE_MS } from '../shared/limits.ts';
import type { Gateway, KnownKey } from './gateway.ts';
import type { Rates } from './reply.ts';

export type Admitted =
  | { readonly caller: Caller; readonly rates: Rates | null }
  | { readonly refusal: Failure; readonly rates: Rates | null };

/** @throws when the organization's owner does not answer in time */
export async function admit(gateway: Gateway, key: KnownKey, requestId: string): Promise<Admitted> {
  const command: AdmitCommand = {
    id: gateway.freshId('adm'),
    type: 'admit',
    digest: key.digest,
    knownVersion: key.caller?.version ?? null,
  };
  const answer = await gateway.bus.ask({ kind: 'organization', key: key.orgId }, command, {
    deadline: gateway.clock.now() + ASK_DEADLINE_MS,
    requestId,
  });
  if (answer.status === 401) {
    gateway.keys.delete(key.digest);
    return { refusal: failure('unauthorized'), rates: null };
  }
  if (answer.status !== 200 && answer.status !== 429) {
    throw new Error(`admission was answered with ${answer.status}`);
  }
  const admission: Admission = JSON.parse(answer.body);
  const rates = admission.rates ?? null;
  if (admission.caller) remember(key, admission.caller);
  if (answer.status === 429) {
    const retryAfterSeconds = Math.max(1, admission.retryAfterSeconds ?? 1);
    return { refusal: { kind: 'rate_limited', retryAfterSeconds }, rates };
  }
  const caller = admission.caller ?? key.caller;
  if (!caller) throw new Error('admission was answered without the caller');
  return { caller, rates };
}

/** Answers may overtake each other: an older caller never replaces a newer one. */
function remember(key: KnownKey, caller: Caller): void {
  if (!key.caller || key.caller.version <= caller.version) key.caller = caller;
}
