/** A group of writes reports the outcome of each, however large the group is. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { createStore } from '../../../infra/adapters/mongo/store.ts';
import { fileEngine } from '../../support/engine.ts';
import type { Document, Store } from '../../support/plain-store.ts';
import { waitFor } from '../../support/wait-for.ts';

/** Groups of many MiB take a slow machine longer than a service may take. */
const LARGE_DEADLINE_MS = 60_000;

const engine = fileEngine();
let store: Store;

before(() => {
  store = createStore(engine.mongo, { deadlineMs: LARGE_DEADLINE_MS });
});

function insert(document: Document) {
  return { insert: 'entries', document: { seq: 1, ...document } } as const;
}

test('more than one command holds is there, and refused one by one', async () => {
  const text = 'ç'.repeat(600_000);
  const large = Array.from({ length: 12 }, (_, n) =>
    insert({ _id: `large_${n % 11}`, conversationId: `cnv_${n}`, text }),
  );
  const outcomes = await store.commit(large);
  assert.deepEqual(outcomes.slice(0, 11), new Array(11).fill({ ok: true }));
  assert.deepEqual(outcomes[11], { ok: false, duplicate: '_id_' });
  const found = await store.find<Document & { readonly text: string }>('entries', {});
  assert.deepEqual(found.map(({ _id }) => _id).sort(), large.slice(0, 11).map(idOf).sort());
  assert.ok(found.every((each) => each.text === text));
});

test('what is refused names the index that refused it', async () => {
  const known = insert({ _id: 'one', conversationId: 'cnv_a' });
  assert.deepEqual(await store.commit([known]), [{ ok: true }]);
  const outcomes = await store.commit([
    insert({ _id: 'two', conversationId: 'cnv_b' }),
    insert({ _id: 'three', conversationId: 'cnv_a' }),
    insert({ _id: 'one', conversationId: 'cnv_c' }),
    insert({ _id: 'four', conversationId: 'cnv_d' }),
  ]);
  assert.deepEqual(outcomes, [
    { ok: true },
    { ok: false, duplicate: 'conversation_seq' },
    { ok: false, duplicate: '_id_' },
    { ok: true },
  ]);
});

test('what travels as one text is read as it was written', async () => {
  const message = { revision: 1, direction: 'in', text: '\u{1F600} "à"', media: { id: null } };
  const state = { seq: 3, run: { context: JSON.parse('{"__proto__":{"x":1}}') }, at: 1e15 + 0.5 };
  const outbox = [{ id: 'evt_1', type: 'event', data: { a: [1, null, false] } }];
  const where = { conversationId: 'cnv_w', orgId: 'org_1', channelId: 'chn_1' };
  const document = { _id: 'whole', ...where, requestId: 'req_1', message, after: state, outbox };
  await store.commit([insert(document)]);
  const more = { id: 'evt_2', type: 'event', data: {} };
  const change = {
    $max: { message: { ...message, revision: 2 } },
    $push: { outbox: { $each: [more] } },
  };
  const place = { _id: 'whole', conversationId: where.conversationId };
  await store.commit([{ update: 'entries', filter: place, change }]);
  const old = { $max: { message: { ...message, revision: 1, text: 'old' } } };
  const filter = { ...place, 'message.direction': 'in' };
  await store.commit([{ update: 'entries', filter, change: old }]);
  const newer = { message: { ...message, revision: 2 }, outbox: [...outbox, more] };
  const wanted = { seq: 1, ...document, ...newer };
  assert.deepEqual(await store.byId('entries', 'whole'), wanted);
  assert.deepEqual(await store.findOne('entries', { 'outbox.id': 'evt_2' }), wanted);
  const some = [{ after: 1 }, { channelId: 1, orgId: 1 }, { seq: 1 }] as const;
  const found = some.map((project) => store.find('entries', { _id: 'whole' }, { project }));
  assert.deepEqual((await Promise.all(found)).flat(), [
    { _id: 'whole', after: state },
    { _id: 'whole', channelId: 'chn_1', orgId: 'org_1' },
    { _id: 'whole', seq: 1 },
  ]);
});

test('what nothing waits for gathers, and everything else goes at once', async () => {
  const groups: number[] = [];
  const watched: Store = createStore(engine.mongo, { onGroup: (writes) => groups.push(writes) });
  const change = { $set: { seen: true } };
  const update = (_id: string) =>
    ({ update: 'breakers', filter: { _id }, change, upsert: true }) as const;
  /** The sizes of the groups of two writes of one moment. */
  const written = async (name: string, deferrable: boolean) => {
    const first = watched.commit([update(`first_${name}`)], { deferrable });
    // The first has set out by now, unless it may gather.
    await turn();
    await turn();
    const second = watched.commit([update(`second_${name}`)], { deferrable });
    assert.deepEqual(await Promise.all([first, second]), [[{ ok: true }], [{ ok: true }]]);
    return groups.splice(0);
  };
  assert.deepEqual(await written('at_once', false), [1, 1]);
  // On a busy machine the second may come after the moment for which the first gathers.
  const areOne = async () => (await written(`gathering_${performance.now()}`, true)).length === 1;
  await waitFor(areOne, { what: 'two writes of one moment are one group' });
});

function idOf({ document }: ReturnType<typeof insert>): string {
  return document._id;
}

test('what is too large is refused by itself, for good, and harms no other write', async () => {
  const text = 'x'.repeat(17 * 1024 * 1024);
  const half = 'x'.repeat(9 * 1024 * 1024);
  await store.commit([{ insert: 'uploads', document: { _id: 'full', half } }]);
  const outcomes = await store.commit([
    { insert: 'uploads', document: { _id: 'huge', text } },
    { insert: 'uploads', document: { _id: 'small' } },
    { update: 'uploads', filter: { _id: 'full' }, change: { $set: { text } } },
    { update: 'uploads', filter: { _id: 'full' }, change: { $set: { other: half } } },
    { update: 'uploads', filter: { _id: 'full' }, change: { $set: { n: 1 } } },
  ]);
  const judged = outcomes.map((outcome) => {
    if (outcome.ok) return 'there';
    return 'error' in outcome && outcome.lasting ? 'refused' : 'unknown';
  });
  assert.deepEqual(judged, ['refused', 'there', 'refused', 'refused', 'there']);
  const left = await store.findOne('uploads', { _id: 'full' }, { project: { n: 1 } });
  assert.deepEqual(left, { _id: 'full', n: 1 });
});
