/** Every operator that is known, on values of every type: beyond what actors ask just now. */
import fc from 'fast-check';
import type { Filter, Write } from '../../../../support/plain-store.ts';
import type { Operation } from './operation.ts';
import { committed, count, either, few, find } from './words.ts';

const COLLECTION = 'corners';

const ID = either('1', '2', '3');

const scalar = either<unknown>(null, 0, 1, 2, 'x', 'é', '｡', '👍', true, false);
const fields = fc.record({ c: scalar, d: scalar }, { requiredKeys: [] });
const value: fc.Arbitrary<unknown> = fc.oneof(
  { arbitrary: scalar, weight: 4 },
  fields,
  fc.array(scalar, { maxLength: 2 }),
);
const elements = fc.array(fields, { maxLength: 2 });

const inserted: fc.Arbitrary<Write> = fc
  .tuple(
    ID,
    fc.record(
      { a: value, b: fields, e: elements, list: fc.array(scalar, { maxLength: 2 }), n: few },
      { requiredKeys: [] },
    ),
  )
  .map(([_id, rest]) => ({ insert: COLLECTION, document: { ...rest, _id } }));

const change = fc.record(
  {
    $set: fc.record({ s: few, a: value, 'b.d': scalar, 'f.g.h': scalar }, { requiredKeys: ['s'] }),
    $unset: either({ k: '' }, { 'b.c': '' }, { 'z.y': '' }),
    $inc: fc.record({ n: few }),
    $max: fc.record({ m: value }),
    $min: fc.record({ l: value }),
    $setOnInsert: fc.record({ once: few }),
    $push: fc.oneof(
      fc.record({ list: fc.record({ $each: fc.array(scalar), $slice: either(-2, -1, 0) }) }),
      fc.record({ list: scalar }),
    ),
  },
  { requiredKeys: ['$set'] },
);
const pipeline = either<readonly Readonly<Record<string, unknown>>[]>(
  [{ $set: { a: '$missing' } }],
  [{ $set: { k: { $ifNull: ['$a', 7] } } }, { $set: { a: { $cond: [true, '$$REMOVE', 1] } } }],
  [{ $set: { k: { $cond: [{ $eq: ['$a', null] }, 'null', '$n'] } } }],
  [
    {
      $set: { e: { $filter: { input: { $ifNull: ['$e', []] }, cond: { $eq: ['$$this.c', 1] } } } },
    },
  ],
  [{ $set: { a: { $literal: ['$n'] }, n: '$n' } }],
);

const ranges = either('$lt', '$lte', '$gt', '$gte', '$eq', '$ne');
const wantedOf = (operand: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.oneof(
    operand,
    fc.tuple(ranges, scalar).map(([operator, bound]) => ({ [operator]: bound })),
    fc
      .tuple(either('$in', '$nin'), fc.array(operand, { maxLength: 2 }))
      .map(([operator, list]) => ({ [operator]: list })),
    fc.record({ $gt: few, $lte: few }),
    fc.record({ $exists: either(true, false) }),
    fc.record({ $regex: either('x', '^.$') }),
  );
const path = either('a', 'b', 'b.c', 'list', 'n', 'none.at.all');
// No actor compares whole arrays with what lies behind an array.
const behindArray = wantedOf(scalar).map((wanted): Filter => ({ 'e.c': wanted }));
const filter: fc.Arbitrary<Filter> = fc
  .tuple(fc.dictionary(path, wantedOf(value), { maxKeys: 2 }), fc.option(behindArray, { nil: {} }))
  .map(([plain, behind]) => ({ ...plain, ...behind }));

const updated: fc.Arbitrary<Write> = fc
  .record({
    filter: fc.oneof(
      ID.map((_id) => ({ _id })),
      fc.tuple(ID, few).map(([_id, n]) => ({ _id, n })),
    ),
    change: fc.oneof({ arbitrary: change, weight: 3 }, pipeline),
    upsert: fc.boolean(),
  })
  .map(({ filter: found, change: how, upsert }) => ({
    update: COLLECTION,
    filter: found,
    change: how,
    upsert: upsert && !Array.isArray(how),
  }));

const project = fc.oneof(
  fc
    .uniqueArray(either('a', 'b.c', 'e.c', 'list', 'none.at.all'), { minLength: 1, maxLength: 3 })
    .map((paths) => Object.fromEntries(paths.map((each): [string, 1] => [each, 1]))),
  fc
    .uniqueArray(either('a', 'b.c', 'e.c'), { minLength: 1, maxLength: 3 })
    .map((paths) => Object.fromEntries(paths.map((each): [string, 0] => [each, 0]))),
);
const sort = either<Readonly<Record<string, 1 | -1>>>({ s: 1 }, { n: -1, _id: 1 }, { 'b.c': -1 });

export const corners: fc.Arbitrary<Operation> = fc.oneof(
  { arbitrary: committed(inserted), weight: 2 },
  { arbitrary: committed(updated), weight: 2 },
  committed(filter.map((each) => ({ remove: COLLECTION, filter: { ...each, n: 3 } }))),
  { arbitrary: find(COLLECTION, filter), weight: 3 },
  count(COLLECTION, filter),
  fc
    .tuple(find(COLLECTION, filter), sort, project)
    .map(([read, by, only]) => ({ ...read, options: { sort: by, project: only } })),
);
