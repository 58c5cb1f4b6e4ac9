/** Conversations in the panel: the list and its filters, and what members do in one. */
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import * as v from 'valibot';
import { ConversationAnswer } from '../../../../shared/api/conversation.ts';
import { assertStatus, parseAnswer } from '../../../support/api/answers.ts';
import { freshPhone } from '../../../support/api.ts';
import type { Browser } from '../../../support/gateway/panel/browser.ts';
import { panel, rows, startPanel } from '../../../support/gateway/panel/people-fixture.ts';
import { pluck } from '../../../support/pluck.ts';
import { waitUntil } from '../../../support/wait-for.ts';

before(startPanel);

const ConversationSchema = v.looseObject({
  id: v.string(),
  status: v.string(),
  assignedTo: v.nullable(v.string()),
  unread: v.number(),
  automationPausedUntil: v.nullable(v.string()),
  lastInboundAt: v.nullable(v.string()),
  run: v.nullable(v.looseObject({ flowId: v.string() })),
});
const RowSchema = v.looseObject({
  id: v.string(),
  lastMessagePreview: v.string(),
  contactTags: v.array(v.string()),
  lastMessage: v.nullable(
    v.strictObject({
      direction: v.string(),
      author: v.strictObject({ kind: v.string(), label: v.string() }),
      memberId: v.nullable(v.string()),
      status: v.string(),
    }),
  ),
});
const RowsSchema = v.object({ data: v.array(RowSchema), total: v.number() });
const OneSchema = v.object({ data: ConversationSchema });
const ListSchema = v.object({ data: v.array(ConversationSchema), total: v.number() });
const NoteSchema = v.object({
  data: v.object({ messageId: v.string(), conversationId: v.string() }),
});

interface Written {
  readonly id: string;
  readonly phone: string;
}

describe('conversations', () => {
  let bia: Browser;
  let caio: Browser;
  let written: Written;

  /** A contact's message, and its conversation. */
  async function inbound(text: string, phone = freshPhone()): Promise<Written> {
    const { stack, shop } = panel();
    await stack.network.inbound({ channelId: shop.main, from: phone, text });
    const found = await waitUntil('the conversation', async () => {
      const { data } = await list(bia, `?query=${phone}`);
      return data[0] ?? null;
    });
    return { id: found.id, phone };
  }

  async function list(browser: Browser, query: string) {
    return parseAnswer(await browser.call('GET', `/panel/api/conversations${query}`), ListSchema);
  }

  async function read() {
    const answer = await bia.call('POST', `/panel/api/conversations/${written.id}/read`);
    return parseAnswer(answer, OneSchema).data;
  }

  async function change(body: object) {
    const answer = await bia.call('POST', `/api/v1/conversations/${written.id}`, { body });
    return parseAnswer(answer, ConversationAnswer).data;
  }

  async function shown() {
    const answer = await bia.call('GET', `/panel/api/conversations/${written.id}`);
    return parseAnswer(answer, OneSchema).data;
  }

  before(async () => {
    bia = await panel().signedInAs('bia');
    caio = await panel().signedInAs('caio');
    written = await inbound('Quero uma cotação');
  });

  test('one shows when the contact wrote last, and what was read is unread no more', async () => {
    const before = await shown();
    assert.deepEqual([before.unread, before.run], [1, null]);
    assert.ok(Date.parse(before.lastInboundAt ?? '') > 0);
    assert.equal((await read()).unread, 0);
    assert.equal((await read()).unread, 0, 'a second time changes nothing');
    const marks = await waitUntil('the contact sees that it was read', async () => {
      const seen = await panel().stack.network.shown(written.phone);
      return seen.length > 0 ? seen : null;
    });
    assert.deepEqual(pluck(marks, 'kind'), ['read']);
    const body = { channelId: panel().shop.main, phone: freshPhone(), text: 'Olá!' };
    const sent = await bia.call('POST', '/api/v1/messages', { body });
    const { data } = v.parse(
      v.object({ data: v.looseObject({ conversationId: v.string() }) }),
      sent.json,
    );
    const never = await bia.call('GET', `/panel/api/conversations/${data.conversationId}`);
    assert.equal(
      v.parse(OneSchema, never.json).data.lastInboundAt,
      null,
      'the contact never wrote',
    );
  });

  test('a note has its member as author, and is not sent', async () => {
    const path = `/api/v1/conversations/${written.id}/notes`;
    const answer = await bia.call('POST', path, { body: { text: 'ligar amanhã' } });
    const { data } = parseAnswer(answer, NoteSchema, 201);
    assert.equal(data.conversationId, written.id);
    const notes = await rows(
      bia,
      `/api/v1/messages?conversationId=${written.id}&includeNotes=true`,
    );
    const note = notes.find(({ id }) => id === data.messageId);
    assert.deepEqual(note?.author, { kind: 'member', label: 'Bia' });
    assert.equal(note?.direction, 'note');
    const empty = await bia.call('POST', path, { body: { text: '' } });
    assert.match(empty.text, /"path":"text","message":"Não pode ser vazio/);
  });

  test('is assigned to a member, resolved, opened again, paused and resumed', async () => {
    const memberId = panel().shop.applied.members.bia ?? '';
    assert.equal((await change({ assignedTo: memberId })).assignedTo, memberId);
    assert.equal((await change({ status: 'resolved' })).status, 'resolved');
    assert.equal((await change({ status: 'open' })).status, 'open');
    assert.equal((await change({ status: 'open' })).status, 'open', 'an open one stays as it is');
    const until = new Date(Date.now() + 90 * 60_000).toISOString();
    const paused = await change({ automationPausedUntil: until });
    assert.equal(paused.automationPausedUntil, until);
    const resumed = await change({ automationPausedUntil: null });
    assert.equal(resumed.automationPausedUntil, null);
  });

  test('is found by each filter, and by its words', async () => {
    const memberId = panel().shop.applied.members.bia ?? '';
    const other = await inbound('Bom dia');
    await change({ assignedTo: memberId });
    await read();
    const has = async (query: string) => {
      const { data, total } = await list(bia, `?limit=200&${query}`);
      assert.equal(data.length, total, 'all of them are on the page');
      const ids = data.map(({ id }) => id);
      return [ids.includes(written.id), ids.includes(other.id)];
    };
    assert.deepEqual(await has(''), [true, true]);
    assert.deepEqual(await has(`assignedTo=${memberId}`), [true, false]);
    assert.deepEqual(await has('assignedTo=none'), [false, true]);
    assert.deepEqual(await has('unread=true'), [false, true]);
    assert.deepEqual(await has('unread=true&assignedTo=none&status=open'), [false, true]);
    assert.deepEqual(await has(`channelId=${panel().shop.main}&status=resolved`), [false, false]);
    assert.deepEqual(await has('query=COTACAO'), [true, false]);
    assert.deepEqual(await has(`query=${other.phone.slice(-8)}`), [false, true]);
    assert.deepEqual(await has('query=.*'), [false, false]);
    const named = { body: { phone: other.phone, name: 'Zuleide Ávila' } };
    await bia.call('POST', '/api/v1/contacts', named);
    assert.deepEqual(await has('query=zuleide%20avi'), [false, true], 'by the present name');
    assert.deepEqual(await has('query=zuleide&unread=true'), [false, true]);
  });

  test('a row tells who wrote its last message, what became of it, and the tags', async () => {
    const { stack, shop } = panel();
    const { id, phone } = await inbound('Tem hoje?');
    const row = async () => {
      const answer = await bia.call('GET', `/panel/api/conversations?query=${phone}`);
      return parseAnswer(answer, RowsSchema).data[0];
    };
    const became = (status: string) =>
      waitUntil(`the row of a message that is ${status}`, async () => {
        const shown = await row();
        return shown?.lastMessage?.status === status ? shown : null;
      });
    const first = await became('received');
    assert.equal(first.lastMessage?.direction, 'in');
    assert.deepEqual([first.lastMessage?.author.kind, first.contactTags], ['contact', []]);
    const body = { channelId: shop.main, conversationId: id };
    const answered = { body: { ...body, text: 'Tem sim' } };
    assertStatus(await bia.call('POST', '/api/v1/messages', answered), 201);
    const memberId = shop.applied.members.bia ?? '';
    const author = { kind: 'member', label: 'Bia' };
    const read = { direction: 'out', author, memberId, status: 'read' };
    assert.deepEqual((await became('read')).lastMessage, read, 'as the receipts have it');
    await bia.call('POST', `/api/v1/conversations/${id}/notes`, { body: { text: 'ligar' } });
    assert.deepEqual((await row())?.lastMessage, read, 'a note is previewed by nothing');
    const { phoneNumberId } = shop;
    await stack.network.fault({ phoneNumberId, to: phone, code: 131026, times: 1 });
    await stack.send(shop.key, { ...body, text: 'Pronto' });
    const failed = await became('failed');
    assert.deepEqual([failed.lastMessagePreview, failed.lastMessage?.memberId], ['Pronto', null]);
    assert.equal(failed.lastMessage?.author.kind, 'automation');
    const named = { body: { phone, tags: ['vip', 'atacado'] } };
    assertStatus(await bia.call('POST', '/api/v1/contacts', named), 200);
    assert.deepEqual((await row())?.contactTags, ['vip', 'atacado']);
    const contact = await stack.contact(shop.key, phone);
    const { data } = await stack.conversations(shop.key, `?contactId=${contact?.id}`);
    assert.equal('contactTags' in Object(data[0]), false, 'the API answers as before');
    assert.equal('lastMessage' in Object(data[0]), false);
  });

  test('a viewer reads, and changes nothing', async () => {
    await inbound('Alguém?', written.phone);
    const shown = () => caio.call('GET', `/panel/api/conversations/${written.id}`);
    const earlier = await waitUntil('an unread message', async () => {
      const { text } = await shown();
      return /"unread":[1-9]/.test(text) ? text : null;
    });
    assert.ok((await list(caio, '')).total > 0);
    await rows(caio, `/api/v1/messages?conversationId=${written.id}&includeNotes=true`);
    const own = `/api/v1/conversations/${written.id}`;
    const read = `/panel/api/conversations/${written.id}/read`;
    for (const path of [own, `${own}/notes`, read]) {
      assert.equal((await caio.call('POST', path)).status, 403, path);
    }
    assert.equal((await shown()).text, earlier, 'it stays unread');
  });

  test('is of one organization alone', async () => {
    const eve = await panel().signedInAs('eve', panel().other.ref);
    assert.deepEqual((await list(eve, `?query=${written.phone}`)).data, []);
    const path = `/panel/api/conversations/${written.id}`;
    assert.equal((await eve.call('GET', path)).status, 404);
    const earlier = await panel().store.read();
    assertStatus(await eve.call('POST', `${path}/read`), 404);
    const own = `/api/v1/conversations/${written.id}`;
    assertStatus(await eve.call('POST', own, { body: { status: 'resolved' } }), 404);
    assertStatus(await eve.call('POST', `${own}/notes`, { body: { text: 'oi' } }), 404);
    assert.equal(await panel().store.read(), earlier);
  });

  test('each change stands in the audit log, and no reading', async () => {
    const ana = await panel().signedInAs('ana');
    const wanted = [
      ...['writeNote', 'assignConversation', 'resolveConversation', 'reopenConversation'],
      ...['pauseAutomation', 'resumeAutomation'],
    ];
    await waitUntil('the entries of the changes', async () => {
      const entries = await rows(ana, '/panel/api/audit?limit=200');
      const mine = entries.filter(({ name, subject }) => {
        return name === 'Bia' && JSON.stringify(subject).includes(written.id);
      });
      const operations = new Set(mine.map(({ operation }) => operation));
      assert.equal(operations.has('readConversation'), false);
      return wanted.every((operation) => operations.has(operation)) || null;
    });
  });
});
