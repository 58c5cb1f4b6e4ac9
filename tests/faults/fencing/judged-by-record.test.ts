/**
 * What a message is judged by: the log and the contact's record. A snapshot that a crash has left
 * stale closes no window, and after an opt-out no template goes in place of a refused message.
 */
import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { entryDocument } from '../../../actors/conversation/log/documents.ts';
import type { ConversationState } from '../../../actors/domain/conversation/conversation.ts';
import { StaleState } from '../../../actors/runtime/kind.ts';
import { WINDOW_MS } from '../../../shared/limits.ts';
import { type StoredMessage, WINDOW_CLOSED_CODE } from '../../../shared/message.ts';
import { type OutboxItem, outboxCommand } from '../../../shared/wire/outbox.ts';
import {
  CONTACT,
  conversationFixture,
  outboundFixture,
} from '../../support/actors/domain/message-fixture.ts';
import { Database } from '../simulation/memory/database.ts';
import { conversationsIn, LeasedConversations } from './leased-conversations.ts';

const EPOCH = 1;
const CHANNEL = { orgId: 'org_1', channelId: 'chn_1' };
const [ID = ''] = conversationsIn(5, 1);
const FALLBACK = {
  ...{ template: { name: 'pedido', language: 'pt_BR', body: [], buttons: [] }, text: 'Oi' },
  ...({ kind: 'text', media: null } as const),
};

let database: Database;
let owner: LeasedConversations;

beforeEach(() => {
  database = new Database();
  owner = new LeasedConversations(database);
});

function insert(collection: string, document: { readonly _id: string }): void {
  database.apply({ insert: collection, document });
}

interface Written {
  readonly message?: StoredMessage;
  readonly outbox?: readonly OutboxItem[];
}

function append(id: string, state: ConversationState, written: Written = {}): void {
  const appended = { state, outbox: [], queued: false, ...written };
  insert('entries', entryDocument(id, appended));
}

test('a contact’s message that a snapshot lacks opens the window', async () => {
  const now = owner.clock.now();
  const state = conversationFixture({ id: ID, seq: 1, at: now, windowFrom: now - WINDOW_MS });
  insert('conversations', Object({ _id: ID, snapshot: { seq: 1, epoch: EPOCH, state } }));
  const send = (id: string) =>
    owner.turn(ID, EPOCH, {
      ...{ ...CHANNEL, id, type: 'send', origin: 'api', authorLabel: 'ERP', text: 'oi' },
      ...{ phone: null, byConversation: true, channelScope: false, outsideWindow: 'refuse' },
    });
  append('msg_1', state);
  assert.equal((await send('msg_early')).status, 409);
  append('msg_2', { ...state, seq: 2, windowFrom: now });
  assert.equal((await send('msg_3')).status, 201);
});

/** Under an `Idempotency-Key`: it may be asked again. */
async function sendAfter(lastMessageId: string, id: string): Promise<number> {
  const { status } = await owner.turn(ID, EPOCH, {
    ...{ ...CHANNEL, id, type: 'send', origin: 'api', authorLabel: 'ERP', text: 'oi' },
    ...{ phone: null, byConversation: true, channelScope: false, lasting: true },
    onlyIf: { lastMessageId },
  });
  return status;
}

test('a contact’s message that a snapshot lacks is the newest', async () => {
  const message = outboundFixture({ direction: 'in', status: 'received' });
  const state = conversationFixture({ id: ID, seq: 1, at: owner.clock.now(), messages: 1 });
  insert('conversations', Object({ _id: ID, snapshot: { seq: 1, epoch: EPOCH, state } }));
  append('msg_1', state, { message });
  append('msg_2', { ...state, seq: 2, messages: 2 }, { message });
  assert.equal(await sendAfter('msg_1', 'msg_3'), 409);
  assert.equal(database.byId('entries', 'msg_3'), null);
  // The stale state would take the place of the newest entry: the turn is made anew on the log.
  await assert.rejects(sendAfter('msg_2', 'msg_4'), StaleState);
});

test('of two that name one message the first is sent, and its repeat keeps the answer', async () => {
  const message = outboundFixture({ direction: 'in', status: 'received' });
  append('msg_1', conversationFixture({ id: ID, seq: 1, messages: 1 }), { message });
  assert.equal(await sendAfter('msg_1', 'msg_2'), 201);
  assert.equal(await sendAfter('msg_1', 'msg_3'), 409);
  assert.equal(await sendAfter('msg_1', 'msg_2'), 201);
});

/** The network has refused the message for the window. */
async function replacedAfter(message: Partial<StoredMessage>): Promise<boolean> {
  const refused = { status: 'failed', error: { code: WINDOW_CLOSED_CODE, message: '' } } as const;
  const state = conversationFixture({ id: ID, seq: 1, at: owner.clock.now() });
  const written = outboundFixture({ ...refused, fallback: FALLBACK, ...message });
  append('msg_1', state, { message: written });
  const command = { ...CHANNEL, id: 'msg_2', type: 'send-fallback', messageId: 'msg_1' } as const;
  await owner.turn(ID, EPOCH, command);
  return database.byId('entries', 'msg_2') !== null;
}

for (const [what, message, isSent] of [
  ['a flow’s message', { origin: 'flow' }, false],
  ['a scheduled message', { schedule: { at: 1, ifLate: 'send' } }, false],
  ['a caller’s own message', {}, true],
] as const) {
  test(`after an opt-out ${isSent ? 'the' : 'no'} template goes in place of ${what}`, async () => {
    const optedOut = { optIn: false, optInAt: null, optOutAt: owner.clock.now() };
    insert('contacts', Object({ _id: CONTACT.id, ...optedOut }));
    assert.equal(await replacedAfter(message), isSent);
  });
}

test('a word that is recorded holds the template back, though its command is unpublished', async () => {
  insert('contacts', Object({ _id: CONTACT.id, optIn: false, optInAt: null, optOutAt: null }));
  const to = { kind: 'contact', key: CONTACT.id } as const;
  const opt = { id: 'opt', type: 'opt', orgId: 'org_1', phone: CONTACT.phone } as const;
  const said = { ...opt, optIn: false, source: 'contact', origin: 'contact' } as const;
  const state = conversationFixture({ id: ID, seq: 0, at: owner.clock.now() });
  append('msg_0', state, { outbox: [outboxCommand({ to, command: said })] });
  assert.equal(await replacedAfter({ origin: 'flow' }), false);
});

test('a template goes in place of a flow’s message to a contact who has not opted out', async () => {
  insert('contacts', Object({ _id: CONTACT.id, optIn: false, optInAt: null, optOutAt: null }));
  assert.equal(await replacedAfter({ origin: 'flow' }), true);
});
