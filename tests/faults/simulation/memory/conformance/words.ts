/** The few names and moments that generated operations use: they must meet. */
import fc from 'fast-check';
import { partitionOf, shelfFor } from '../../../../../shared/wire/subjects.ts';
import type {
  Document,
  Filter,
  FindOptions,
  Stored,
  Unkeyed,
  Write,
} from '../../../../support/plain-store.ts';
import type { Operation, Read } from './operation.ts';

export const ORG = 'org_1';
export const CHANNELS = ['chn_1', 'chn_2'] as const;
/** Small, so that many of them are the same. */
export const moment = fc.integer({ min: 1, max: 12 });
export const few = fc.integer({ min: 0, max: 3 });
export const text = fc.constantFrom('', 'oi', 'Olá', 'preço (R$ 5)', '👍🏽');

export function either<const T>(...values: readonly T[]): fc.Arbitrary<T> {
  return fc.constantFrom(...values);
}

export function someOf<const T>(values: readonly T[]): fc.Arbitrary<T[]> {
  return fc.subarray([...values]);
}

export function idsIn(values: readonly string[]) {
  return someOf(values).map(($in) => ({ _id: { $in } }));
}

export const there = fc.constant({ $exists: true });
export const due = moment.map(($lte) => ({ $lte }));
export const earlier = moment.map(($lt) => ({ $lt }));
export const channelPartitions = CHANNELS.map((id) => shelfFor('channel', id));
export const channelsIn = someOf(channelPartitions).map(($in) => ({ $in }));

/** Of a shelf that has several owners; documents of before have no place. */
export const placesIn = someOf([3, ...CHANNELS.map((id) => partitionOf('channel', id))]).map(
  (places) => ({ $in: [null, ...places] }),
);

/** Of one class; a normal message has none. */
export const ofUrgency = either<string | { readonly $exists: false }>('reply', 'bulk', {
  $exists: false,
});

export function noneOf(values: readonly string[]) {
  return someOf(values).map(($nin) => ({ $nin }));
}

export function beyond(id: fc.Arbitrary<string>) {
  return id.map(($gt) => ({ $gt }));
}

/** Of each document only these fields. */
export function only(...paths: readonly string[]) {
  return { project: Object.fromEntries(paths.map((path) => [path, 1 as const])) };
}

export function inserted(insert: string, document: Document | Stored): Write {
  return { insert, document };
}

type Change = Readonly<Record<string, object>>;

export function updated(update: Unkeyed, filter: Filter, change: Change): Write {
  return { update, filter, change };
}

/** Changes the document, and makes it where there is none. */
export function upserted(update: Unkeyed, filter: Filter, change: Change): Write {
  return { update, filter, change, upsert: true };
}

export function committed(write: fc.Arbitrary<Write>): fc.Arbitrary<Operation> {
  return write.map((each) => ({ commit: [each] }));
}

/** One group, as a process's turns of one moment make it: inserts and changes travel apart. */
export function group(write: fc.Arbitrary<Write>): fc.Arbitrary<Operation> {
  return fc.array(write, { minLength: 1, maxLength: 5 }).map((commit) => ({ commit }));
}

type Filters = fc.Arbitrary<Filter>;

function reading(read: Read['read']) {
  return (collection: string, filter: Filters, options: FindOptions = {}): fc.Arbitrary<Read> =>
    filter.map((wanted) => ({ read, collection, filter: wanted, options }));
}

export const find = reading('find');
export const findOne = reading('findOne');

export function count(collection: string, filter: Filters): fc.Arbitrary<Read> {
  return reading('count')(collection, filter);
}

export function byId(collection: string, id: fc.Arbitrary<string>): fc.Arbitrary<Read> {
  return reading('byId')(
    collection,
    id.map((_id) => ({ _id })),
  );
}

/** The same read at different pages. */
export function paged(
  collection: string,
  filter: Filters,
  options: FindOptions,
): fc.Arbitrary<Read> {
  return fc
    .tuple(find(collection, filter, options), few, fc.integer({ min: 1, max: 3 }))
    .map(([read, skip, limit]) => ({ ...read, options: { ...options, skip, limit } }));
}
