/** Missed messages are read back when a session or we return (D150). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NetworkChannel } from '../../../../../shared/ports/network.ts';
import type { NetworkEvent, Readiness } from '../../../../../shared/ports/network-event.ts';
import { SendFixture } from '../send-fixture.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const READY_PROBE_MS = MINUTE_MS;
const OVERLAP_MS = 5 * MINUTE_MS;

/** A network that keeps its messages, with webhooks that may not reach us. */
class Bridge {
  readonly fixture = new SendFixture();
  readonly asked: number[] = [];
  readiness: Readiness = { ready: true };
  said: NetworkEvent[] = [];
  /** How many events come before the network stops answering. */
  answersFor = Number.POSITIVE_INFINITY;
  /** Ends when the test says so. */
  held: Promise<void> = Promise.resolve();
  underWay = 0;
  most = 0;
  #posted: readonly NetworkEvent[] = [];
  #made = 0;

  static async opened(): Promise<Bridge> {
    const bridge = new Bridge();
    bridge.fixture.configure({});
    bridge.fixture.driver = {
      status: async () => bridge.readiness,
      parseWebhook: () => ({ verified: true, events: bridge.#posted }),
      readSince: (_channel: NetworkChannel, since: number) => bridge.#read(since),
    };
    await bridge.fixture.own();
    return bridge;
  }

  get now(): number {
    return this.fixture.clock.now();
  }

  /** A contact writes; the network keeps it. */
  writes(text: string, { agoMs = 0, from = '5511987654321' } = {}): NetworkEvent {
    const externalId = `3EB0${++this.#made}`;
    const at = this.now - agoMs;
    const person = { phone: from, networkId: `${from}@c.us` };
    const event: NetworkEvent = { type: 'message', externalId, kind: 'text', text, at, ...person };
    this.said.push(event);
    return event;
  }

  async post(...events: readonly NetworkEvent[]): Promise<number | undefined> {
    this.#posted = events;
    const answer = this.fixture.hook();
    await this.fixture.settle();
    return answer;
  }

  /** The channel has no owner for a while; then another process owns it. */
  async absent(ms: number, meanwhile: () => void = () => undefined): Promise<void> {
    await this.fixture.handOff();
    await this.fixture.writeSnapshots();
    this.fixture.clock.advance(ms);
    meanwhile();
    await this.fixture.own();
  }

  texts(): (string | null)[] {
    return this.fixture.entries().map(({ message }) => message?.text ?? null);
  }

  /** Texts that were offered to the flows of the organization. */
  routed(): (string | null)[] {
    const routes = this.fixture.entries().flatMap(({ outbox = [], message }) => {
      const commands = outbox.flatMap((item) => (item.type === 'command' ? item.command.type : []));
      return commands.includes('flow-route-message') ? (message?.text ?? null) : [];
    });
    return routes;
  }

  async *#read(since: number): AsyncIterable<readonly NetworkEvent[]> {
    this.asked.push(since);
    this.most = Math.max(this.most, ++this.underWay);
    try {
      await this.held;
      let told = 0;
      for (const event of this.said.filter((each) => 'at' in each && each.at >= since)) {
        if (told++ >= this.answersFor) throw new Error('the bridge stopped answering');
        yield [event];
      }
    } finally {
      this.underWay--;
    }
  }
}

test('a channel that was never away has nothing to read back', async () => {
  const bridge = await Bridge.opened();
  bridge.writes('de antes de nós', { agoMs: HOUR_MS });
  await bridge.fixture.pass(READY_PROBE_MS);
  assert.deepEqual([bridge.asked, bridge.texts()], [[], []]);
});

test('a new owner reads what came since the last webhook, and once', async () => {
  const bridge = await Bridge.opened();
  await bridge.fixture.pass(2 * MINUTE_MS);
  assert.equal(await bridge.post(bridge.writes('contada')), 200);
  const taken = bridge.now;
  await bridge.fixture.settle();
  await bridge.absent(HOUR_MS, () => bridge.writes('perdida', { agoMs: 30 * MINUTE_MS }));
  assert.deepEqual(bridge.texts(), ['contada', 'perdida']);
  assert.deepEqual(bridge.asked, [taken - OVERLAP_MS]);
  assert.equal(await bridge.post(...bridge.said), 200);
  await bridge.fixture.pass(10 * READY_PROBE_MS, 1_000);
  assert.deepEqual(bridge.texts(), ['contada', 'perdida']);
  assert.equal(bridge.asked.length, 1);
});

test('it is noted at most once a minute how far the network has told', async () => {
  const bridge = await Bridge.opened();
  const notes = () =>
    bridge.fixture.writes.filter((write) => 'update' in write && write.update === 'readBacks');
  assert.equal(notes().length, 1);
  for (let each = 0; each < 25; each++) {
    await bridge.post(bridge.writes(`${each}`));
    await bridge.fixture.pass(6_000, 1_000);
  }
  assert.equal(notes().length, 3);
});

test('a session that returns is read back from when it went', async () => {
  const bridge = await Bridge.opened();
  await bridge.fixture.pass(2 * MINUTE_MS);
  await bridge.post(bridge.writes('antes'));
  const left = bridge.now;
  await bridge.post({ type: 'readiness', readiness: { ready: false, reason: 'QR.' } });
  bridge.readiness = { ready: false, reason: 'QR.' };
  await bridge.fixture.pass(20 * MINUTE_MS, 5_000);
  bridge.writes('no silêncio', { agoMs: 10 * MINUTE_MS });
  // It comes before the session is known to be back: missed messages are older.
  await bridge.post(bridge.writes('já de volta'));
  assert.deepEqual(bridge.asked, []);
  bridge.readiness = { ready: true };
  await bridge.fixture.pass(10_000, 1_000);
  assert.deepEqual(bridge.asked, [left - OVERLAP_MS]);
  assert.deepEqual(bridge.texts(), ['antes', 'já de volta', 'no silêncio']);
});

test('a message that a webhook brought under another spelling is there once', async () => {
  const bridge = await Bridge.opened();
  await bridge.fixture.pass(MINUTE_MS);
  const said = bridge.writes('uma vez');
  await bridge.post(said);
  await bridge.absent(MINUTE_MS);
  assert.deepEqual([bridge.texts(), bridge.asked.length], [['uma vez'], 1]);
});

test('a network that stops answering is read again from where it was', async () => {
  const bridge = await Bridge.opened();
  await bridge.fixture.pass(MINUTE_MS);
  bridge.answersFor = 1;
  await bridge.absent(HOUR_MS, () => {
    for (const text of ['um', 'dois']) bridge.writes(text, { agoMs: MINUTE_MS });
  });
  assert.deepEqual(bridge.texts(), ['um']);
  bridge.answersFor = Number.POSITIVE_INFINITY;
  await bridge.post(bridge.writes('ao vivo'));
  await bridge.fixture.pass(READY_PROBE_MS, 1_000);
  assert.deepEqual(bridge.texts(), ['um', 'ao vivo', 'dois']);
  assert.equal(new Set(bridge.asked).size, 1);
});

test('webhooks and sends do not wait for it, and it runs once at a time', async () => {
  const bridge = await Bridge.opened();
  const { promise, resolve } = Promise.withResolvers<void>();
  bridge.held = promise;
  await bridge.absent(HOUR_MS, () => bridge.writes('perdida', { agoMs: MINUTE_MS }));
  assert.equal(await bridge.post(bridge.writes('ao vivo')), 200);
  const sent = bridge.fixture.send('cnv_1', 'para fora');
  await bridge.fixture.pass(5 * READY_PROBE_MS, 1_000);
  assert.equal((await sent)?.status, 201);
  assert.deepEqual(bridge.fixture.texts(), ['para fora']);
  assert.deepEqual([bridge.asked.length, bridge.most], [1, 1]);
  resolve();
  await bridge.fixture.settle();
  assert.deepEqual(bridge.texts(), ['ao vivo', 'para fora', 'perdida']);
});

test('at most a day is read back', async () => {
  const bridge = await Bridge.opened();
  await bridge.absent(72 * HOUR_MS);
  assert.deepEqual(bridge.asked, [bridge.now - 24 * HOUR_MS]);
});

test('no flow begins by a message that was missed for longer than 15 minutes', async () => {
  const bridge = await Bridge.opened();
  await bridge.absent(HOUR_MS, () => {
    bridge.writes('velha', { agoMs: 16 * MINUTE_MS });
    bridge.writes('recente', { agoMs: 14 * MINUTE_MS, from: '5511987650000' });
  });
  assert.deepEqual(bridge.texts(), ['velha', 'recente']);
  assert.deepEqual(bridge.routed(), ['recente']);
});

test('an opt-out that was missed counts, however old', async () => {
  const bridge = await Bridge.opened();
  await bridge.absent(20 * HOUR_MS, () => bridge.writes('PARAR', { agoMs: 19 * HOUR_MS }));
  const [entry] = bridge.fixture.entries();
  const commands = entry?.outbox?.flatMap((item) =>
    item.type === 'command' ? item.command.type : [],
  );
  assert.deepEqual(commands, ['opt']);
});

test('a network that keeps nothing is neither asked nor noted', async () => {
  const fixture = await SendFixture.opened();
  await fixture.pass(2 * MINUTE_MS, 1_000);
  assert.deepEqual(fixture.database.all('readBacks'), []);
});
