/**
 * The plan of every question that the actors put to the record: none reads a whole collection, none
 * sorts what it has read. The questions are those that the code itself asks: in simulated worlds,
 * and in lists with every combination of filters. A line of code that asks and was not seen asking
 * fails the test.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { COUNTED_CONTACTS } from '../../../actors/counters/counted-collections.ts';
import { applyBatch, readCounter } from '../../../actors/counters/counter-document.ts';
import { recountAll } from '../../../actors/counters/recount.ts';
import { RecountRequests } from '../../../actors/counters/recount-request.ts';
import type { Environment } from '../../../actors/environment.ts';
import { agendaAges } from '../../../actors/operations/agendas.ts';
import { listContacts } from '../../../actors/queries/contacts.ts';
import type { Lists } from '../../../actors/queries/page.ts';
import { OrganizationScheduler } from '../../../actors/runtime/organization-scheduler.ts';
import { IndexCache } from '../../../actors/search/index-cache.ts';
import { createIds } from '../../../infra/adapters/ids/ids.ts';
import type { Filter, IndexKeys, Store, Write } from '../../../shared/ports/store.ts';
import { simulate } from '../../simulation/simulate.ts';
import { type OpenEngine, openEngine, silent } from '../../support/engine.ts';
import { planOf } from './explain.ts';
import { askEveryQuery } from './lists.ts';
import { type Question, Recorder } from './recorder.ts';
import { FIXTURE_ROWS, insertRowsFixture, ORG } from './rows-fixture.ts';
import { askingLines } from './sites.ts';

const WORLDS = 15;
/**
 * The queries that a seed covers move with every change of the code: so many worlds until all were
 * seen.
 */
const WORLDS_MAX = 60;
const SHOWN = 25;
/** Where simulated worlds do not come: long backlogs, restrictions, and what operators do. */
const BESIDE: readonly Pick<Question, 'site' | 'collection' | 'filter' | 'options'>[] = [
  {
    site: 'actors/organization/documents.ts 3',
    collection: 'tags',
    filter: { _id: { $gte: `${ORG}/`, $lt: `${ORG}0` } },
    options: { sort: { _id: 1 }, limit: 1_000 },
  },
  {
    site: 'actors/flow/organization.ts 1',
    collection: 'conversations',
    filter: { 'snapshot.orgId': ORG, 'snapshot.contactId': 'ctc_1' },
    options: { sort: { 'snapshot.lastMessageAt': -1, _id: -1 }, limit: 1 },
  },
  // Asked only where a timer could not move, which few worlds meet.
  {
    site: 'actors/flow/timer-buffer.ts 1',
    collection: 'entries',
    filter: { conversationId: 'cnv_1', seq: 9 },
    options: { limit: 1, project: { timer: 1 } },
  },
  ...pagesAfter(
    'entries',
    {
      ...{ timer: { $exists: true }, 'timer.partition': { $in: [1, 2, 3] } },
      ...{ 'timer.at': { $lte: 1_000 }, 'timer.orgId': { $nin: ['org_full'] } },
    },
    { 'timer.partition': 1, 'timer.at': 1, _id: 1, 'timer.orgId': 1 },
  ),
  ...pagesAfter(
    'tasks',
    { partition: { $in: [1, 2, 3] }, remindAt: { $lte: 1_000 }, pending: { $exists: false } },
    { partition: 1, remindAt: 1, _id: 1 },
  ),
  ...pagesAfter(
    'deliveries',
    {
      ...{ 'state.status': 'pending', partition: { $in: [1, 2, 3] } },
      ...{ 'state.nextAttemptAt': { $lte: 1_000 }, subscriptionId: { $nin: ['sub_busy'] } },
    },
    { partition: 1, 'state.nextAttemptAt': 1, _id: 1 },
  ),
  {
    site: 'actors/queries/parts.ts 1',
    collection: 'entries',
    filter: { _id: { $in: ['msg_1', 'msg_2'] } },
    options: { wholeMaxBytes: 8192 },
  },
  {
    site: 'actors/queries/joined.ts 1',
    collection: 'entries',
    filter: { conversationId: 'cnv_1', seq: { $lt: 9 }, message: { $exists: true } },
    options: { sort: { seq: -1 }, limit: 200, project: { seq: 1, message: 1 } },
  },
  {
    site: 'actors/search/contact-index.ts 4',
    collection: 'contacts',
    filter: { _id: { $in: ['ctc_1', 'ctc_2'] } },
    options: { project: { search: 1, updatedAt: 1 } },
  },
  {
    site: 'actors/channel/first-contacts.ts 1',
    collection: 'entries',
    filter: { conversationId: 'cnv_1' },
    options: { sort: { seq: -1 }, limit: 1, project: { after: 1 } },
  },
  {
    site: 'actors/conversation/kind.ts 3',
    collection: 'entries',
    filter: { pending: 3, _id: { $gt: 'msg_1' } },
    options: { sort: { _id: 1 }, limit: 500 },
  },
  {
    site: 'actors/task/reminder-sender.ts 1',
    collection: 'tasks',
    filter: { _id: 'task_1' },
    options: { limit: 1 },
  },
  {
    site: 'actors/subscription/actor.ts 1',
    collection: 'deliveries',
    filter: { subscriptionId: 'sub_1', _id: { $in: ['dlv_1', 'dlv_5'] } },
    options: {},
  },
  {
    site: 'actors/subscription/actor.ts 2',
    collection: 'deliveries',
    filter: {
      subscriptionId: 'sub_1',
      'state.status': { $in: ['failed', 'parked'] },
      createdAt: { $gte: 10, $lte: 1_000 },
    },
    options: { sort: { createdAt: 1, _id: 1 }, limit: 500 },
  },
  {
    site: 'actors/subscription/retry.ts 1',
    collection: 'deliveries',
    filter: { _id: { $in: ['dlv_1', 'dlv_5'] } },
    options: {},
  },
  ...[{ 'state.nextAttemptAt': 1 } as const, { createdAt: 1, _id: 1 } as const].map((sort) => ({
    site: 'actors/subscription/triage.ts 1',
    collection: 'deliveries',
    filter: { subscriptionId: 'sub_3', 'state.series': 1 },
    options: { sort, limit: 200 },
  })),
];

/** Pages of an agenda after its first: of the last document's time, and later. */
function pagesAfter(collection: string, filter: Filter, index: IndexKeys) {
  const path = ['timer.at', 'remindAt', 'state.nextAttemptAt'].find((each) => each in filter) ?? '';
  const later = { ...filter, [path]: { ...Object(filter[path]), $gt: 500 } };
  const ofOneTime = { ...filter, [path]: 500, _id: { $gt: 'msg_1' } };
  const at = { site: 'actors/runtime/pages.ts 1', collection };
  const sort = { [path]: 1, _id: 1 } as const;
  return [
    { ...at, filter: later, options: { sort, limit: 1_000 } },
    { ...at, filter: ofOneTime, options: { sort: { _id: 1 } as const, limit: 1_000, index } },
  ];
}

/** Installations hold few organizations, and read them all. */
const READS_ALL: ReadonlySet<string> = new Set(['organizations']);
/** A contact has one conversation for each channel: few enough to be sorted. */
const SORTS_FEW: ReadonlySet<string> = new Set(['snapshot.contactId']);
/**
 * One contact, deal, conversation or agenda has few documents: the rest of the filter is checked on
 * each of them.
 */
const READS_FEW: ReadonlySet<string> = new Set([
  ...SORTS_FEW,
  'state.contactId',
  'state.dealId',
  'conversationId',
  'remindAt',
]);

/** Deliveries are listed by their operators, 10,000 at most. */
const OPERATORS_ASK: ReadonlySet<string> = new Set(['deliveries']);

let engine: OpenEngine;
const recorder = new Recorder();
before(async () => {
  engine = await openEngine();
  await insertRowsFixture(engine.mongo.db);
  for (let seed = 1; seed <= WORLDS; seed++) await simulate(seed, { watch: recorder.watch });
  const environment = emptyEnvironment();
  assert.deepEqual(await askEveryQuery(listsOf(environment)), []);
  const names = ['channel.1', 'channel.2', 'subscription.1', 'subscription.2'];
  await agendaAges({ store: environment.store, names, now: Date.now() });
  await search({ ...environment, store: recorder.watch(engine.store) });
  for (let seed = WORLDS + 1; seed <= WORLDS_MAX && unseen().length > 0; seed++) {
    await simulate(seed, { watch: recorder.watch });
  }
});
after(() => engine?.close());

test('every question is answered by an index, in its order', { timeout: 180_000 }, async () => {
  const beside = BESIDE.map((asked) => ({ ...asked, how: 'find' as const }));
  const questions = [...recorder.questions, ...beside];
  const wrong: string[] = [];
  for (const question of questions) wrong.push(...(await faultsOf(question)));
  assert.deepEqual(wrong.slice(0, SHOWN), []);
});

test('no line asks that was not seen asking', () => {
  assert.deepEqual(unseen(), []);
});

function unseen(): readonly string[] {
  const seen = new Set([...recorder.questions, ...BESIDE].map(({ site }) => site));
  return askingLines().filter((line) => !seen.has(line));
}

async function faultsOf(question: Question): Promise<readonly string[]> {
  const { site, how, collection, filter, options } = question;
  const { stages, returned, documentsRead } = await planOf(engine.mongo.db, question);
  const faults = [
    ...(stages.has('COLLSCAN') && !READS_ALL.has(collection) ? ['reads a whole collection'] : []),
    ...(stages.has('SORT') && !asksFor(filter, SORTS_FEW) ? ['sorts'] : []),
    ...(asksForNone(question) && documentsRead > (how === 'count' ? 0 : returned)
      ? [`reads ${documentsRead} documents to find ${returned}`]
      : []),
  ];
  const asked = `${how} ${collection} ${JSON.stringify(filter)} ${JSON.stringify(options)}`;
  return faults.map((fault) => `${site} ${fault}: ${asked} by ${[...stages].join(' ')}`);
}

function asksFor(filter: Filter, paths: ReadonlySet<string>): boolean {
  return Object.keys(filter).some((path) => paths.has(path));
}

/** Whether more than it answers would be too much to read. */
function asksForNone({ how, collection, filter, options }: Question): boolean {
  const pages = how === 'count' || options.limit !== undefined;
  return pages && !asksFor(filter, READS_FEW) && !OPERATORS_ASK.has(collection);
}

function listsOf(environment: Environment): Lists {
  return {
    environment: environment,
    recountRequests: new RecountRequests(environment),
    indexCache: new IndexCache(environment),
    scheduler: new OrganizationScheduler({ perOrganization: 2, perProcess: 2 }),
  };
}

/** Searches twice: the index is built, then refreshed after a change. */
async function search(environment: Environment): Promise<void> {
  const lists = listsOf(environment);
  await recountAll(environment.store, COUNTED_CONTACTS, { orgId: ORG, now: Date.now() });
  for (let times = 0; times < 2; times++) {
    const payload = { orgId: ORG, query: 'maria', page: 1, limit: 10 };
    const { body } = await listContacts(lists)(environment, payload);
    assert.equal(JSON.parse(body).total, FIXTURE_ROWS);
    const contact = { _id: `ctc_${times}`, orgId: ORG, search: 'maria', updatedAt: 1 };
    const change = { $set: { ...contact, recount: ORG, counted: { of: '[]', at: 0 } } };
    await environment.store.commit([{ update: 'contacts', filter: { _id: contact._id }, change }]);
    const counterDocument = await readCounter(environment.store, COUNTED_CONTACTS, ORG);
    assert.ok(counterDocument);
    await applyBatch(environment.store, COUNTED_CONTACTS, {
      counter: counterDocument,
      now: Date.now(),
    });
  }
}

/** Of a conversation, as much as lists show. */
const CONVERSATION = {
  ...{ contact: { id: 'ctc_1' }, seq: 9, messages: 0, notes: 0 },
  ...{ lastMessageAt: 0, createdAt: 0, automationPausedUntil: null },
};

/** A record that holds nothing but what leads to the next question. */
function emptyEnvironment(): Environment {
  const ones: Readonly<Record<string, object>> = {
    entries: { _id: 'msg_1', after: { ...CONVERSATION, orgId: ORG, channelId: 'chn_0' } },
    organizations: { _id: ORG, channels: [], flows: [], files: [], members: [], pipelines: [] },
  };
  const store = {
    commit: (writes: readonly Write[]) => Promise.resolve(writes.map(() => ({ ok: true }))),
    byId: () => Promise.resolve(null),
    find: () => Promise.resolve([]),
    findOne: (collection: string) => Promise.resolve(ones[collection] ?? null),
    count: () => Promise.resolve(0),
  };
  const environment = {
    store: recorder.watch(store as unknown as Store),
    clock: {
      now: () => Date.now(),
      monotonic: () => performance.now(),
      after: (_ms: number, run: () => void) => {
        const soon = setImmediate(run);
        return () => clearImmediate(soon);
      },
    },
    ids: createIds(Buffer.alloc(32)),
    log: silent,
    settings: { publicUrl: 'http://recado.example' },
    readBarrier: { pass: () => Promise.resolve() },
    bus: { ask: () => Promise.resolve({ status: 200, body: '[]' }), nudge: silent.debug },
  };
  return environment as unknown as Environment;
}
