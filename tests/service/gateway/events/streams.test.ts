/** Event streams on the real service, read by a client that knows nothing but HTTP. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { AcknowledgedEventsAnswer } from '../../../../shared/api/event-stream.ts';
import { parseAnswer } from '../../../support/api/answers.ts';
import { type Answer, assertRefused, freshPhone } from '../../../support/api.ts';
import { deliveriesOf } from '../../../support/delivery.ts';
import { type ReadingOptions, type ReadStream, readStream } from '../../../support/event-stream.ts';
import { pluck } from '../../../support/pluck.ts';
import { startSecondGateway } from '../../../support/second-gateway.ts';
import { useOrganizations, useStack, useSubscriber } from '../../../support/stack-hooks.ts';

const stack = useStack();
const subscriber = useSubscriber();
const { shop, other, few } = useOrganizations(stack, () => {
  const subscriptions = [{ ref: 'hook', url: `${subscriber.url}/hook`, events: ['*'] }];
  return { shop: { subscriptions }, other: {}, few: { limits: { perKey: 3, perOrg: 1_000 } } };
});

let names = 0;
/** A stream of the test's own. */
const fresh = () => `s-${++names}`;

async function open(options: ReadingOptions): Promise<ReadStream> {
  const stream = await readStream(stack.baseUrl, options);
  assert.equal(stream.status, 200);
  return stream;
}

/** A contact writes on a channel; the id of its message is in the event. */
async function write(channelId: string, text: string): Promise<string> {
  await stack.network.inbound({ channelId, from: freshPhone(), text });
  return text;
}

const ack = (key: string, body: unknown): Promise<Answer> =>
  stack.request('POST', '/api/v1/events/ack', { key, body });

async function acknowledged(key: string, body: unknown): Promise<number> {
  return parseAnswer(await ack(key, body), AcknowledgedEventsAnswer).data.acknowledged;
}

const textsOf = ({ events }: ReadStream) =>
  events.flatMap(({ data }) => /"text":"([^"]+)"/.exec(data)?.[1] ?? []);

/** Of its deliveries those of the test: late events of the tests before may come too. */
const ownOf = ({ events }: ReadStream, ids: readonly (string | null)[]) =>
  pluck(events, 'id').filter((id) => ids.includes(id));

describe('what a stream writes', () => {
  test('the bytes that a POST carries, under the id of its own delivery', async () => {
    using stream = await open({ key: shop.key, query: { name: fresh() } });
    assert.equal(stream.headers['content-type'], 'text/event-stream; charset=utf-8');
    assert.equal(stream.headers['x-event-header-prefix'], 'X-Service');
    const text = await write(shop.main, `bytes-${fresh()}`);
    const { id, event, data } = await stream.about(text);
    assert.ok(stream.text().startsWith('retry: 1000\n\n'));
    assert.match(id ?? '', /^dlv_\w{22}$/);
    const posted = (await subscriber.until('/hook', 1)).find(({ bytes }) => bytes.includes(text));
    assert.deepEqual([event, data], ['message.received', posted?.bytes.toString('utf8')]);
    assert.notEqual(id, posted?.delivery);
  });

  test('a channel key hears its own channel, an account key all, nobody another organization', async () => {
    using account = await open({ key: shop.key, query: { name: fresh() } });
    using main = await open({ key: shop.mainKey });
    using stranger = await open({ key: other.key });
    const onShop = await write(shop.shop, `shop-${fresh()}`);
    const onMain = await write(shop.main, `main-${fresh()}`);
    await account.about(onShop);
    await account.about(onMain);
    await main.about(onMain);
    const theirs = await write(other.main, `other-${fresh()}`);
    await stranger.about(theirs);
    assert.deepEqual(textsOf(main), [onMain]);
    assert.deepEqual(textsOf(stranger), [theirs]);
  });

  test('only the events that were asked for', async () => {
    using sent = await open({ key: shop.key, query: { name: fresh(), events: 'message.sent' } });
    const phone = freshPhone();
    await stack.network.inbound({ channelId: shop.main, from: phone, text: 'pergunta' });
    await stack.send(shop.key, { channelId: shop.main, phone, text: 'resposta' });
    await sent.about('resposta');
    assert.deepEqual(textsOf(sent), ['resposta']);
  });
});

describe('resumption', () => {
  test('what is not acknowledged comes again with its id and bytes, in order', async () => {
    const query = { name: fresh() };
    const one = await open({ key: shop.key, query });
    const texts = [
      await write(shop.main, `one-${query.name}`),
      await write(shop.main, `two-${query.name}`),
    ];
    for (const text of texts) await one.about(text);
    const first = one.events;
    one[Symbol.dispose]();
    texts.push(await write(shop.main, `three-${query.name}`));
    using again = await open({ key: shop.key, query });
    await again.about(texts[2] ?? '');
    assert.deepEqual(again.events.slice(0, first.length), first);
    // On a slow machine events of the tests before come late, and into this stream.
    const own = (stream: ReadStream) => textsOf(stream).filter((text) => texts.includes(text));
    assert.deepEqual(own(again), texts);
    const behind = await again.about(texts[1] ?? '');
    again[Symbol.dispose]();
    using rest = await open({ key: shop.key, query, lastEventId: behind.id ?? '' });
    await rest.about(texts[2] ?? '');
    assert.deepEqual(own(rest), texts.slice(2));
  });

  test('a newer connection ends the older one, which is told so', async () => {
    const query = { name: fresh() };
    using older = await open({ key: shop.key, query });
    using newer = await open({ key: shop.key, query });
    await older.ended();
    assert.ok(older.text().endsWith('event: replaced\nretry: 60000\ndata: {}\n\n'));
    await newer.about(await write(shop.main, `newer-${query.name}`));
    assert.equal(newer.isEnded(), false);
  });

  test('an acknowledgement settles up to its id, with no connection too', async () => {
    const query = { name: fresh() };
    const { name } = query;
    const stream = await open({ key: shop.key, query });
    const ids: (string | null)[] = [];
    for (const text of ['a', 'b', 'c']) {
      ids.push((await stream.about(await write(shop.main, `${text}-${name}`))).id);
    }
    assert.equal(await acknowledged(shop.key, { name, id: ids[0] }), 1);
    stream[Symbol.dispose]();
    assert.equal(await acknowledged(shop.key, { name, id: ids[1] }), 1);
    using again = await open({ key: shop.key, query });
    await again.about(`c-${name}`);
    assert.deepEqual(ownOf(again, ids), ids.slice(2));
  });

  test('results settle each delivery alone, and are its attempt', async () => {
    const query = { name: fresh() };
    const { name } = query;
    const stream = await open({ key: shop.key, query });
    const ids: string[] = [];
    for (const text of ['a', 'b', 'c']) {
      ids.push((await stream.about(await write(shop.main, `${text}-${name}`))).id ?? '');
    }
    const [good, kept, bad] = ids;
    const results = [
      { id: good, status: 204, ms: 12.4 },
      { id: bad, status: null, ms: 10_000 },
      { id: 'dlv_nothing', status: 200, ms: 1 },
    ];
    assert.equal(await acknowledged(shop.key, { name, results }), 2);
    stream[Symbol.dispose]();
    using again = await open({ key: shop.key, query });
    await again.about(`b-${name}`);
    assert.deepEqual(ownOf(again, ids), [kept]);
    const listed = await deliveriesOf(stack, shop.ref);
    const shown = [good, bad].map((id) => listed.find((each) => each.id === id));
    assert.deepEqual(
      shown.map((each) => [each?.status, each?.attempts.at(-1)?.status, each?.attempts.at(-1)?.ms]),
      [
        ['succeeded', 204, 12],
        ['failed', null, 10_000],
      ],
    );
  });

  test("another key's delivery, and one of no stream, settles nothing", async () => {
    const query = { name: fresh() };
    using account = await open({ key: shop.key, query });
    using stranger = await open({ key: other.key, query });
    const { id } = await account.about(await write(shop.main, `mine-${query.name}`));
    const { name } = query;
    assert.equal(await acknowledged(other.key, { name, id }), 0);
    const results = [{ id, status: 200, ms: 1 }];
    assert.equal(await acknowledged(other.key, { name, results }), 0);
    assert.equal(await acknowledged(shop.key, { name, id: 'dlv_nothing' }), 0);
    assertRefused(await ack(shop.mainKey, { name: fresh(), id }), 404);
    assert.deepEqual(stranger.events, []);
    assert.equal(await acknowledged(shop.key, { name, id }), 1);
  });
});

describe('limits', () => {
  test('an acknowledgement counts in no window, and comes at most twice a second', async () => {
    const left = async () =>
      Number(
        /"key";r=(\d+)/.exec(
          (await stack.request('GET', '/api/v1/me', { key: few.key })).headers.get('ratelimit') ??
            '',
        )?.[1],
      );
    using stream = await open({ key: few.key });
    const statuses: number[] = [];
    const answers = await Promise.all([1, 2, 3, 4].map((id) => ack(few.key, { id: `dlv_${id}` })));
    for (const answer of answers) {
      statuses.push(answer.status);
      if (answer.status === 429) assert.equal(answer.headers.get('retry-after'), '1');
    }
    assert.deepEqual(statuses.toSorted(), [200, 200, 429, 429]);
    assert.equal(await left(), 1, 'the stream and this call');
    assert.equal(await left(), 0);
    assertRefused(await stack.request('GET', '/api/v1/me', { key: few.key }), 429);
    assertRefused(await stack.request('GET', '/api/v1/events', { key: few.key }), 429);
    assert.equal(stream.isEnded(), false);
  });

  test('a key has ten streams: the eleventh name is 409, a known one is not', async () => {
    const { mainKey: key } = other;
    const opened: ReadStream[] = [];
    for (let n = 0; n < 10; n++) opened.push(await open({ key, query: { name: `of-ten-${n}` } }));
    assertRefused(await stack.request('GET', '/api/v1/events?name=eleventh', { key }), 409);
    opened.push(await open({ key, query: { name: 'of-ten-0' } }));
    for (const each of opened) each[Symbol.dispose]();
  });
});

describe('ends', () => {
  test('a revoked key ends its streams, and opens none', async () => {
    const token = `given-token-of-${fresh()}-that-is-revoked-0123456789`;
    const old = { ref: 'old', name: 'Antiga', scope: 'account', token };
    const { ref } = shop;
    await stack.apply({ orgs: [{ ref, keys: [old] }] });
    using stream = await open({ key: token });
    await stream.about(await write(shop.main, `revoked-${fresh()}`));
    await stack.apply({ orgs: [{ ref, keys: [{ ref: 'old', remove: true }] }] });
    await stream.ended();
    assert.ok(!stream.text().includes('event: replaced'));
    assertRefused(await stack.request('GET', '/api/v1/events', { key: token }), 401);
  });

  test('a gateway that stops ends them at once, and the next connection goes on', async () => {
    const second = await startSecondGateway(stack);
    const query = { name: fresh() };
    using stream = await readStream(second.baseUrl, { key: shop.key, query });
    const seen = await stream.about(await write(shop.main, `before-${query.name}`));
    await second.stop();
    assert.ok(stream.isEnded());
    const text = await write(shop.main, `after-${query.name}`);
    using again = await open({ key: shop.key, query, lastEventId: seen.id ?? '' });
    await again.about(text);
    assert.deepEqual(textsOf(again), [text]);
  });
});
