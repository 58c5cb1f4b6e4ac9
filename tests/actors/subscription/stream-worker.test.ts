/**
 * Event streams: whatever is recorded reaches a connection at least once, with the same bytes, in
 * the order of each entity's commits, and what was acknowledged never comes again. Owners crash,
 * nudges get lost, connections come and go, clocks of owners differ.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { StreamEntry } from '../../../actors/domain/organization/streams.ts';
import type { Environment } from '../../../actors/environment.ts';
import {
  type DeliveryDocument,
  fanOutOrder,
  recordedState,
} from '../../../actors/subscription/api.ts';
import { StreamWorker } from '../../../actors/subscription/stream-worker.ts';
import { EVENT_STREAM_UNACKNOWLEDGED_MAX } from '../../../shared/limits.ts';
import type { PushedPage, StreamedDelivery } from '../../../shared/wire/stream-commands.ts';
import { modelStore } from '../../fencing/model-store.ts';
import { Database } from '../../simulation/memory/database.ts';
import { ManualClock } from '../../support/manual-clock.ts';

const STREAM = 'str_one';
const ORG = 'org';
const ENTITIES = 3;
const RUNS = 200;
const quiet = (): void => undefined;

/** One stream, its owners, and the connection of its client. */
class StreamFixture {
  readonly clock = new ManualClock();
  readonly database = new Database();
  readonly pushes: PushedPage[] = [];
  readonly #waitingMax: number | undefined;
  /** Ids in the order in which they were recorded. */
  readonly recorded: string[] = [];
  readonly acknowledged = new Set<string>();
  readonly written = new Map<string, string>();
  #epoch = 0;
  #life = { now: false };
  #worker: StreamWorker;
  connection = 0;
  after = 0;
  /** Ids that this connection has written, in order. */
  page: string[] = [];

  constructor(waitingMax?: number) {
    this.#waitingMax = waitingMax;
    this.#worker = this.own();
    this.connect();
  }

  /** A new owner; the one before has crashed. */
  own(): StreamWorker {
    this.#life.now = false;
    const life = { now: true };
    this.#life = life;
    const environment = {
      store: modelStore(this.database),
      clock: this.clock,
      log: { debug: quiet, info: quiet, warn: quiet, error: quiet },
      streams: { push: (_: string, page: PushedPage) => this.pushes.push(page) },
      leaseHeld: () => life.now,
    } as unknown as Environment;
    const waiting = this.#waitingMax === undefined ? {} : { waitingMax: this.#waitingMax };
    this.#worker = new StreamWorker({
      ...{ environment, streamId: STREAM, epoch: ++this.#epoch },
      ...waiting,
    });
    return this.#worker;
  }

  get worker(): StreamWorker {
    return this.#worker;
  }

  /** As the organization's owner numbers connections. */
  connect(): void {
    this.connection++;
    this.after = 0;
    this.page = [];
    this.configure({ isRevoked: false });
  }

  configure({ isRevoked }: { readonly isRevoked: boolean }): void {
    const stream: StreamEntry = {
      ...{ id: STREAM, keyId: 'key', name: 'default', events: ['*'] },
      ...{ connection: this.connection, createdAt: 0, seenAt: this.clock.now() },
    };
    const key = {
      ...{ id: 'key', scope: 'account', channelId: null },
      revokedAt: isRevoked ? this.clock.now() : null,
    };
    this.database.apply({ remove: 'organizations', filter: { _id: ORG } });
    const document = { _id: ORG, keys: [key], streams: [stream] };
    this.database.apply({ insert: 'organizations', document });
  }

  /** Records an event of an entity, after those of the entity before it. */
  record(entity: number, { nudge = true } = {}): string {
    const count = this.recorded.length;
    const id = `dlv_${String(count).padStart(5, '0')}_${entity}`;
    const now = this.clock.now();
    const document: DeliveryDocument = {
      ...{ _id: id, orgId: ORG, subscriptionId: STREAM, partition: 0, event: 'deal.created' },
      ...{ body: JSON.stringify({ id }), createdAt: now, order: fanOutOrder(1, count) },
      state: { ...recordedState(now, 'pending'), nextAttemptAt: now + 1 },
    };
    this.database.apply({ insert: 'deliveries', document });
    this.recorded.push(id);
    if (nudge) this.#worker.wake();
    return id;
  }

  async read(acknowledged?: string) {
    const { connection, after } = this;
    const last = acknowledged === undefined ? {} : { acknowledged };
    const command = { id: 'cmd', type: 'read-stream', orgId: ORG, connection, after } as const;
    const page = await this.#worker.read({ ...command, ...last });
    assert.ok(page.outcome === 'page', page.outcome);
    this.take(page.deliveries);
    return page;
  }

  /** The client gets them. */
  take(deliveries: readonly StreamedDelivery[]): void {
    for (const { id, body, position } of deliveries) {
      assert.ok(position > this.after, 'positions rise');
      assert.ok(!this.acknowledged.has(id), 'what was acknowledged does not come again');
      assert.equal(body, this.written.get(id) ?? body, 'repeats have the same bytes');
      this.written.set(id, body);
      this.after = position;
      this.page.push(id);
    }
    for (let entity = 0; entity < ENTITIES; entity++) {
      const own = this.page.filter((id) => id.endsWith(`_${entity}`));
      assert.deepEqual(own, own.toSorted(), 'an entity is in order');
    }
  }

  async acknowledge(id: string): Promise<number | null> {
    const at = this.page.indexOf(id);
    const settled = { upTo: id };
    const command = { id: 'ack', type: 'acknowledge-stream', orgId: ORG, settled } as const;
    const count = await this.#worker.acknowledge(command);
    for (const each of this.page.slice(0, at + 1)) this.acknowledged.add(each);
    return count;
  }

  /** As a connection does that gets no push: it reads until nothing is new. */
  async readAll(): Promise<void> {
    for (let isNew = true; isNew; ) {
      const { more, deliveries } = await this.read();
      isNew = more || deliveries.length > 0;
    }
  }

  delivery(id: string): DeliveryDocument {
    const [found] = this.database.find('deliveries', { _id: id }, {});
    return (found ?? assert.fail(`no delivery ${id}`)) as DeliveryDocument;
  }
}

const actions = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.record({ act: fc.constant('record'), n: fc.nat(ENTITIES - 1) }) },
    { weight: 2, arbitrary: fc.record({ act: fc.constant('lost'), n: fc.nat(ENTITIES - 1) }) },
    { weight: 4, arbitrary: fc.record({ act: fc.constant('read'), n: fc.constant(0) }) },
    { weight: 2, arbitrary: fc.record({ act: fc.constant('push'), n: fc.constant(0) }) },
    { weight: 2, arbitrary: fc.record({ act: fc.constant('acknowledge'), n: fc.nat(20) }) },
    { weight: 1, arbitrary: fc.record({ act: fc.constant('connect'), n: fc.constant(0) }) },
    {
      weight: 1,
      arbitrary: fc.record({ act: fc.constant('crash'), n: fc.integer({ min: -5, max: 5 }) }),
    },
  ),
  { maxLength: 60 },
);

async function act(stream: StreamFixture, { act: name, n }: { act: string; n: number }) {
  if (name === 'record') stream.record(n);
  if (name === 'lost') stream.record(n, { nudge: false });
  if (name === 'read') await stream.read();
  if (name === 'connect') stream.connect();
  if (name === 'acknowledge') {
    const id = stream.page[n];
    if (id !== undefined) await stream.acknowledge(id);
  }
  if (name === 'crash') {
    // Clocks of owners differ by seconds.
    stream.clock.advance(Math.max(0, n) * 1_000);
    stream.own();
  }
  if (name !== 'push') return;
  for (const page of stream.pushes.splice(0)) {
    if (page.deliveries.length > 0 && page.after === stream.after) stream.take(page.deliveries);
  }
}

describe('a stream of events', () => {
  test('nothing is lost, out of order within an entity, or written after its acknowledgement', () =>
    fc.assert(
      fc.asyncProperty(actions, async (steps) => {
        const stream = new StreamFixture();
        for (const step of steps) await act(stream, step);
        stream.connect();
        await stream.readAll();
        const waiting = stream.recorded.filter((id) => !stream.acknowledged.has(id));
        assert.deepEqual(stream.page.toSorted(), waiting.toSorted());
      }),
      { numRuns: RUNS },
    ));

  test('an acknowledgement settles up to its position, once', async () => {
    const stream = new StreamFixture();
    const [first = '', second = '', third = ''] = [0, 1, 2].map((entity) => stream.record(entity));
    await stream.readAll();
    assert.equal(await stream.acknowledge(second), 2);
    assert.equal(await stream.acknowledge(second), 0);
    assert.equal(stream.delivery(first).state.status, 'succeeded');
    assert.equal(stream.delivery(third).state.status, 'pending');
    assert.equal(await stream.acknowledge('dlv_unknown'), 0);
  });

  test('a result settles one delivery, as an attempt', async () => {
    const stream = new StreamFixture();
    const [first = '', second = ''] = [0, 1].map((entity) => stream.record(entity));
    await stream.readAll();
    const results = [
      { id: second, status: 500, ms: 12 },
      { id: 'dlv_unknown', status: 200, ms: 1 },
    ];
    const command = { id: 'ack', type: 'acknowledge-stream', orgId: ORG } as const;
    assert.equal(await stream.worker.acknowledge({ ...command, settled: { results } }), 1);
    assert.equal(stream.delivery(first).state.status, 'pending');
    const { status, attempts } = stream.delivery(second).state;
    assert.equal(status, 'failed');
    assert.deepEqual(
      attempts.map((each) => [each.status, each.ms, each.error]),
      [[500, 12, 'status 500']],
    );
    const again = await stream.worker.retry(async () => [stream.delivery(second)]);
    assert.equal(again.retried, 1);
    stream.connect();
    await stream.readAll();
    assert.deepEqual(stream.page, [first, second]);
  });

  test('an older connection is replaced, and a revoked key ends the stream', async () => {
    const stream = new StreamFixture();
    await stream.read();
    const older = { orgId: ORG, connection: stream.connection, after: 0 };
    stream.connect();
    stream.pushes.length = 0;
    await stream.read();
    assert.equal(stream.pushes.length, 1, 'the older one is told to read');
    const command = { id: 'cmd', type: 'read-stream', ...older } as const;
    assert.deepEqual(await stream.worker.read(command), { outcome: 'replaced' });
    stream.configure({ isRevoked: true });
    stream.worker.wake(true);
    const own = { ...command, connection: stream.connection };
    assert.deepEqual(await stream.worker.read(own), { outcome: 'gone' });
  });

  test('no more is written than may be unacknowledged', async () => {
    const stream = new StreamFixture();
    const more = 150;
    for (let n = 0; n < EVENT_STREAM_UNACKNOWLEDGED_MAX + more; n++) {
      stream.record(n % ENTITIES, { nudge: false });
    }
    let page = await stream.read();
    for (let reads = 0; page.unacknowledged < EVENT_STREAM_UNACKNOWLEDGED_MAX; reads++) {
      assert.ok(reads < 20, 'a page makes progress');
      page = await stream.read();
    }
    assert.equal(stream.page.length, EVENT_STREAM_UNACKNOWLEDGED_MAX);
    const last = stream.page.at(-1) ?? '';
    stream.connect();
    await stream.read(last);
    await stream.readAll();
    assert.equal(stream.page.length, more);
  });

  test('beyond the limit the oldest are dropped, and the connection is told', async () => {
    const stream = new StreamFixture(10);
    const ids = Array.from({ length: 14 }, () => stream.record(0, { nudge: false }));
    const { dropped } = await stream.read();
    await stream.readAll();
    assert.equal(dropped, 4);
    assert.deepEqual(stream.page, ids.slice(4));
    assert.equal(stream.delivery(ids[0] ?? '').state.status, 'failed');
  });

  test('what waits from before the stream began anew is given up', async () => {
    const stream = new StreamFixture();
    const old = stream.record(0, { nudge: false });
    stream.clock.advance(1);
    await stream.worker.revisit(stream.delivery(old));
    assert.equal(stream.delivery(old).state.status, 'pending');
    stream.configure({ isRevoked: true });
    stream.worker.wake(true);
    await stream.worker.revisit(stream.delivery(old));
    assert.equal(stream.delivery(old).state.status, 'failed');
  });
});
