/** Writes to counter documents and to the collections they count, and queries of both. */
import fc from 'fast-check';
import {
  type CountedCollection,
  facetFilter,
  facetOf,
  UNCOUNTED,
} from '../../../../../actors/counters/counted-collection.ts';
import { COUNTED_COLLECTIONS } from '../../../../../actors/counters/counted-collections.ts';
import { BATCHES, COUNTERS } from '../../../../../actors/counters/counter-document.ts';
import type { Filter, Write } from '../../../../support/plain-store.ts';
import type { Operation } from './operation.ts';
import {
  beyond,
  byId,
  committed,
  count,
  earlier,
  either,
  few,
  find,
  findOne,
  idsIn,
  inserted,
  moment,
  ORG,
  only,
  someOf,
  updated,
} from './words.ts';

/** As the records and the log of these sequences have them. */
const DOCUMENTS: Readonly<Record<string, readonly string[]>> = {
  contacts: ['ctc_1', 'ctc_2', 'ctc_3'],
  conversations: ['cnv_a', 'cnv_b'],
  deals: ['deal_1', 'deal_2'],
  tasks: ['task_1', 'task_2', 'task_3'],
};
const VALUES: Readonly<Record<string, readonly unknown[]>> = {
  'snapshot.channelId': ['chn_1', 'chn_2'],
  'snapshot.status': ['open', 'in_flow'],
  'state.stageId': ['stg_1', 'stg_2'],
  'state.pipelineId': ['pip_1'],
  'state.status': ['open', 'won'],
  'state.assigneeId': [null, 'mem_1'],
  'state.done': [false, true],
};

const at = few;
const counterDocumentOf = ({ collection }: CountedCollection) => `${collection}:${ORG}`;

function facetOfSome({ facets }: CountedCollection): fc.Arbitrary<string> {
  return fc
    .tuple(...facets.map(({ path }) => fc.constantFrom(...(VALUES[path] ?? []))))
    .map(facetOf);
}

function idsOf({ collection }: CountedCollection): fc.Arbitrary<string[]> {
  return someOf(DOCUMENTS[collection] ?? []);
}

function idOf({ collection }: CountedCollection): fc.Arbitrary<string> {
  return fc.constantFrom(...(DOCUMENTS[collection] ?? []));
}

/** Told how they are counted: those as they were read, then all; with `counted` and without. */
function told(place: CountedCollection): fc.Arbitrary<Write> {
  const { collection, revision } = place;
  return fc
    .record({
      $in: idsOf(place),
      to: facetOfSome(place),
      at,
      bare: fc.boolean(),
      now: fc.option(at),
    })
    .map(({ $in, to, at: version, bare, now }) => {
      const untold = { _id: { $in }, 'counted.at': bare ? { $exists: false } : { $lt: version } };
      const $set = { counted: { of: to, at: version } };
      if (now === null) return { ...updated(collection, untold, { $set }), many: true };
      const asRead = { ...untold, ...facetFilter(place, to), [revision]: now };
      return { ...updated(collection, asRead, { $set, $unset: { recount: '' } }), many: true };
    });
}

function said(place: CountedCollection): fc.Arbitrary<Write> {
  const { collection } = place;
  return fc.tuple(idOf(place), facetOfSome(place)).map(([_id, of]) => {
    const uncounted = { _id, counted: { $exists: false }, ...facetFilter(place, of) };
    return updated(collection, uncounted, { $set: { counted: { of, at: 0 } } });
  });
}

function markedDirty(place: CountedCollection): fc.Arbitrary<Write> {
  const { collection } = place;
  return fc.tuple(idOf(place), fc.boolean()).map(([_id, isNew]) => {
    const $set = { recount: ORG, ...(isNew ? UNCOUNTED : {}) };
    return updated(collection, { _id }, { $set });
  });
}

function counterWrites(place: CountedCollection): fc.Arbitrary<Write> {
  const counts = fc.array(fc.record({ of: facetOfSome(place), n: few }), { maxLength: 2 });
  return fc
    .record({ version: at, counts, isNew: fc.boolean(), empties: fc.boolean() })
    .map(({ version, counts: known, isNew, empties }): Write => {
      const _id = counterDocumentOf(place);
      const fields = { orgId: ORG, version: version + 1, counts: known, folding: [], recounted: 1 };
      if (isNew) return { insert: COUNTERS, document: { _id, ...fields } };
      const filter = { _id, version };
      if (empties) return { update: COUNTERS, filter, change: { $set: { folding: [] } } };
      return { update: COUNTERS, filter, change: { $set: fields }, upsert: true };
    });
}

const ids = ['ctc_1'];
const stepOf = (version: number): string => `contacts:${ORG}:${version}`;
const steps: fc.Arbitrary<Write> = fc.oneof(
  fc
    .record({ version: at, at: moment })
    .map(({ version, at: when }) => inserted(BATCHES, { _id: stepOf(version), ids, at: when })),
  fc
    .tuple(earlier, idsIn([1, 2, 3].map(stepOf)))
    .map(([when, filter]): Write => ({ remove: BATCHES, filter: { at: when, ...filter } })),
);
const outdatedSteps = find(BATCHES, fc.record({ at: earlier }), { limit: 2, ...only('_id') });

function readsOf(place: CountedCollection): fc.Arbitrary<Operation> {
  const { collection, orgId, facets, revision } = place;
  const own = facets.map(({ path }) => path);
  const all = only(orgId, revision, ...own, 'counted');
  const waiting: fc.Arbitrary<Filter> = fc.constant({ recount: ORG });
  const after = fc.record({ recount: beyond(either('', 'org_0', ORG)) });
  const counted = facetOfSome(place).map((of) => ({ [orgId]: ORG, ...facetFilter(place, of) }));
  const untold = idsOf(place).map(($in) => ({ _id: { $in }, counted: { $exists: false } }));
  const everCounted = { 'counted.of': { $ne: '' }, [orgId]: { $in: [ORG, `~${ORG}`] } };
  return fc.oneof(
    findOne(collection, fc.constant(everCounted), only('counted')),
    find(collection, waiting, all),
    find(collection, waiting, { ...all, sort: { _id: 1 }, limit: 2 }),
    findOne(collection, after, { sort: { recount: 1 }, ...only('recount') }),
    findOne(collection, after, only('_id')),
    count(collection, fc.constant({ [orgId]: ORG })),
    count(collection, counted),
    find(collection, untold, only(...own)),
    ...walked(place),
  );
}

/** The next value of each facet but the last, as the counting of everything walks along them. */
function walked({ collection, orgId, facets }: CountedCollection): fc.Arbitrary<Operation>[] {
  const paths = facets.map(({ path }) => path);
  return paths.slice(0, -1).flatMap((path, depth) => {
    const within: Record<string, fc.Arbitrary<unknown>> = { [orgId]: fc.constant(ORG) };
    for (const before of paths.slice(0, depth)) {
      within[before] = fc.constantFrom(...(VALUES[before] ?? []));
    }
    const value = fc.constantFrom(...(VALUES[path] ?? []));
    return [value, value.map(($gt) => ({ $gt }))].map((wanted) =>
      findOne(collection, fc.record({ ...within, [path]: wanted }), {
        sort: { [path]: 1 },
        project: { [path]: 1 },
      }),
    );
  });
}

const counterReads: fc.Arbitrary<Operation> = fc
  .constantFrom(...COUNTED_COLLECTIONS)
  .chain((place) => {
    const _id = { $gte: `${place.collection}:`, $lt: `${place.collection}:\uffff` };
    return fc.oneof(
      byId(COUNTERS, fc.constant(counterDocumentOf(place))),
      find(COUNTERS, fc.constant({ _id }), { limit: 3 }),
    );
  });

export function counterOperations(collections: readonly string[]): fc.Arbitrary<Operation> {
  const places = fc.constantFrom(
    ...COUNTED_COLLECTIONS.filter(({ collection }) => collections.includes(collection)),
  );
  return fc.oneof(
    {
      arbitrary: places.chain((place) =>
        committed(fc.oneof(markedDirty(place), told(place), said(place), counterWrites(place))),
      ),
      weight: 3,
    },
    { arbitrary: places.chain(readsOf), weight: 3 },
    { arbitrary: counterReads, weight: 1 },
    { arbitrary: committed(steps), weight: 1 },
    { arbitrary: outdatedSteps, weight: 1 },
  );
}
