/** Opt-out of a conversation's contact: on its record, said by a word, and after a join. */
import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { hasOptedOut, readAnswering } from '../../../../actors/contact/opt-outs.ts';
import { outboxCommand } from '../../../../shared/wire/outbox.ts';
import { shelfFor } from '../../../../shared/wire/subjects.ts';
import { modelStore } from '../../../faults/fencing/model-store.ts';
import { Database } from '../../../faults/simulation/memory/database.ts';
import { conversationFixture, NOW } from '../../../support/actors/domain/message-fixture.ts';
import type { Filter, FindOptions, Store, Stored } from '../../../support/plain-store.ts';

let database: Database;
let store: Store;

beforeEach(() => {
  database = new Database();
  store = modelStore(database);
});

function contact(id: string, more: object): void {
  database.apply({
    insert: 'contacts',
    document: { _id: id, optIn: false, optOutAt: null, ...more },
  });
}

function entry(seq: number, more: Readonly<Record<string, unknown>>): void {
  const { id = 'cnv_1', ...over } = more;
  const after = conversationFixture({ id: String(id), seq, at: NOW, ...Object(over.after) });
  const document = { _id: `${id}-${seq}`, conversationId: id, seq, ...over, after };
  database.apply({ insert: 'entries', document });
}

const OPT_OUT = { id: 'opt', orgId: 'org_1', phone: '5511', optIn: false } as const;
const WORD = { ...OPT_OUT, type: 'opt', source: 'contact', origin: 'contact' } as const;
const STEP = { ...OPT_OUT, type: 'flow-change', runId: 'run_1' } as const;

/** An entry whose command may be unpublished: the contact's word, or a flow's step. */
function said(command: typeof WORD | typeof STEP = WORD, seq = 1): void {
  const item = outboxCommand({ to: { kind: 'contact', key: 'ctc_1' }, command });
  entry(seq, { pending: shelfFor('conversation', 'cnv_1'), outbox: [item] });
}

/** After the first read the contact’s record has the word, and the outbox is empty. */
function moveAfterOneRead(): Store {
  let isMoved = false;
  const move = (): void => {
    if (isMoved) return;
    isMoved = true;
    const record = { $set: { optIn: false, optOutAt: NOW } };
    database.apply({ update: 'contacts', filter: { _id: 'ctc_1' }, change: record });
    const change = { $unset: { outbox: '', pending: '' } };
    const filter = { _id: 'cnv_1-1', conversationId: 'cnv_1' };
    database.apply({ update: 'entries', filter, change });
  };
  return {
    ...store,
    byId: async <T extends Stored>(from: string, id: string) => {
      const found = await store.byId<T>(from, id);
      move();
      return found;
    },
    find: async <T extends Stored>(from: string, filter: Filter, options?: FindOptions) => {
      const found = await store.find<T>(from, filter, options);
      move();
      return found;
    },
  };
}

test('a contact who never said anything, or has opted in, may be written to', async () => {
  assert.equal(await hasOptedOut(store, conversationFixture()), false);
  contact('ctc_1', { optIn: true, optInAt: NOW, optOutAt: NOW - 1 });
  assert.equal(await hasOptedOut(store, conversationFixture()), false);
});

test('an opt-out on the record counts, also of a contact who was merged', async () => {
  contact('ctc_1', { mergedInto: 'ctc_2' });
  contact('ctc_2', { optOutAt: NOW });
  assert.equal(await hasOptedOut(store, conversationFixture()), true);
});

test('a word counts once its message is recorded, until a later opt-in', async () => {
  contact('ctc_1', { optIn: true, optInAt: NOW - 5, optOutAt: null });
  said();
  assert.equal(await hasOptedOut(store, conversationFixture()), true);
  const change = { $set: { optInAt: NOW + 5 } };
  database.apply({ update: 'contacts', filter: { _id: 'ctc_1' }, change });
  assert.equal(await hasOptedOut(store, conversationFixture()), false);
});

test('a word counts while its command leaves the outbox for the contact’s record', async () => {
  contact('ctc_1', { optIn: true, optInAt: NOW - 5 });
  said();
  const moving = moveAfterOneRead();
  assert.equal(await hasOptedOut(moving, conversationFixture()), true);
});

test('a run’s own opt-out, committed or on its way, keeps back what others say alone', async () => {
  const counts = (runId?: string) => hasOptedOut(store, conversationFixture(), runId);
  contact('ctc_1', { optIn: true, optInAt: NOW - 5 });
  said(STEP);
  assert.deepEqual(
    [await counts('run_1'), await counts('run_2'), await counts()],
    [false, true, true],
  );
  const record = { optIn: false, optOutAt: NOW, optOutRunId: 'run_1' };
  database.apply({ update: 'contacts', filter: { _id: 'ctc_1' }, change: { $set: record } });
  assert.deepEqual(
    [await counts('run_1'), await counts('run_2'), await counts()],
    [false, true, true],
  );
  said(WORD, 2);
  assert.equal(await counts('run_1'), true, 'the contact says so too');
});

test('a conversation that was joined is answered for by the one that stays', async () => {
  entry(1, { id: 'cnv_young', after: { joinedTo: 'cnv_1' } });
  entry(1, { after: { networkId: 'newest' } });
  assert.equal((await readAnswering(store, 'cnv_young'))?.networkId, 'newest');
  assert.equal((await readAnswering(store, 'cnv_1'))?.id, 'cnv_1');
  assert.equal(await readAnswering(store, 'cnv_unknown'), null);
});
