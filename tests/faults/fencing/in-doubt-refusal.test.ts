/**
 * A repeated command is never refused if an earlier owner may have committed it. That owner's write
 * may still be on its way, and the caller would believe that nothing was done.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StaleState } from '../../../actors/runtime/kind.ts';
import type { CommandOf } from '../../../shared/ports/bus.ts';
import { applied } from '../../support/actors/domain/organization-fixture.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { Database } from '../simulation/memory/database.ts';
import { modelStore } from './model-store.ts';
import { answerOf, organizationOwner, SHOP } from './organization-owner.ts';
import { Owner } from './owners.ts';

const CONVERSATION = 'cnv_1';
const SECRETS = { apiKey: 'api-key-of-the-shop', webhookSecret: 'webhook-secret-of-the-shop' };
const NETWORK = { baseUrl: 'sandbox', session: 's', ...SECRETS };
const said = { orgId: 'org_1', phone: '5511998877665', origin: 'api' } as const;

function furnished(): { readonly database: Database; readonly channelId: string } {
  const { id: _id, ...state } = applied({
    ...SHOP,
    channels: [
      { ref: 'main', label: 'Loja', phone: '5511900000001', provider: 'web', network: NETWORK },
    ],
    members: [{ ref: 'ana', name: 'Ana', email: 'ana@loja.example' }],
  });
  const database = new Database();
  const channels = state.channels.map((channel) => ({ ...channel, networkReady: true }));
  database.apply({ insert: 'organizations', document: { _id: said.orgId, ...state, channels } });
  return { database, channelId: channels[0]?.id ?? '' };
}

test('a strict send that is on its way is not refused when it is asked again', async () => {
  const { database, channelId } = furnished();
  const store = modelStore(database);
  const now = new ManualClock().now();
  const send: CommandOf = {
    ...{ id: 'strict', type: 'send', channelId, byConversation: false, channelScope: false },
    ...{ text: 'na hora', authorLabel: 'ERP', outsideWindow: 'refuse', ...said },
    // Held when it is first asked, and due when it is asked again.
    schedule: { at: now + 60_000, ifLate: 'send' },
  };
  const old = new Owner('conversation', store);
  const { inFlight, release } = old.holdCommit();
  const late = old.turn(CONVERSATION, send);
  await inFlight;
  const due: CommandOf = { ...send, schedule: { at: now - 1_000, ifLate: 'send' } };
  const next = new Owner('conversation', store);
  assert.equal((await next.turn(CONVERSATION, due, true)).status, 500);
  assert.equal((await next.turn(CONVERSATION, { ...due, id: 'other' })).status, 409);
  release();
  assert.equal((await late).status, 201);
  assert.equal((await next.turn(CONVERSATION, due, true)).status, 201);
});

test('a reply that is on its way is not refused when it is asked again', async () => {
  const { database, channelId } = furnished();
  const store = modelStore(database);
  const first: CommandOf = {
    ...{ id: 'first', type: 'send', channelId, byConversation: false, channelScope: false },
    ...{ text: 'primeira', authorLabel: 'ERP', ...said },
  };
  assert.equal((await new Owner('conversation', store).turn(CONVERSATION, first)).status, 201);
  const reply: CommandOf = { id: 'reply', type: 'reply', member: 'ana', text: 'tardia' };
  const old = new Owner('conversation', store);
  const { inFlight, release } = old.holdCommit();
  const late = old.turn(CONVERSATION, reply);
  await inFlight;
  const [organization] = database.all('organizations');
  const channels = Reflect.get(organization ?? {}, 'channels') as readonly object[];
  database.apply({
    update: 'organizations',
    filter: { _id: said.orgId },
    change: { $set: { channels: channels.map((each) => ({ ...each, networkReady: false })) } },
  });
  const next = new Owner('conversation', store);
  assert.equal((await next.turn(CONVERSATION, reply, true)).status, 500);
  // A command that is no repeat is refused at once.
  assert.equal((await next.turn(CONVERSATION, { ...reply, id: 'other' })).status, 409);
  release();
  assert.equal((await late).status, 200);
  assert.equal((await next.turn(CONVERSATION, reply, true)).status, 200);
});

const firstly = { type: 'send', byConversation: false, channelScope: false, ...said } as const;
const PAUSED = { id: 'pause', type: 'pause', forMs: 3_600_000 } as const;

for (const [why, onlyIf, other] of [
  ['names the newest message', { lastMessageId: 'first' }, { id: 'second', ...firstly, text: 'e' }],
  ['wants automation', { automation: true }, PAUSED],
] as const) {
  test(`a send that ${why} and comes too late is refused, though it is asked again`, async () => {
    const { database, channelId } = furnished();
    const store = modelStore(database);
    const own = { channelId, authorLabel: 'ERP' };
    const first: CommandOf = { id: 'first', ...firstly, text: 'oi', ...own };
    assert.equal((await new Owner('conversation', store).turn(CONVERSATION, first)).status, 201);
    const bound: CommandOf = { ...firstly, id: 'bound', text: 'robô', ...own, onlyIf };
    const old = new Owner('conversation', store);
    const { inFlight, release } = old.holdCommit();
    const late = old.turn(CONVERSATION, bound);
    await inFlight;
    const next = new Owner('conversation', store);
    assert.ok((await next.turn(CONVERSATION, { ...other, ...own })).status < 300);
    assert.equal((await next.turn(CONVERSATION, bound, true)).status, 409);
    // The write that was on its way finds its place taken: nothing goes that was refused.
    release();
    await assert.rejects(late, StaleState);
    assert.equal(database.byId('entries', 'bound'), null);
    assert.equal((await next.turn(CONVERSATION, bound, true)).status, 409);
  });

  test(`a send that ${why} and was accepted keeps its answer, though all has changed`, async () => {
    const { database, channelId } = furnished();
    const store = modelStore(database);
    const own = { channelId, authorLabel: 'ERP' };
    const first: CommandOf = { id: 'first', ...firstly, text: 'oi', ...own };
    const owner = new Owner('conversation', store);
    await owner.turn(CONVERSATION, first);
    const bound: CommandOf = { ...firstly, id: 'bound', text: 'robô', ...own, onlyIf };
    assert.equal((await owner.turn(CONVERSATION, bound)).status, 201);
    assert.ok((await owner.turn(CONVERSATION, { ...other, ...own })).status < 300);
    const next = new Owner('conversation', store);
    assert.equal((await next.turn(CONVERSATION, bound, true)).status, 201);
  });
}

/** The message got its place in the history late, as one that is sent at its time does. */
function moveToTop(database: Database, messageId: string): void {
  const at = new ManualClock().now() + 60_000;
  const change = { $set: { 'message.releasedAt': at, ownPlace: { at, seq: 2 } } };
  database.apply({ update: 'entries', filter: { _id: messageId }, change });
}

for (const [why, onlyIf, [other, aheadMs, then]] of [
  [
    'names a message which another has passed without an entry',
    { lastMessageId: 'second' },
    [
      { id: 'second', ...firstly, text: 'e' },
      0,
      (database: Database) => moveToTop(database, 'first'),
    ],
  ],
  [
    'wants automation, which another server’s clock shows at its end',
    { automation: true },
    [{ ...PAUSED, forMs: 30_000 }, 31_000, () => undefined],
  ],
] as const) {
  test(`a send that ${why} is in doubt when it is asked again`, async () => {
    const { database, channelId } = furnished();
    const store = modelStore(database);
    const own = { channelId, authorLabel: 'ERP' };
    const owner = new Owner('conversation', store);
    await owner.turn(CONVERSATION, { id: 'first', ...firstly, text: 'oi', ...own });
    assert.ok((await owner.turn(CONVERSATION, { ...other, ...own })).status < 300);
    const bound: CommandOf = { ...firstly, id: 'bound', text: 'robô', ...own, onlyIf };
    const clock = new ManualClock();
    clock.advance(aheadMs);
    const old = new Owner('conversation', store, clock);
    const { inFlight, release } = old.holdCommit();
    const late = old.turn(CONVERSATION, bound);
    await inFlight;
    then(database);
    const next = new Owner('conversation', store);
    assert.equal((await next.turn(CONVERSATION, bound, true)).status, 500);
    assert.equal((await next.turn(CONVERSATION, { ...bound, id: 'other' })).status, 409);
    release();
    assert.equal((await late).status, 201);
    assert.equal((await next.turn(CONVERSATION, bound, true)).status, 201);
  });
}

test('the removal of a file whose answer was lost is not refused when it is asked again', async () => {
  const file = { ref: 'tabela', name: 'tabela.png', mimeType: 'image/png', sizeBytes: 12 };
  const owner = organizationOwner({ files: [{ ...file, contentDigest: '0'.repeat(64) }] });
  const [known] = applied({ ...SHOP, files: [{ ...file, contentDigest: '0'.repeat(64) }] }).files;
  const fileId = known?.id ?? '';
  const remove = { id: 'first', type: 'remove-file', fileId } as const;
  assert.equal((await answerOf(owner.open(), remove)).status, 200);
  const next = owner.open();
  assert.equal((await answerOf(next, remove, true)).status, 500);
  assert.equal((await answerOf(next, { ...remove, id: 'other' })).status, 404);
});
