/** The few names and moments that generated operations use: they must meet. */
import fc from 'fast-check';
import type { Filter, FindOptions, Write } from '../../../../../shared/ports/store.ts';
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

export function committed(write: fc.Arbitrary<Write>): fc.Arbitrary<Operation> {
  return write.map((each) => ({ commit: [each] }));
}

/** One group, as a process's turns of one moment make it: inserts and changes travel apart. */
export function group(write: fc.Arbitrary<Write>): fc.Arbitrary<Operation> {
  return fc.array(write, { minLength: 1, maxLength: 5 }).map((commit) => ({ commit }));
}

interface Reading {
  readonly collection: string;
  readonly filter: fc.Arbitrary<Filter>;
  readonly options?: FindOptions;
}

export function find({ collection, filter, options = {} }: Reading): fc.Arbitrary<Read> {
  return filter.map((wanted) => ({ read: 'find', collection, filter: wanted, options }));
}

export function findOne({ collection, filter, options = {} }: Reading): fc.Arbitrary<Read> {
  return filter.map((wanted) => ({ read: 'findOne', collection, filter: wanted, options }));
}

export function count({ collection, filter }: Reading): fc.Arbitrary<Read> {
  return filter.map((wanted) => ({ read: 'count', collection, filter: wanted, options: {} }));
}

export function byId(collection: string, id: fc.Arbitrary<string>): fc.Arbitrary<Read> {
  return id.map((_id) => ({ read: 'byId', collection, filter: { _id }, options: {} }));
}

/** The same read at different pages. */
export function paged(reading: Reading): fc.Arbitrary<Read> {
  return fc
    .tuple(find(reading), few, fc.integer({ min: 1, max: 3 }))
    .map(([read, skip, limit]) => ({ ...read, options: { ...read.options, skip, limit } }));
}
