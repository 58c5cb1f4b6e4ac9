/**
 * `recado doctor --recount`: counts all documents of all organizations again. Each part of the
 * answer is one collection of one organization, by its counter's compare-and-set.
 */
import { COUNTED_COLLECTIONS } from '../counters/counted-collections.ts';
import { sizeOf } from '../counters/counter-document.ts';
import { isCorrected, type RecountResult, recountAll } from '../counters/recount.ts';
import type { Query } from './lists/answer.ts';

/** Where documents change too fast, the operator repeats the command. */
const TRIES = 5;

export const recount: Query<'recount'> = async ({ store, clock }, { orgId = '', step = 0 }) => {
  const organization = await store.findOne(
    'organizations',
    { _id: step > 0 ? orgId : { $gt: orgId } },
    { sort: { _id: 1 }, project: { ref: 1 } },
  );
  const begin = orgId === '' ? '[' : '';
  const countedCollection = COUNTED_COLLECTIONS[step];
  if (!organization || !countedCollection) return { status: 200, body: `${begin}]` };
  const { _id, ref } = organization;
  let result: RecountResult | null = null;
  for (let tries = 0; tries < TRIES && result === null; tries++) {
    result = await recountAll(store, countedCollection, { orgId: _id, now: clock.now() });
  }
  const row = { organization: ref, collection: countedCollection.collection, ...shown(result) };
  const payload = { orgId: _id, step: (step + 1) % COUNTED_COLLECTIONS.length };
  const body = `${begin || ','}${JSON.stringify(row)}`;
  return { status: 200, body, rest: { resource: 'recount', payload } };
};

function shown(result: RecountResult | null) {
  if (result === null) return { before: null, counted: null, corrected: null };
  const { before, after } = result;
  const corrected = isCorrected(result);
  return { before: before && sizeOf(before), counted: sizeOf(after), corrected };
}
