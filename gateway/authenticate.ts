/**
 * Authentication of a request by its API key (C5).
 *
 * 1. The key comes as `Authorization: Bearer` or as `x-api-key`; both and different is 401. Another
 *    scheme is a proxy's own: it says nothing about the key.
 * 2. Only its digest leaves this file.
 * 3. A known key is never throttled; an unknown one costs its address a token. Without tokens the
 *    key waits in the key look-up queue. A good key then continues, a bad one gets a 429.
 * 4. A call is admitted by one ask to the organization's owner. The owner counts exactly across
 *    gateways, and knows a revocation at once (I27).
 */
import { type Failure, type FailureKind, failure } from '../shared/failures.ts';
import { ASK_DEADLINE_MS, KEY_MAX_CHARS, KEY_MIN_CHARS } from '../shared/limits.ts';
import { bodyOf, bodyOfSuccess } from '../shared/wire/answer.ts';
import type { Admission, AdmitCommand, Caller, Rates } from '../shared/wire/caller.ts';
import type { Gateway, Incoming, KnownKey } from './gateway.ts';
import { peerOf } from './throttling/peer.ts';

const BEARER = 'bearer ';
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it refuses
const CONTROL_CHARACTER = /[\u0000-\u001f\u007f-\u009f]/;

/** The key of a request, or null when it has none that could be one. */
export function readKey(authorization: string, apiKey: string): string | null {
  let key = apiKey;
  if (authorization.slice(0, BEARER.length).toLowerCase() === BEARER) {
    const bearer = authorization.slice(BEARER.length).trim();
    if (apiKey !== '' && apiKey !== bearer) return null;
    key = bearer;
  }
  const wellFormed =
    key.length >= KEY_MIN_CHARS && key.length <= KEY_MAX_CHARS && !CONTROL_CHARACTER.test(key);
  return wellFormed ? key : null;
}

/** The caller's key if this gateway has it in its cache; else null: nothing is asked. */
export function findKnownKey(gateway: Gateway, incoming: Incoming): KnownKey | null {
  const key = readKey(incoming.authorization, incoming.apiKey);
  const ids = gateway.installation.current();
  return key !== null && ids ? (gateway.keys.get(ids.digest(key)) ?? null) : null;
}

/**
 * Looks up the key of a request that `findKnownKey` does not know.
 * @param whenDisconnected the refusal while there is no connection
 */
export async function identify(
  gateway: Gateway,
  incoming: Incoming,
  whenDisconnected: FailureKind,
): Promise<KnownKey | Failure> {
  const key = readKey(incoming.authorization, incoming.apiKey);
  if (key === null) return failure('unauthorized');
  const current = gateway.installation.current();
  if (!gateway.bus.connected()) return failure(whenDisconnected);
  const client = { requestId: incoming.requestId, address: peerOf(incoming.remoteAddress()) };
  const ids = current ?? (await gateway.installation.wait(ASK_DEADLINE_MS));
  return authenticate(gateway, client, ids.digest(key));
}

/**
 * Looks up a key that this process does not know yet, at its address's expense. Concurrent calls
 * with the same key share one look-up: the first burst of a good key costs one token.
 */
function authenticate(
  gateway: Gateway,
  client: { readonly requestId: string; readonly address: string },
  digest: string,
): Promise<KnownKey | Failure> {
  const open = gateway.lookUps.get(digest);
  if (open) return open;
  const lookUp = lookUpKey(gateway, client, digest).finally(() => {
    gateway.lookUps.delete(digest);
  });
  gateway.lookUps.set(digest, lookUp);
  return lookUp;
}

async function lookUpKey(
  gateway: Gateway,
  { requestId, address }: { readonly requestId: string; readonly address: string },
  digest: string,
): Promise<KnownKey | Failure> {
  const { throttle } = gateway;
  const waitSeconds = throttle.tryConsume(address);
  if (waitSeconds > 0) {
    const orgId = await throttle.keyLookupQueue.find(address, digest, (digests) =>
      findMany(gateway, digests),
    );
    if (orgId) return cacheKey(gateway, { digest, orgId, lookedUpBy: address });
    return { kind: 'rate_limited', retryAfterSeconds: waitSeconds };
  }
  const deadline = gateway.clock.now() + ASK_DEADLINE_MS;
  const answer = await gateway.bus.query('key', { digest }, { deadline, requestId });
  if (answer.status === 404) return failure('unauthorized');
  throttle.refund(address);
  if (answer.status !== 200) throw new Error(`a key was looked up with ${answer.status}`);
  return cacheKey(gateway, { digest, orgId: bodyOf(answer).orgId, lookedUpBy: address });
}

/** Whose the digests are that are keys. */
async function findMany(
  gateway: Gateway,
  digests: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const deadline = gateway.clock.now() + ASK_DEADLINE_MS;
  const answer = await gateway.bus.query('keys', { digests }, { deadline });
  return new Map(bodyOfSuccess(answer, 'keys were not looked up').found);
}

function cacheKey({ keys }: Gateway, found: Omit<KnownKey, 'caller'>): KnownKey {
  const known: KnownKey = { ...found, caller: null };
  keys.set(known.digest, known);
  return known;
}

export type Admitted =
  | { readonly caller: Caller; readonly rates: Rates | null }
  | { readonly refusal: Failure; readonly rates: Rates | null };

export interface AdmittedCall {
  readonly requestId: string;
  /** It counts in no rate window. */
  readonly isUncounted?: true | undefined;
}

/** @throws when the organization's owner does not answer in time */
export async function admit(
  gateway: Gateway,
  key: KnownKey,
  { requestId, isUncounted }: AdmittedCall,
): Promise<Admitted> {
  const command = admission(gateway, key, { isUncounted });
  const { admission: given, status } = await gateway.bus.ask(
    { kind: 'organization', key: key.orgId },
    command,
    {
      deadline: gateway.clock.now() + ASK_DEADLINE_MS,
      requestId,
    },
  );
  if (!given) throw new Error(`admission was answered with ${status}`);
  return readAdmission(gateway, key, given);
}

/** The command that asks for a call's admission. */
export function admission(
  gateway: Gateway,
  key: KnownKey,
  { isUncounted }: Pick<AdmittedCall, 'isUncounted'>,
): AdmitCommand {
  return {
    id: gateway.freshId('adm'),
    type: 'admit',
    digest: key.digest,
    knownVersion: key.caller?.version ?? null,
    ...(key.of === undefined ? {} : { of: key.of }),
    ...(isUncounted ? { isUncounted } : {}),
  };
}

/** The person actor admits the operator: an organization refuses it by its absence alone. */
const UNAUTHORIZED_KIND = {
  key: 'unauthorized',
  session: 'signed_out',
  operator: 'organization_not_found',
} as const;

/** A key that turns out to be none costs its address what an unknown one costs. */
function refuseKey({ keys, throttle }: Gateway, key: KnownKey, expired: boolean): Admitted {
  keys.delete(key.digest);
  if (key.lookedUpBy !== undefined) throttle.tryConsume(key.lookedUpBy);
  const kind = expired ? 'key_expired' : UNAUTHORIZED_KIND[key.of ?? 'key'];
  return { refusal: failure(kind), rates: null };
}

/** @throws when the caller is not known */
export function readAdmission(gateway: Gateway, key: KnownKey, admission: Admission): Admitted {
  if (admission.outcome === 'unauthorized') {
    return refuseKey(gateway, key, admission.expired === true);
  }
  const { rates } = admission;
  if ('caller' in admission && admission.caller) updateCaller(key, admission.caller);
  if (admission.outcome === 'rate-limited') {
    const retryAfterSeconds = Math.max(1, admission.retryAfterSeconds);
    return { refusal: { kind: 'rate_limited', retryAfterSeconds }, rates };
  }
  const caller = admission.outcome === 'admitted' ? key.caller : admission.caller;
  if (!caller) throw new Error('admission was answered without the caller');
  return { caller, rates };
}

/** Answers may overtake each other: an older caller never replaces a newer one. */
function updateCaller(key: KnownKey, caller: Caller): void {
  if (!key.caller || key.caller.version <= caller.version) key.caller = caller;
}
