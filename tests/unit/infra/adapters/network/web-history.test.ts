/** Queries of the bridge: registered numbers, missed messages, files again, and readiness. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { InboundMedia, NetworkEvent } from '../../../../../shared/ports/network-event.ts';
import { ok, useBridge } from '../../../../support/stand-ins/bridge.ts';
import { answerOf, engine, payload } from './web-payloads.ts';

const bridge = useBridge('each test');

describe('web: under which chat somebody is registered', () => {
  const cases: readonly [name: string, chat: string][] = [
    ['check-exists-pn-gows', '553188887777@c.us'],
    ['check-exists-hidden', '77000000000123@lid'],
    ['check-exists-phone', '553188887777@c.us'],
  ];
  for (const [name, chat] of cases) {
    it(`${name}: the phone where told, else the hidden id, never the typed digits`, async () => {
      bridge.answers = ({ path }) =>
        path.endsWith('check-exists') ? ok(payload(name)) : answerOf('answer-send-gows');
      const message = { messageId: 'msg_1', to: '5531988887777', text: 'oi' };
      const outcome = await bridge.driver.sendText(bridge.channel, message);
      assert.ok(outcome.outcome === 'accepted' && outcome.networkId === chat);
      assert.equal(bridge.requests.at(-1)?.body?.chatId, chat);
    });
  }
});

describe('web: what was missed', () => {
  const SINCE = 1_783_400_000_000;
  async function missed(): Promise<NetworkEvent[]> {
    const found: NetworkEvent[] = [];
    const pages = bridge.driver.readSince?.(bridge.channel, SINCE);
    assert.ok(pages);
    for await (const page of pages) found.push(...page);
    return found;
  }

  it('messages and echoes of the chats with activity since, oldest first', async () => {
    bridge.answers = engine('gows', ({ path, query }) => {
      const name = path.endsWith('/overview') ? 'chats-overview-gows' : 'chat-messages-gows';
      return ok(query.offset === '0' ? payload(name) : []);
    });
    const told = (await missed()).map((event) => {
      return `${event.type} ${'externalId' in event ? event.externalId : ''}`;
    });
    assert.deepEqual(told, ['message IN1', 'message IN2', 'echo 3EB0A1B2C3D4E5F6071829']);
    const chats = bridge.requests.filter(({ path }) => path.endsWith('/messages'));
    const paths = new Set(chats.map(({ path }) => path));
    const chat = '/api/shop/chats/5531988887777@c.us/messages';
    assert.deepEqual([...paths], [chat], 'no group, no quiet chat');
    assert.ok(chats.every(({ query }) => query['filter.timestamp.gte'] === '1783400000'));
  });

  it('nothing of a session that works as another number is read', async () => {
    const other = { name: 'shop', status: 'WORKING', me: { id: '5511955554444@c.us' } };
    bridge.answers = ({ path }) => (path === '/api/sessions/shop' ? ok(other) : ok([]));
    await assert.rejects(missed, /works as another number/);
    assert.deepEqual(
      bridge.requests.map(({ path }) => path),
      ['/api/sessions/shop'],
    );
  });

  it('a bridge that keeps nothing has nothing to tell; one that fails rejects', async () => {
    bridge.answers = engine('noweb', () => answerOf('error-store-disabled'));
    assert.deepEqual(await missed(), []);
    bridge.answers = engine('noweb', () => answerOf('error-exception-noweb'));
    await assert.rejects(missed);
    bridge.answers = engine('noweb', () => answerOf('error-session-stopped'));
    await assert.rejects(missed);
  });
});

describe('web: files of contacts', () => {
  const ID = 'false_77000000000123@lid_AC2F11D3B7A95E6C4D0812FA3399E771';
  const media: InboundMedia = { networkMediaId: ID, mimeType: 'image/jpeg' };
  const bytes = Buffer.from('a picture');
  async function get(more: Partial<InboundMedia> = {}) {
    const found = await bridge.driver.download(bridge.channel, { ...media, ...more });
    if (!found.downloaded) return found;
    const parts: Uint8Array[] = [];
    for await (const part of found.body) parts.push(part);
    return Buffer.concat(parts).toString();
  }
  /** The file lies under the address that the message tells when it is asked for. */
  const keeps = (path: string) => {
    if (path.startsWith('/api/files/')) {
      return path.endsWith('.jpeg') ? { status: 200, body: bytes } : answerOf('error-no-route');
    }
    return path === `/api/shop/chats/77000000000123@lid/messages/${ID}`
      ? ok(payload('message-media-gows'))
      : undefined;
  };

  it('of a bridge that does not know its name, and once more when it is gone', async () => {
    bridge.answers = ({ path }) => keeps(path);
    assert.equal(await get({ url: 'http://localhost:3000/api/files/shop/A.jpeg' }), 'a picture');
    assert.equal(bridge.requests.length, 1);
    assert.equal(await get({ url: 'http://localhost:3000/api/files/shop/A.gone' }), 'a picture');
    assert.equal(await get(), 'a picture', 'none was told');
    assert.equal(bridge.requests.at(-2)?.query.downloadMedia, 'true');
  });

  it('given up only when the message is gone', async () => {
    const emptied = ok({ ...Object(payload('message-media-gows')), media: null });
    for (const [answer, isFinal] of [
      [answerOf('error-message-unknown'), true],
      [answerOf('error-exception-noweb'), false],
      [emptied, false],
    ] as const) {
      bridge.answers = () => answer;
      assert.equal(Object(await get()).final, isFinal);
    }
  });
});

describe('web: stickers', () => {
  const send = () => {
    const read = async function* () {
      yield Buffer.from('abc');
    };
    const picture = { mimeType: 'image/webp', fileName: null };
    return bridge.driver.sendMedia(bridge.channel, {
      ...{ messageId: 'msg_1', to: '5511988887777', kind: 'sticker', caption: null, ...picture },
      content: { file: { ...picture, sizeBytes: 3, read } },
    });
  };
  const calls = () =>
    bridge.requests.flatMap(({ method, path }) => (method === 'POST' ? path : []));

  it('by the call for them, else as a file', async () => {
    bridge.answers = engine('gows', () => answerOf('answer-send-gows'));
    await bridge.driver.status(bridge.channel);
    assert.equal((await send()).outcome, 'accepted');
    bridge.answers = engine('gows', ({ path }) =>
      path === '/api/sendSticker' ? answerOf('error-no-route') : answerOf('answer-send-gows'),
    );
    assert.equal((await send()).outcome, 'accepted');
    assert.equal((await send()).outcome, 'accepted');
    const [sticker, whole] = ['/api/sendSticker', '/api/sendFile'];
    assert.deepEqual(calls(), [sticker, sticker, whole, whole]);
  });
});

describe('web: the session', () => {
  it('ready with and without a restriction; null tells nothing', async () => {
    const statusOf = async (name: string) => {
      bridge.answers = ({ path }) =>
        path === '/api/sessions/shop' ? ok(payload(name)) : undefined;
      return bridge.driver.status(bridge.channel);
    };
    const until = 4_070_908_800_000;
    for (const [name, told] of [
      ['session-restricted-gows', { restriction: { until } }],
      ['session-unrestricted-gows', { restriction: null }],
      ['session-silent-gows', {}],
    ] as const) {
      assert.deepEqual(await statusOf(name), { ready: true, ...told });
    }
  });
});
