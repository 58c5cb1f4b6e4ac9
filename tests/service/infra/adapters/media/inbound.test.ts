/**
 * Contacts' files: fetched from the network after the webhook's commit, kept, and shown on the
 * message, whatever breaks in between (I22).
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as v from 'valibot';
import type { Message } from '../../../../../shared/api/message.ts';
import { freshPhone } from '../../../../support/api.ts';
import { useOrganizations, useStack, useSubscriber } from '../../../../support/stack-hooks.ts';
import { record } from '../../../../support/stand-ins/server.ts';
import type { Received } from '../../../../support/stand-ins/subscriber.ts';
import { waitUntil } from '../../../../support/wait-for.ts';
import { bytesOf, digestOf, read, write } from './media-fixture.ts';

const stack = useStack();
const subscriber = useSubscriber();
const { a } = useOrganizations(stack, () => ({
  a: {
    subscriptions: [
      { ref: 'crm', url: `${subscriber.url}/events`, events: ['message.received', 'message.sent'] },
    ],
  },
}));

/** The event of a contact's first message. */
function eventOf(phone: string): Promise<Received> {
  return waitUntil(`an event of ${phone}`, () =>
    subscriber.at('/events').find(({ data }) => data.phone === phone),
  );
}

const EventMedia = v.object({
  id: v.string(),
  mimeType: v.string(),
  fileName: v.nullable(v.string()),
  sizeBytes: v.nullable(v.number()),
  url: v.string(),
});

async function mediaTold(phone: string) {
  return v.parse(EventMedia, (await eventOf(phone)).data.media);
}

async function historyOf(key: string, phone: string): Promise<Message[]> {
  const { data } = await stack.conversations(key);
  const conversation = data.find((each) => each.contact.phone === phone);
  return conversation ? stack.history(key, conversation.id) : [];
}

/** The contact's newest message once its media is there. */
function arrived(key: string, phone: string): Promise<Message> {
  return waitUntil(`the media of ${phone}`, async () => {
    const [newest] = await historyOf(key, phone);
    return newest?.media ? newest : null;
  });
}

const KINDS = [
  ['image', 'image/jpeg'],
  ['audio', 'audio/ogg; codecs=opus'],
  ['video', 'video/mp4'],
  ['document', 'application/pdf'],
  ['sticker', 'image/webp'],
] as const;

describe('media that a contact sends', () => {
  for (const provider of ['cloud', 'web'] as const) {
    for (const [kind, mimeType] of KINDS) {
      test(`${kind} over ${provider} is kept and can be read`, async () => {
        const phone = freshPhone();
        const bytes = bytesOf(`${provider} ${kind} `, 50_000);
        const media = { kind, mimeType, data: bytes.toString('base64'), fileName: `a.${kind}` };
        const [channelId, key] = provider === 'cloud' ? [a.main, a.mainKey] : [a.shop, a.shopKey];
        await write(stack, { channelId, from: phone, text: 'olha', media });
        const message = await arrived(key, phone);
        assert.equal(message.direction, 'in');
        assert.equal(message.kind, kind);
        assert.equal(message.text, 'olha');
        assert.equal(message.media?.mimeType, mimeType.split(';')[0]);
        assert.equal(message.media?.sizeBytes, bytes.length);
        const got = await read(message.media?.url ?? '', key);
        assert.equal(digestOf(got.bytes), digestOf(bytes));
        const { sizeBytes, ...told } = await mediaTold(phone);
        const { sizeBytes: stored, ...shown } = message.media ?? {};
        assert.deepEqual(told, shown);
        assert.ok(sizeBytes === null || sizeBytes === stored);
        assert.deepEqual((await eventOf(phone)).data.author, message.author);
      });
    }
  }

  test('what a person sends from the phone itself is kept too', async () => {
    const phone = freshPhone();
    const bytes = bytesOf('typed on the phone');
    const media = { mimeType: 'image/png', data: bytes.toString('base64') };
    await write(stack, { channelId: a.shop, from: phone, media, echo: true });
    const message = await arrived(a.shopKey, phone);
    assert.deepEqual([message.direction, message.author.kind], ['out', 'member']);
    assert.ok((await read(message.media?.url ?? '', a.shopKey)).bytes.equals(bytes));
    assert.equal((await mediaTold(phone)).url, message.media?.url);
  });

  test('the same webhook twice is one message with one file', async () => {
    const phone = freshPhone();
    const media = { mimeType: 'image/png', data: bytesOf('twice').toString('base64') };
    const request = { channelId: a.main, from: phone, media, id: `wamid.TWICE${phone}` };
    await Promise.all([write(stack, request), write(stack, request)]);
    await arrived(a.mainKey, phone);
    assert.equal((await historyOf(a.mainKey, phone)).length, 1);
  });
});

/** A file's address beside the bridge that refuses so many times, and can be held. */
async function unreliable(refusals: number) {
  const server = await record(() =>
    server.arrived.length <= refusals
      ? 503
      : { headers: { 'content-type': 'image/png' }, body: 'at last' },
  );
  return { ...server, url: `${server.url}/bucket/a.png` };
}

describe('a network that does not give the media at once', () => {
  test('is no reason to tell of the message without its file, which is to be asked for', async () => {
    await using bridge = await unreliable(2);
    const phone = freshPhone();
    const media = { mimeType: 'audio/ogg', url: bridge.url };
    await write(stack, { channelId: a.shop, from: phone, media });
    const { url, sizeBytes } = await mediaTold(phone);
    const early = await read(url, a.shopKey);
    assert.deepEqual([early.status, early.headers.get('retry-after'), sizeBytes], [409, '1', null]);
    assert.equal((await read(url, a.mainKey)).status, 403);
    const message = await arrived(a.shopKey, phone);
    assert.equal(message.media?.url, url);
    const { status, bytes } = await read(url, a.shopKey);
    assert.ok(status === 200 && bytes.equals(bytesOf('at last')));
  });

  test('is asked again, and gets no key that is not for it', async () => {
    await using bridge = await unreliable(2);
    const phone = freshPhone();
    const media = { mimeType: 'image/png', url: bridge.url };
    await write(stack, { channelId: a.shop, from: phone, media });
    const [before] = await historyOf(a.shopKey, phone);
    assert.equal(before?.kind, 'image');
    const message = await arrived(a.shopKey, phone);
    assert.ok((await read(message.media?.url ?? '', a.shopKey)).bytes.equals(bytesOf('at last')));
    const keys = bridge.arrived.map(({ headers }) => headers['x-api-key']);
    assert.deepEqual(keys, [undefined, undefined, undefined]);
  });

  test('a kill of the owner in between loses nothing', async () => {
    await using bridge = await unreliable(1);
    const phone = freshPhone();
    const media = { mimeType: 'image/png', url: bridge.url };
    await write(stack, { channelId: a.shop, from: phone, media });
    process.kill(stack.pid('actors'), 'SIGKILL');
    const message = await arrived(a.shopKey, phone);
    assert.equal(message.media?.sizeBytes, bytesOf('at last').length);
    assert.equal((await historyOf(a.shopKey, phone)).length, 1);
  });

  test('what it has let go of for good is given up, and the message stays', async () => {
    const phone = freshPhone();
    const media = { mimeType: 'image/png', url: `${stack.sandboxUrl}/media/0` };
    await write(stack, { channelId: a.shop, from: phone, text: 'sem anexo', media });
    await write(stack, { channelId: a.shop, from: phone, text: 'e depois' });
    const texts = (await historyOf(a.shopKey, phone)).map(({ text, media: shown }) => [
      text,
      shown,
    ]);
    assert.deepEqual(texts, [
      ['e depois', null],
      ['sem anexo', null],
    ]);
    const { url } = await mediaTold(phone);
    await waitUntil('the file is given up', async () => {
      const { status } = await read(url, a.shopKey);
      return status === 404;
    });
  });
});
