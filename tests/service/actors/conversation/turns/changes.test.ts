/**
 * Edits and deletions by a message's author (D153): production actors in a world without faults.
 * `changed-messages.test.ts` has them over the networks' own webhooks.
 */
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { NetworkEvent } from '../../../../../shared/ports/network-event.ts';
import { type NetworkEventFixture, testEvents } from '../../../../support/network-event-fixture.ts';

const PHONE = '5511987650001';
const OTHER = '5511987650002';
const ID = '3EB0BB01';

type Over = Readonly<Record<string, unknown>>;

function event(
  fixture: NetworkEventFixture,
  type: NetworkEvent['type'],
  over: Over = {},
): NetworkEvent {
  const person = { phone: PHONE, networkId: `${PHONE}@c.us` };
  const told = { type, externalId: ID, ...person, kind: 'text', text: 'original', at: fixture.now };
  return { ...told, ...over } as unknown as NetworkEvent;
}

function edit(fixture: NetworkEventFixture, text: string | null, over: Over = {}): NetworkEvent {
  return event(fixture, 'edit', { text, fromMe: false, ...over });
}

function deletion(fixture: NetworkEventFixture, over: Over = {}): NetworkEvent {
  return event(fixture, 'deletion', { fromMe: false, ...over });
}

async function shown(fixture: NetworkEventFixture) {
  const [entry] = fixture.named(ID);
  assert.ok(entry);
  const { conversationId } = entry;
  const history = await fixture.history(conversationId);
  const [message] = history.filter(({ externalId }) => externalId === ID);
  assert.ok(message);
  return { message, history, conversation: await fixture.conversation(conversationId) };
}

const iso = (at: number): string => new Date(at).toISOString();

describe('an edit by the author', () => {
  testEvents('is the newest text, in lists and preview, and nothing else', async (fixture) => {
    await fixture.deliver('web', [event(fixture, 'message')]);
    const before = await shown(fixture);
    assert.ok(!('editedAt' in before.message) && !('deletedAt' in before.message));
    await fixture.pass(2_000);
    const at = fixture.now;
    await fixture.deliver('web', [edit(fixture, 'qual o preço?')]);
    await fixture.pass(10_000);
    const after = await shown(fixture);
    assert.deepEqual(after.message, {
      ...before.message,
      text: 'qual o preço?',
      editedAt: iso(at),
    });
    const { lastMessagePreview } = after.conversation;
    assert.deepEqual(after.conversation, { ...before.conversation, lastMessagePreview });
    assert.equal(lastMessagePreview, 'qual o preço?');
    assert.equal(after.history.length, 1, 'no flow has answered');
    const told = fixture.world.subscribers.posts.filter(({ body }) =>
      body.includes('message.received'),
    );
    assert.ok(told.every(({ body }) => body.includes('original')));
  });

  testEvents('out of order, repeated, across a restart, the newest stays', async (fixture) => {
    const { now } = fixture;
    await fixture.deliver('cloud', [event(fixture, 'message')]);
    const edits = [3, 1, 2, 3, 1].map((n) => edit(fixture, `edição ${n}`, { at: now + n * 1_000 }));
    for (const each of edits.slice(0, 3)) await fixture.deliver('cloud', [each]);
    await fixture.restart();
    await fixture.deliver('cloud', ...edits.map((each) => [each]));
    const { message, conversation } = await shown(fixture);
    assert.deepEqual([message.text, message.editedAt], ['edição 3', iso(now + 3_000)]);
    assert.equal(conversation.lastMessagePreview, 'edição 3');
  });

  testEvents(
    'that comes before its message is kept for it, also over a restart',
    async (fixture) => {
      await fixture.deliver('web', [edit(fixture, 'corrigida')]);
      assert.equal(fixture.entries().length, 0);
      await fixture.restart();
      await fixture.deliver('web', [event(fixture, 'message')]);
      const { message, conversation } = await shown(fixture);
      assert.deepEqual([message.text, conversation.lastMessagePreview], ['corrigida', 'corrigida']);
      assert.equal(conversation.unread, 1);
      assert.equal(fixture.count('externals'), 0);
    },
  );

  testEvents('in one webhook with its message it is applied', async (fixture) => {
    await fixture.deliver('cloud', [event(fixture, 'message'), edit(fixture, 'corrigida')]);
    assert.equal((await shown(fixture)).message.text, 'corrigida');
  });

  testEvents('of an older message leaves the preview', async (fixture) => {
    await fixture.deliver('web', [event(fixture, 'message')]);
    await fixture.deliver('web', [event(fixture, 'message', { externalId: 'B2', text: 'depois' })]);
    await fixture.deliver('web', [edit(fixture, 'corrigida')]);
    const { message, conversation } = await shown(fixture);
    assert.deepEqual([message.text, conversation.lastMessagePreview], ['corrigida', 'depois']);
  });

  testEvents('leaves a resolved conversation resolved and read', async (fixture) => {
    await fixture.deliver('web', [event(fixture, 'message')]);
    const [entry] = fixture.named(ID);
    const order = { type: 'resolve' };
    const resolved = fixture.shop.operate(entry?.conversationId ?? '', order);
    await fixture.pass(1_000);
    assert.equal((await resolved).status, 200);
    await fixture.deliver('web', [edit(fixture, 'corrigida')], [deletion(fixture)]);
    const { conversation } = await shown(fixture);
    assert.deepEqual([conversation.status, conversation.unread], ['resolved', 1]);
  });
});

describe('a deletion by the author', () => {
  testEvents('empties the message and its preview for good', async (fixture) => {
    await fixture.deliver('web', [event(fixture, 'message')]);
    const { message: before } = await shown(fixture);
    const { now: at } = fixture;
    await fixture.deliver('web', [deletion(fixture)]);
    await fixture.deliver('web', [edit(fixture, 'de volta', { at: at + 60_000 })]);
    const { message, conversation } = await shown(fixture);
    const { editedAt: _, ...rest } = message;
    assert.deepEqual(rest, { ...before, text: null, media: null, deletedAt: iso(at) });
    assert.equal(conversation.lastMessagePreview, '[deleted]');
  });

  testEvents(
    'of a message with media takes the media away, also where it comes later',
    async (fixture) => {
      const media = { networkMediaId: ID, mimeType: 'image/png' };
      await fixture.deliver('cloud', [
        event(fixture, 'message', { kind: 'image', text: null, media }),
      ]);
      await fixture.deliver('cloud', [deletion(fixture)]);
      await fixture.pass(20_000);
      assert.notEqual(fixture.named(ID)[0]?.message?.media ?? null, null, 'it came');
      assert.equal((await shown(fixture)).message.media, null);
    },
  );
});

describe('the author alone', () => {
  testEvents(
    'changes a message: no other contact, and nobody a message of the other side',
    async (fixture) => {
      const stranger = { phone: OTHER, networkId: `${OTHER}@c.us` };
      await fixture.deliver('web', [event(fixture, 'message')]);
      await fixture.deliver('web', [event(fixture, 'message', { ...stranger, externalId: 'B2' })]);
      await fixture.deliver(
        'web',
        [edit(fixture, 'alheia', stranger)],
        [deletion(fixture, stranger)],
      );
      await fixture.deliver('web', [edit(fixture, 'nossa', { fromMe: true })]);
      await fixture.deliver('web', [deletion(fixture, { fromMe: true })]);
      const { message } = await shown(fixture);
      assert.deepEqual([message.text, 'deletedAt' in message], ['original', false]);
    },
  );

  testEvents('a change kept from another contact never reaches the message', async (fixture) => {
    const stranger = { phone: OTHER, networkId: `${OTHER}@c.us` };
    await fixture.deliver('web', [edit(fixture, 'alheia', stranger)]);
    await fixture.deliver('web', [event(fixture, 'message')]);
    await fixture.deliver('web', [event(fixture, 'message', stranger)]);
    assert.equal((await shown(fixture)).message.text, 'original');
  });

  testEvents(
    'our phone changes what our number wrote, sent by the API or typed',
    async (fixture) => {
      await fixture.deliver('web', [event(fixture, 'echo')]);
      await fixture.deliver('web', [edit(fixture, 'dele', { fromMe: false })]);
      await fixture.deliver('web', [edit(fixture, 'corrigida', { fromMe: true })]);
      const { message, conversation } = await shown(fixture);
      assert.deepEqual([message.text, message.direction], ['corrigida', 'out']);
      assert.equal(conversation.lastMessagePreview, 'corrigida');
      const { shop } = fixture.shop;
      const body = { channelId: shop.id, phone: PHONE, text: 'pela API' };
      await fixture.call({ method: 'POST', path: '/api/v1/messages', body });
      await fixture.pass(3_000);
      const sent = fixture.entries().find(({ message: each }) => each?.text === 'pela API');
      const externalId = sent?.message?.externalId;
      await fixture.deliver('web', [deletion(fixture, { externalId, fromMe: true })]);
      const history = await fixture.history(sent?.conversationId ?? '');
      const [, api] = history;
      assert.deepEqual([api?.text, api?.status, 'deletedAt' in (api ?? {})], [null, 'read', true]);
    },
  );

  testEvents('under another of their ids it is the author still', async (fixture) => {
    const hidden = { phone: '', networkId: '77001@lid' };
    await fixture.deliver('web', [event(fixture, 'message')]);
    await fixture.deliver('web', [
      edit(fixture, 'corrigida', { ...hidden, aliases: [`${PHONE}@c.us`] }),
    ]);
    assert.equal((await shown(fixture)).message.text, 'corrigida');
  });
});
