/**
 * Locks and stored answers of calls with an Idempotency-Key (D29, D30). One document per
 * organization, key, route and header.
 *
 * 1. The insert of the document is the lock: of k concurrent calls one runs, even if different
 *    processes answer them.
 * 2. A repeated claim with the same `holder` still holds the call: the bus repeats asks.
 * 3. A call that was lost with its gateway expires after IDEMPOTENCY_HELD_MS. The next run receives
 *    the same `since`, hence the same command ids: committed commands are not executed again.
 * 4. A refused call has had no effect, unless an earlier run is in doubt. The next call uses new
 *    command ids, since the old ones are refused for as long as they may be repeated.
 * 5. After IDEMPOTENCY_RETENTION_MS a document has no effect; a later sweep removes it.
 */

import {
  IDEMPOTENCY_CLAIM_MS,
  IDEMPOTENCY_CLAIM_WITH_MEDIA_MS,
  IDEMPOTENCY_RETENTION_MS,
} from '../../shared/limits.ts';
import type { AnswerOf } from '../../shared/ports/bus.ts';
import { answerOf, DONE } from '../../shared/wire/answer.ts';
import type { Acknowledged } from '../../shared/wire/command-map.ts';
import type {
  CallClaim,
  ClaimIdempotency,
  CompleteIdempotency,
  IdempotencyClaimed,
} from '../../shared/wire/queries.ts';
import type { Environment } from '../environment.ts';
import type { Store, Write } from '../model/collections.ts';
import type { CallDocument } from '../model/idempotency.ts';
import { purgePeople } from '../organization/people-retention.ts';
import { purgeQuickReplies } from '../organization/quick-replies.ts';
import { purgeCompleted } from '../outbox/completed.ts';
import { runPeriodically } from '../runtime/periodic.ts';
import { purge } from '../runtime/purge.ts';

const COLLECTION = 'idempotency';
const OPEN_TRIES = 5;
/** A time long ago: the call is not held any more. */
const FREED = 0;

type CallsEnvironment = Pick<Environment, 'store' | 'clock'>;

export async function claimCall(
  environment: CallsEnvironment,
  claim: ClaimIdempotency,
): Promise<AnswerOf<IdempotencyClaimed>> {
  for (let tries = 0; tries < OPEN_TRIES; tries++) {
    const claimed = await tryToClaim(environment, claim);
    if (claimed) return answerOf(claimed);
  }
  // Concurrent calls were faster each time: one of them runs.
  return answerOf({ claimed: 'running' });
}

/** Null: the document was changed concurrently and has to be read again. */
async function tryToClaim(
  { store, clock }: CallsEnvironment,
  claim: ClaimIdempotency,
): Promise<IdempotencyClaimed | null> {
  const now = clock.now();
  const { id, fingerprint, ofBytes, holder, withMedia = false } = claim;
  const claimFields = { fingerprint, holder, heldAt: now, withMedia, answer: null, refused: false };
  const fresh = { ...claimFields, since: now, doubtful: false, onRecord: null };
  const known = await store.byId(COLLECTION, id);
  if (!known) {
    const document: CallDocument = { _id: id, ...fresh };
    return (await isWritten(store, { insert: COLLECTION, document })) ? asHeld(now) : null;
  }
  if (known.since <= now - IDEMPOTENCY_RETENTION_MS) {
    return (await isWritten(store, replacement(known, fresh))) ? asHeld(now) : null;
  }
  const isSame = known.fingerprint === fingerprint || known.fingerprint === ofBytes;
  if (!isSame) return { claimed: 'other-body' };
  if (known.answer) return { claimed: 'answered', answer: known.answer };
  if (known.holder === holder) return asHeld(known.since);
  const claimMs = known.withMedia ? IDEMPOTENCY_CLAIM_WITH_MEDIA_MS : IDEMPOTENCY_CLAIM_MS;
  if (known.heldAt > now - claimMs) return { claimed: 'running' };
  const again = { ...claimFields, ...nextRun(known, now) };
  return (await isWritten(store, replacement(known, again))) ? asHeld(again.since) : null;
}

function nextRun(
  { since, refused = false, doubtful = false }: CallDocument,
  now: number,
): Pick<CallDocument, 'since' | 'doubtful'> & Partial<Pick<CallDocument, 'onRecord'>> {
  if (refused && !doubtful) return { since: Math.max(now, since + 1), doubtful, onRecord: null };
  return { since, doubtful: true };
}

/**
 * Records what a call under the claim has found, unless an earlier run has: the ids of a command
 * are the same at every try, and would otherwise reach another person once a contact has appeared.
 * @returns what the first run found
 */
export async function recordOnce(
  { store }: Pick<Environment, 'store'>,
  { id, holder }: CallClaim,
  onRecord: readonly string[],
): Promise<readonly string[]> {
  const filter = { _id: id, holder, onRecord: null };
  const change = { $set: { onRecord } };
  if (await isWritten(store, { update: COLLECTION, filter, change, upsert: true })) return onRecord;
  const known = await store.byId(COLLECTION, id);
  if (known?.holder === holder && known.onRecord) return known.onRecord;
  throw new Error('the call is run by another holder');
}

/** Keeps the answer for repeats; without an answer the next call may run at once. */
export async function settleCall(
  { store }: CallsEnvironment,
  { id, holder, answer, refused = false }: CompleteIdempotency,
): Promise<AnswerOf<Acknowledged>> {
  // `holder` stays: if the bus repeats its claim late, the claim writes nothing and holds nothing.
  const change = answer ? { answer } : { heldAt: FREED, refused };
  const filter = { _id: id, holder };
  const [settled] = await store.commit([{ update: COLLECTION, filter, change: { $set: change } }]);
  if (!settled?.ok) throw new Error('the answer was not kept', { cause: settled });
  return DONE;
}

/** Removes expired documents. */
export async function purgeCalls({ store, clock }: CallsEnvironment): Promise<void> {
  const until = clock.now() - IDEMPOTENCY_RETENTION_MS;
  await purge(store, { collection: COLLECTION, filter: { since: { $lte: until } } });
}

/** With `upsert`, a document that another writer has changed shows as a duplicate. */
function replacement(
  { _id, holder, heldAt }: CallDocument,
  next: Omit<CallDocument, '_id'>,
): Write {
  const filter = { _id, holder, heldAt };
  return { update: COLLECTION, filter, change: { $set: next }, upsert: true };
}

/** False where another writer was faster. */
async function isWritten(store: Store, write: Write): Promise<boolean> {
  const [outcome] = await store.commit([write]);
  if (outcome?.ok) return true;
  if (outcome && 'duplicate' in outcome) return false;
  throw new Error('the call was not claimed', { cause: outcome });
}

function asHeld(since: number): IdempotencyClaimed {
  return { claimed: 'held', since };
}

const PURGE_EVERY_MS = 10 * 60 * 1000;

/** Runs as long as the process lives: the next sweep repeats a failed one. */
export function startRetention(environment: Pick<Environment, 'store' | 'clock' | 'log'>): void {
  runPeriodically(environment, {
    firstMs: PURGE_EVERY_MS,
    everyMs: () => PURGE_EVERY_MS,
    failed: 'purge of expired documents failed',
    run: async () =>
      void (await Promise.all([
        purgeCalls(environment),
        purgeCompleted(environment),
        purgePeople(environment),
        purgeQuickReplies(environment),
      ])),
  });
}
