/** An unpublished outbox has a bound: beyond it nothing is committed (D137). */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ContactActor } from '../../../actors/contact/actor.ts';
import { DEALS } from '../../../actors/deal/actor.ts';
import type { DealState } from '../../../actors/domain/deal.ts';
import type { StoredContact } from '../../../actors/model/contact.ts';
import type { EntityDocument } from '../../../actors/model/entity.ts';
import { Relay } from '../../../actors/outbox/relay.ts';
import { VersionedDocument } from '../../../actors/outbox/versioned-document.ts';
import { Overloaded } from '../../../actors/runtime/turn.ts';
import { OUTBOX_MAX } from '../../../shared/limits.ts';
import type { OutboxEvent } from '../../../shared/wire/outbox.ts';
import { Database } from '../simulation/memory/database.ts';
import { environmentOf, OK } from './environment.ts';
import { conversationsIn, LeasedConversations } from './leased-conversations.ts';
import { AskedMailbox } from './mailboxes.ts';
import { modelStore } from './model-store.ts';
import { settle } from './settle.ts';

const ID = 'del_1';

function createFixture() {
  const database = new Database();
  const latch = Promise.withResolvers<boolean>();
  const numbered = (items: readonly unknown[]) => items;
  const relay = { publish: () => latch.promise, numbered } as unknown as Relay;
  const environment = environmentOf({ store: modelStore(database) });
  const audience = { isHearing: async () => false };
  return { database, gate: latch, parts: { environment, relay, audience } };
}

const event = (n: number): OutboxEvent => {
  return { type: 'event', id: `evt_${n}`, event: 'deal.updated', data: {} };
};

type Deal = VersionedDocument<DealState>;

async function change(record: Deal, n: number, events: readonly OutboxEvent[]) {
  const before = await record.load();
  const version = (before?.version ?? 0) + 1;
  const state = { ...before, id: ID, orgId: 'org_1', version } as DealState;
  await record.commit({ command: { id: `cmd_${n}` }, state, answer: OK, events });
}

test('a deal whose outbox is full is not changed until it is handed on', async () => {
  const { database, gate: latch, parts } = createFixture();
  const record = new VersionedDocument(parts, DEALS, ID);
  for (let n = 0; n < OUTBOX_MAX; n++) await change(record, n, [event(n)]);
  const stored = () => database.byId<EntityDocument<DealState>>('deals', ID);
  await assert.rejects(change(record, -1, [event(-1)]), Overloaded);
  assert.deepEqual([stored()?.version, stored()?.outbox?.length], [OUTBOX_MAX, OUTBOX_MAX]);
  await change(record, OUTBOX_MAX, []);
  const again = new VersionedDocument(parts, DEALS, ID);
  await assert.rejects(change(again, -1, [event(-1)]), Overloaded, 'the next owner too');
  latch.resolve(true);
  await settle();
  await change(record, OUTBOX_MAX + 1, [event(OUTBOX_MAX)]);
  assert.equal(stored()?.version, OUTBOX_MAX + 2);
});

test('a contact whose outbox is full is not changed', async () => {
  const { database, parts } = createFixture();
  const actor = new ContactActor('ctc_1', parts);
  const context = { deadline: Number.POSITIVE_INFINITY, repeat: false, epoch: 1 };
  const opt = (n: number) => {
    const known = { orgId: 'org_1', phone: '5511998877665', source: 'api', origin: 'api' } as const;
    return actor.turn({ ...known, id: `cmd_${n}`, type: 'opt', optIn: n % 2 === 0 }, context);
  };
  let refused = false;
  for (let n = 0; n < 3 * OUTBOX_MAX && !refused; n++) {
    await opt(n).catch((fault: unknown) => {
      assert.ok(fault instanceof Overloaded, String(fault));
      refused = true;
    });
  }
  const stored = database.byId<StoredContact>('contacts', 'ctc_1');
  assert.ok(refused);
  const items = stored?.outbox?.length ?? 0;
  assert.ok(items <= OUTBOX_MAX && items > OUTBOX_MAX - 5, `${items} items`);
});

test('the caller is answered that the service is overloaded, once', async () => {
  let opened = 0;
  const open = () => {
    opened++;
    return { turn: () => Promise.reject(new Overloaded('deal del_1')) };
  };
  const onInDoubt = assert.fail;
  const mailbox = new AskedMailbox({ kind: 'deal', key: ID }, { open, onInDoubt });
  mailbox.ask({ id: 'cmd_1', type: 'change', orgId: 'org_1', origin: 'api' });
  await settle();
  const [answer, ...others] = mailbox.answers;
  assert.deepEqual([opened, answer?.status, others], [1, 500, []]);
  assert.match(answer?.body ?? '', /sobrecarregado/);
});

test('events on their way have room again when some have been taken', async () => {
  const latch = Promise.withResolvers<true>();
  const relay = new Relay(environmentOf({}), { record: () => latch.promise }, 2);
  const handed = relay.publish({ orgId: 'org_1', collection: 'deals', id: 'deal_1' }, [
    event(1),
    event(2),
  ]);
  assert.equal(relay.hasCapacity, false);
  let room = false;
  const waiting = relay.waitForCapacity().then(() => {
    room = true;
  });
  await settle();
  assert.equal(room, false);
  latch.resolve(true);
  assert.equal(await handed, true);
  await waiting;
  assert.equal(relay.hasCapacity, true);
});

test('a turn of a conversation waits for that room before it appends', async (t) => {
  const latch = Promise.withResolvers<void>();
  t.mock.getter(Relay.prototype, 'hasCapacity', () => false);
  t.mock.method(Relay.prototype, 'waitForCapacity', () => latch.promise);
  const database = new Database();
  const process = new LeasedConversations(database);
  await process.kind.acquire(5, 1);
  const [id = ''] = conversationsIn(5, 1);
  const sent = process.send(id, 1);
  await settle();
  assert.equal(database.all('entries').length, 0);
  latch.resolve();
  assert.equal((await sent).status, 201);
  assert.equal(database.all('entries').length, 1);
});
