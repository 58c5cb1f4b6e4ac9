/**
 * Authentication of a request by its API key (C5).
 *
 * 1. The key comes as `Authorization: Bearer` or as `x-api-key`; both and different is 401.
 * 2. Only its digest leaves this file.
 * 3. A known key is never throttled; an unknown one costs its address a token. Without tokens the
 *    key waits in the key look-up queue. A good key then continues, a bad one gets a 429.
 */
import { type Failure, type FailureKind, failure } from '../shared/failures.ts';
import { ASK_DEADLINE_MS, KEY_MAX_CHARS, KEY_MIN_CHARS } from '../shared/limits.ts';
import type { FindKey, FindKeys } from '../shared/wire/key-commands.ts';
import type { Gateway, Incoming, KnownKey } from './gateway.ts';
import { peerOf } from './peer.ts';

const BEARER = 'bearer ';
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it refuses
const CONTROL_CHARACTER = /[\u0000-\u001f\u007f-\u009f]/;

/** The key of a request, or null when it has none that could be one. */
export function readKey(authorization: string, apiKey: string): string | null {
  let key = apiKey;
  if (authorization !== '') {
    if (authorization.slice(0, BEARER.length).toLowerCase() !== BEARER) return null;
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
    if (orgId) return cacheKey(gateway, digest, orgId);
    return { kind: 'rate_limited', retryAfterSeconds: waitSeconds };
  }
  const payload: FindKey = { digest };
  const deadline = gateway.clock.now() + ASK_DEADLINE_MS;
  const answer = await gateway.bus.query('key', payload, { deadline, requestId });
  if (answer.status === 404) return failure('unauthorized');
  throttle.refund(address);
  if (answer.status !== 200) throw new Error(`a key was looked up with ${answer.status}`);
  const found: { orgId: string } = JSON.parse(answer.body);
  return cacheKey(gateway, digest, found.orgId);
}

/** Whose the digests are that are keys. */
async function findMany(
  gateway: Gateway,
  digests: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const payload: FindKeys = { digests };
  const deadline = gateway.clock.now() + ASK_DEADLINE_MS;
  const answer = await gateway.bus.query('keys', payload, { deadline });
  if (answer.status !== 200) throw new Error(`keys were looked up with ${answer.status}`);
  const { found }: { found: readonly (readonly [string, string])[] } = JSON.parse(answer.body);
  return new Map(found);
}

function cacheKey(gateway: Gateway, digest: string, orgId: string): KnownKey {
  const known: KnownKey = { digest, orgId, caller: null };
  gateway.keys.set(digest, known);
  return known;
}
