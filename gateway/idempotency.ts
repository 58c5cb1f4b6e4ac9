/**
 * Idempotent execution of a POST with an Idempotency-Key (D29).
 *
 * 1. The call's ids are derived from organization, key, route, header and the time of the first
 *    call. A repeat after a crash derives the same ids, so its creations meet their own `_id`. A
 *    call that was refused as a whole changed nothing: a repeat is decided again, under new ids.
 * 2. Answers that another try would repeat are kept: 2xx, 404, 422. The answers 401, 403, 409, 429
 *    and 5xx depend on the moment, so the next try runs.
 * 3. An answer that could not be kept is still given.
 * 4. The key is bound to the JSON value of the body: a client that writes it anew, in another order
 *    of its names, repeats the call.
 */

import { createHash } from 'node:crypto';
import { failure, invalid } from '../shared/failures.ts';
import { ASK_DEADLINE_MS, IDEMPOTENCY_KEY_MAX_CHARS } from '../shared/limits.ts';
import type { Ids } from '../shared/ports/ids.ts';
import { bodyOf } from '../shared/wire/answer.ts';
import type {
  CallClaim,
  ClaimIdempotency,
  CompleteIdempotency,
  IdempotencyClaimed,
  StoredReply,
} from '../shared/wire/queries.ts';
import { canonicalJson } from './canonical-json.ts';
import type { Gateway } from './gateway.ts';
import type { FileHead } from './http/file-head.ts';
import { type Reply, refusalReply } from './http/respond.ts';
import type { ParsedBody } from './validate.ts';

export const IDEMPOTENCY_HEADER = 'idempotency-key';
const PATH = 'Idempotency-Key';
const OTHER_BODY = 'Esta chave já foi usada com outro corpo.';
const MALFORMED = `Use de 1 a ${IDEMPOTENCY_KEY_MAX_CHARS} caracteres visíveis, com ou sem aspas.`;
const RETRY_AFTER_SECONDS = 1;

const PRINTABLE = /^[\u0020-\u007e]+$/;
/** A string as the header's draft standard writes it: `"…"`, with `\"` and `\\` inside. */
const QUOTED = /^"((?:[^"\\]|\\["\\])*)"$/;

/** The key that a header's value means; null when it means none. */
function parseIdempotencyKey(header: string): string | null {
  const value = header.trim();
  const quoted = QUOTED.exec(value)?.[1];
  if (quoted === undefined && value.startsWith('"')) return null;
  const key = quoted === undefined ? value : quoted.replace(/\\(["\\])/g, '$1');
  return PRINTABLE.test(key) && key.length <= IDEMPOTENCY_KEY_MAX_CHARS ? key : null;
}

export interface IdempotentCall {
  /** As sent. */
  readonly header: string;
  readonly orgId: string;
  /** Whose repeats it has. */
  readonly repeaterId: string;
  /** Method and path. */
  readonly route: string;
  readonly body: ParsedBody;
  readonly ids: Ids;
  readonly requestId: string;
  /** The call may download a file first. */
  readonly withMedia?: boolean;
}

/**
 * Runs the call unless it has run, or runs, under the same header.
 * @throws when no answer arrives in time
 */
export async function runIdempotently(
  gateway: Gateway,
  idempotentCall: IdempotentCall,
  run: (run: { readonly ids: Ids; readonly claim: CallClaim }) => Promise<Reply>,
): Promise<Reply> {
  const key = parseIdempotencyKey(idempotentCall.header);
  if (key === null) return refusalReply(invalid({ path: PATH, message: MALFORMED }));
  const { ids, orgId, repeaterId, route } = idempotentCall;
  const id = ids.derive('idm', orgId, repeaterId, route, key);
  const holder = gateway.freshId('hld');
  const claimed = await claim(gateway, idempotentCall, { id, holder });
  switch (claimed.claimed) {
    case 'answered':
      return replay(claimed.answer);
    case 'running':
      return refusalReply({
        ...failure('still_running'),
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      });
    case 'other-body':
      return refusalReply(invalid({ path: PATH, message: OTHER_BODY }));
    case 'held':
      return runClaimed(gateway, { id, holder, idempotentCall }, () =>
        run({ ids: derivedIds(ids, id, claimed.since), claim: { id, holder } }),
      );
    default:
      return claimed satisfies never;
  }
}

async function claim(
  gateway: Gateway,
  { ids, body: { object, bytes, file }, requestId, withMedia = false }: IdempotentCall,
  { id, holder }: Pick<ClaimIdempotency, 'id' | 'holder'>,
): Promise<IdempotencyClaimed> {
  const ofBytes = ids.digest(file ? describeFile(file, bytes) : bytes.toString('utf8'));
  const value = object && canonicalJson(object);
  const fingerprint = value === null ? ofBytes : ids.digest(value);
  const payload: ClaimIdempotency = { id, holder, fingerprint, ofBytes, withMedia };
  const answer = await gateway.bus.query('idempotency-claim', payload, {
    deadline: gateway.clock.now() + ASK_DEADLINE_MS,
    requestId,
  });
  if (answer.status !== 200) throw new Error(`a call was claimed with ${answer.status}`);
  return bodyOf(answer);
}

/** A file is bound with its headers; its bytes are no text. */
function describeFile({ contentType, name }: FileHead, bytes: Buffer): string {
  const digest = createHash('sha256').update(bytes).digest('hex');
  return JSON.stringify([contentType, name, digest]);
}

interface ClaimedCall {
  readonly id: string;
  readonly holder: string;
  readonly idempotentCall: IdempotentCall;
}

async function runClaimed(
  gateway: Gateway,
  claimedCall: ClaimedCall,
  run: () => Promise<Reply>,
): Promise<Reply> {
  let reply: Reply;
  try {
    reply = await run();
  } catch (cause) {
    await complete(gateway, claimedCall, { answer: null });
    throw cause;
  }
  const { status } = reply;
  const answer = isStored(status) ? storedReply(reply) : null;
  const refused = answer === null && status < 500 && reply.partiallyApplied !== true;
  await complete(gateway, claimedCall, { answer, refused });
  return reply;
}

function isStored(status: number): boolean {
  return (status >= 200 && status < 300) || status === 404 || status === 422;
}

function storedReply({ status, body, headers }: Reply): StoredReply {
  return { status, body, ...(headers ? { headers } : {}) };
}

function replay({ status, body, headers }: StoredReply): Reply {
  return { status, body, headers: { ...headers, 'idempotent-replayed': 'true' } };
}

async function complete(
  gateway: Gateway,
  { id, holder, idempotentCall }: ClaimedCall,
  outcome: Pick<CompleteIdempotency, 'answer' | 'refused'>,
): Promise<void> {
  const payload: CompleteIdempotency = { id, holder, ...outcome };
  const { requestId } = idempotentCall;
  try {
    const answer = await gateway.bus.query('idempotency-settle', payload, {
      deadline: gateway.clock.now() + ASK_DEADLINE_MS,
      requestId,
    });
    if (answer.status !== 200) throw new Error(`a call was settled with ${answer.status}`);
  } catch (cause) {
    gateway.log.warn({ cause, requestId }, 'the answer of an idempotent call was not kept');
  }
}

/** Fresh ids of a plan are derived, so that they are the same at every try of the call. */
function derivedIds(ids: Ids, id: string, since: number): Ids {
  let count = 0;
  return {
    ...ids,
    fresh: (prefix) => ids.derive(prefix, id, String(since), String(count++)),
  };
}
