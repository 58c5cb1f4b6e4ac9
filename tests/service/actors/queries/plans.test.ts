/**
 * The plan of every question that the actors put to the record: none reads a whole collection, none
 * sorts what it has read. The questions are those that the code itself asks: in simulated worlds,
 * and in lists with every combination of filters. A line of code that asks and was not seen asking
 * fails the test.
 */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  COUNTED_COLLECTIONS,
  COUNTED_CONTACTS,
} from '../../../../actors/counters/counted-collections.ts';
import { applyBatch, readCounter } from '../../../../actors/counters/counter-document.ts';
import { recountAll } from '../../../../actors/counters/recount.ts';
import { RecountRequests } from '../../../../actors/counters/recount-request.ts';
import type { Environment } from '../../../../actors/environment.ts';
import { listContacts } from '../../../../actors/queries/conversations/contacts.ts';
import type { Lists } from '../../../../actors/queries/lists/page.ts';
import { OrganizationScheduler } from '../../../../actors/runtime/organization-scheduler.ts';
import { IndexCache } from '../../../../actors/search/index-cache.ts';
import { createIds } from '../../../../infra/adapters/ids/ids.ts';
import { simulate } from '../../../faults/simulation/simulate.ts';
import { type Engine, SILENT, startEngine } from '../../../support/engine.ts';
import type { Filter, Store, Write } from '../../../support/plain-store.ts';
import { UNHEARD } from '../../../support/unheard.ts';
import { BESIDE } from './beside.ts';
import { planOf } from './explain.ts';
import { askEveryQuery } from './lists.ts';
import { RARE_QUESTIONS } from './rare-questions.ts';
import { type Question, Recorder } from './recorder.ts';
import { FIXTURE_ROWS, insertRowsFixture, ORG } from './rows-fixture.ts';
import { askingLines } from './sites.ts';
import { TEMPLATE_QUESTIONS } from './template-questions.ts';

const WORLDS = 15;
/**
 * The queries that a seed covers move with every change of the code: so many worlds until all were
 * seen.
 */
const WORLDS_MAX = 60;
const SHOWN = 25;
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

let engine: Engine;
const recorder = new Recorder();
before(async () => {
  engine = await startEngine();
  await insertRowsFixture(engine.mongo.db);
  for (let seed = 1; seed <= WORLDS; seed++) await simulate(seed, { watch: recorder.watch });
  const environment = emptyEnvironment();
  assert.deepEqual(await askEveryQuery(listsOf(environment)), []);
  await search({ ...environment, store: recorder.watch(engine.store) });
  for (let seed = WORLDS + 1; seed <= WORLDS_MAX && unseen().length > 0; seed++) {
    await simulate(seed, { watch: recorder.watch });
  }
});
after(() => engine?.close());

test('every question is answered by an index, in its order', async () => {
  const found = [...BESIDE, ...RARE_QUESTIONS, ...TEMPLATE_QUESTIONS];
  const beside = found.map((asked) => ({ how: 'find' as const, ...asked }));
  const questions = [...recorder.questions, ...beside];
  const wrong: string[] = [];
  for (const question of questions) wrong.push(...(await faultsOf(question)));
  assert.deepEqual(wrong.slice(0, SHOWN), []);
});

test('no line asks that was not seen asking', () => {
  assert.deepEqual(unseen(), []);
});

function unseen(): readonly string[] {
  const asked = [...recorder.questions, ...BESIDE, ...RARE_QUESTIONS, ...TEMPLATE_QUESTIONS];
  const seen = new Set(asked.map(({ site }) => site));
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
  for (const counted of COUNTED_COLLECTIONS) {
    await recountAll(environment.store, counted, { orgId: ORG, now: Date.now() });
  }
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
  participants: [],
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
    existsEach: (questions: readonly unknown[]) => Promise.resolve(questions.map(() => true)),
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
    log: SILENT,
    live: UNHEARD,
    settings: { publicUrl: 'http://recado.example' },
    readBarrier: { pass: () => Promise.resolve() },
    bus: { ask: () => Promise.resolve({ status: 200, body: '[]' }), nudge: SILENT.debug },
  };
  return environment as unknown as Environment;
}
