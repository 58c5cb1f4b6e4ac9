/** `recado conversations …`: a team's members at work (D12). */
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import * as v from 'valibot';
import { ListMessagesAnswer } from '../../../../../../shared/api/message.ts';
import { freshPhone } from '../../../../../support/api.ts';
import { named } from '../../../../../support/applied.ts';
import { organizationFile } from '../../../../../support/organization.ts';
import { pluck } from '../../../../../support/pluck.ts';
import { useOrganizations, useStack, useSubscriber } from '../../../../../support/stack-hooks.ts';
import { waitUntil } from '../../../../../support/wait-for.ts';

const MEMBERS = [
  { ref: 'ana', name: 'Ana Souza' },
  { ref: 'bia', name: 'Bia Lima' },
];
const Changed = v.object({
  conversationId: v.string(),
  messageId: v.optional(v.string()),
  changed: v.boolean(),
  status: v.string(),
  assignedTo: v.nullable(v.string()),
  participants: v.array(v.string()),
  unread: v.number(),
  automationPausedUntil: v.nullable(v.string()),
});

let ana: string;
let bia: string;

const stack = useStack();
const subscriber = useSubscriber();
const { a } = useOrganizations(stack, () => {
  const subscriptions = [{ ref: 'all', url: `${subscriber.url}/all`, events: ['*'] }];
  return { a: { subscriptions, more: { members: MEMBERS } } };
});
before(() => {
  ana = named(a.applied.members, 'ana');
  bia = named(a.applied.members, 'bia');
});

async function does(command: string, conversationId: string, ...options: readonly string[]) {
  const args = ['conversations', command, conversationId, ...options];
  return v.parse(Changed, await stack.ask(...args));
}

/** A conversation in which the contact has written; its id and phone. */
async function written(...texts: readonly string[]) {
  const phone = freshPhone();
  for (const text of texts) await stack.network.inbound({ channelId: a.main, from: phone, text });
  const contact = await stack.contact(a.key, phone);
  const { data } = await stack.conversations(a.key, `?contactId=${contact?.id}`);
  return { phone, id: data[0]?.id ?? '', contactId: contact?.id ?? '' };
}

async function shown(contactId: string) {
  const { data } = await stack.conversations(a.key, `?contactId=${contactId}`);
  assert.ok(data[0]);
  return data[0];
}

async function messages(id: string, query = '') {
  const path = `/api/v1/messages?conversationId=${id}${query}`;
  return v.parse(ListMessagesAnswer, (await stack.request('GET', path, { key: a.key })).json);
}

describe('writing', () => {
  test('section 4: includeNotes shows a note, and only that', async () => {
    const { id, contactId } = await written('Oi');
    const note = await does('note', id, '--member', 'ana', '--text', 'ligar amanhã');
    assert.deepEqual([note.changed, note.unread, note.participants], [true, 0, [ana]]);
    const [without, all] = [await messages(id), await messages(id, '&includeNotes=true')];
    assert.deepEqual([without.total, without.data.length], [1, 1]);
    assert.deepEqual([all.total, all.data.length], [2, 2]);
    const [newest] = all.data;
    assert.deepEqual(
      [newest?.id, newest?.direction, newest?.text, newest?.author],
      [note.messageId, 'note', 'ligar amanhã', { kind: 'member', label: 'Ana Souza' }],
    );
    const conversation = await shown(contactId);
    assert.deepEqual([conversation.unread, conversation.lastMessagePreview], [0, 'Oi']);
  });

  test('a reply goes over the network, zeroes unread, pauses 30 minutes, is told as any send', async () => {
    const { id, contactId, phone } = await written('Oi', 'Alguém?');
    assert.equal((await shown(contactId)).unread, 2);
    const from = Date.now();
    const reply = await does('reply', id, '--member', bia, '--text', 'Bom dia!');
    const messageId = reply.messageId ?? '';
    const sent = await stack.messageIn(a.key, { conversationId: id, messageId }, 'read');
    assert.deepEqual(sent.author, { kind: 'member', label: 'Bia Lima' });
    assert.deepEqual(pluck(await stack.network.sent(phone), 'text'), ['Bom dia!']);
    const conversation = await shown(contactId);
    assert.deepEqual([conversation.unread, conversation.lastMessagePreview], [0, 'Bom dia!']);
    assert.deepEqual(conversation.participants, [bia]);
    const until = Date.parse(conversation.automationPausedUntil ?? '');
    assert.ok(until >= from + 1_800_000 && until <= Date.now() + 1_800_000);
    const told = await waitUntil(
      'message.sent',
      () => subscriber.at('/all').find(({ data }) => data.messageId === messageId) ?? null,
    );
    assert.deepEqual([told.event, told.data.origin], ['message.sent', 'panel']);
  });

  test('a reply is refused while the channel cannot send, and a note is not', async () => {
    const { data } = await stack
      .send(a.key, { channelId: a.shop, phone: freshPhone(), text: 'oi' })
      .then((sent) => ({ data: sent }));
    const shop = organizationFile(a.ref).channels[1];
    const enable = (enabled: boolean) =>
      stack.apply({ orgs: [{ ref: a.ref, channels: [{ ...shop, enabled }] }] });
    await enable(false);
    const args = ['conversations', 'reply', data.conversationId, '--member', 'ana', '--text', 'x'];
    const refused = await stack.recado(args);
    assert.deepEqual([refused.code, refused.stdout], [2, '']);
    assert.match(refused.stderr, /desativado/);
    await does('note', data.conversationId, '--member', 'ana', '--text', 'x');
    await enable(true);
  });
});

describe('care', () => {
  test('assignment and participants show in the conversation, and in nobody’s history', async () => {
    const { id, contactId } = await written('Oi');
    const first = await does('assign', id, '--member', 'ana');
    assert.deepEqual([first.changed, first.assignedTo, first.participants], [true, ana, [ana]]);
    assert.equal((await does('assign', id, '--member', ana)).changed, false);
    const joined = await does('participants', id, '--add', 'bia', '--remove', 'ana');
    assert.deepEqual([joined.assignedTo, joined.participants], [ana, [bia]]);
    const conversation = await shown(contactId);
    assert.deepEqual([conversation.assignedTo, conversation.participants], [ana, [bia]]);
    const nobody = await does('assign', id, '--nobody');
    assert.deepEqual([nobody.changed, nobody.assignedTo], [true, null]);
    assert.equal((await messages(id, '&includeNotes=true')).total, 1);
    assert.equal((await messages(id, '&includeNotes=true&limit=1')).data.length, 1);
    await stack.network.inbound({
      channelId: a.main,
      from: conversation.contact.phone,
      text: 'e?',
    });
    const history = await stack.history(a.key, id);
    assert.deepEqual(pluck(history, 'text'), ['e?', 'Oi']);
  });

  test('resolved is shown and filtered; the contact’s next message opens it again', async () => {
    const { id, contactId, phone } = await written('Oi');
    await does('assign', id, '--member', 'ana');
    assert.equal((await does('resolve', id)).status, 'resolved');
    assert.equal((await does('resolve', id)).changed, false);
    const query = `?status=resolved&contactId=${contactId}`;
    assert.equal((await stack.conversations(a.key, query)).total, 1);
    await stack.network.inbound({ channelId: a.main, from: phone, text: 'de novo' });
    const conversation = await shown(contactId);
    assert.deepEqual([conversation.status, conversation.assignedTo], ['open', ana]);
  });

  test('automation is paused for as long as told, and resumed', async () => {
    const { id, contactId } = await written('Oi');
    const from = Date.now();
    const paused = await does('pause', id, '--for', '2h');
    const until = Date.parse(paused.automationPausedUntil ?? '');
    assert.ok(until >= from + 7_200_000 && until <= Date.now() + 7_200_000);
    assert.equal((await shown(contactId)).automationPausedUntil, paused.automationPausedUntil);
    assert.equal((await does('resume', id)).automationPausedUntil, null);
    assert.equal((await does('resume', id)).changed, false);
    assert.equal((await shown(contactId)).automationPausedUntil, null);
  });

  test('what was decided is found again by the next owner of the conversation', async () => {
    const { id, contactId } = await written('Oi');
    await does('note', id, '--member', 'ana', '--text', 'fica');
    await does('assign', id, '--member', 'bia');
    process.kill(stack.pid('actors'), 'SIGKILL');
    const conversation = await waitUntil('the conversation is listed again', () =>
      shown(contactId).catch(() => null),
    );
    assert.deepEqual([conversation.assignedTo, conversation.participants], [bia, [ana, bia]]);
    const resolved = await does('resolve', id);
    assert.deepEqual([resolved.assignedTo, resolved.status], [bia, 'resolved']);
  });
});

describe('what cannot be done', () => {
  test('is told with its option, exits 2, and changes nothing', async () => {
    const { id, contactId } = await written('Oi');
    const before = await shown(contactId);
    const refused = async (pattern: RegExp, ...args: readonly string[]) => {
      const { code, stdout, stderr } = await stack.recado(['conversations', ...args]);
      assert.deepEqual([code, stdout], [2, '']);
      assert.match(stderr, pattern);
    };
    await refused(/there is no conversation/, 'resolve', 'cnv_unknown');
    await refused(/member: "carla" is not/, 'note', id, '--member', 'carla', '--text', 'x');
    await refused(/add\.1: "carla"/, 'participants', id, '--add', 'ana', 'carla');
    await refused(/text: must not be empty/, 'note', id, '--member', 'ana', '--text', '');
    const long = 'x'.repeat(4097);
    await refused(/text: must be at most 4096/, 'reply', id, '--member', 'ana', '--text', long);
    await refused(/--for/, 'pause', id, '--for', 'soon');
    await refused(/either --member or --nobody/, 'assign', id);
    assert.deepEqual(await shown(contactId), before);
  });
});
