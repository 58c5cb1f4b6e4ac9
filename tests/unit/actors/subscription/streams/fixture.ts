/** One stream with owners that crash, and the connection of its client, without processes. */
import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import type { StreamEntry } from '../../../../../actors/domain/organization.ts';
import type { PublishedEvent } from '../../../../../actors/domain/published-event.ts';
import type { Environment } from '../../../../../actors/environment.ts';
import type { DeliveryDocument } from '../../../../../actors/model/subscription.ts';
import { recordedState } from '../../../../../actors/subscription/deliveries/recorded-delivery.ts';
import { streamOrder } from '../../../../../actors/subscription/streams/recorder.ts';
import { Streams } from '../../../../../actors/subscription/streams/streams.ts';
import { StreamWorker } from '../../../../../actors/subscription/streams/worker.ts';
import type { WriteOutcome } from '../../../../../shared/ports/store.ts';
import type { PushedPage, StreamedDelivery } from '../../../../../shared/wire/stream-commands.ts';
import { partitionOf, shelved } from '../../../../../shared/wire/subjects.ts';
import { ids } from '../../../../faults/fencing/environment.ts';
import { modelStore } from '../../../../faults/fencing/model-store.ts';
import { Database } from '../../../../faults/simulation/memory/database.ts';
import { ManualClock } from '../../../../support/manual-clock.ts';
import type { Filter, FindOptions, Store, Stored, Write } from '../../../../support/plain-store.ts';

export const STREAM = 'str_one';
export const ORG = 'org';
export const ENTITIES = 3;
const quiet = (): void => undefined;

interface Found {
  readonly from: string;
  readonly found: number;
}

function watched(store: Store, finds: Found[]): Store {
  return {
    ...store,
    find: async <T extends Stored>(from: string, filter: Filter, options?: FindOptions) => {
      const rows = await store.find<T>(from, filter, options);
      finds.push({ from, found: rows.length });
      return rows;
    },
  };
}

export class StreamFixture {
  readonly clock = new ManualClock();
  readonly database = new Database();
  readonly pushes: PushedPage[] = [];
  /** Searches of the store. */
  readonly finds: Found[] = [];
  readonly #waitingMax: number;
  /** Ids in the order in which they were recorded. */
  readonly recorded: string[] = [];
  readonly acknowledged = new Set<string>();
  readonly written = new Map<string, string>();
  #epoch = 0;
  #placed = 0;
  #life = { now: false };
  /** The writes of the next commit, which is not answered. */
  #lost: Write[] | null = null;
  #torn: ((write: Write) => boolean) | null = null;
  /** Inserts of one commit become visible one after another, the last one first. */
  insertsOneByOne = false;
  #worker: StreamWorker;
  connection = 0;
  /** Which of the streams of this name it is. */
  generation = 1;
  after = 0;
  /** Ids that this connection has written, in order. */
  page: string[] = [];

  constructor(waitingMax = 100_000) {
    this.#waitingMax = waitingMax;
    this.#worker = this.own();
    this.connect();
  }

  /** A new owner; the one before has crashed. */
  own(): StreamWorker {
    this.#epoch++;
    return this.reopen();
  }

  /** Another worker of the same owner: the one before was idle. */
  reopen(): StreamWorker {
    const environment = this.#begin();
    const nextCount = () => ++this.#placed;
    const settings = { environment, streamId: STREAM, epoch: this.#epoch, nextCount };
    this.#worker = new StreamWorker(settings);
    return this.#worker;
  }

  /** A new owner of the partition sweeps what has ended, and crashes. */
  async sweep(): Promise<void> {
    this.#epoch++;
    const streams = new Streams(this.#begin());
    streams.acquire(partitionOf('subscription', STREAM), this.#epoch);
    await streams.sweep();
    this.own();
  }

  /** What a worker is given; the one before has lost its lease. */
  #begin(): Environment {
    this.#life.now = false;
    const life = { now: true };
    this.#life = life;
    return {
      store: this.#losing(watched(modelStore(this.database), this.finds)),
      ...{ clock: this.clock, ids },
      log: { debug: quiet, info: quiet, warn: quiet, error: quiet },
      streams: { push: (_: string, page: PushedPage) => this.pushes.push(page) },
      leaseHeld: () => life.now,
      settings: { streamWaitingMax: this.#waitingMax },
    } as unknown as Environment;
  }

  /** The next commit is not answered; its writes are carried out by the returned function. */
  loseNextCommit(): () => void {
    const lost: Write[] = [];
    this.#lost = lost;
    return () => {
      for (const write of lost) this.database.apply(write);
    };
  }

  /** Of the next commit only these writes are carried out. */
  tearNextCommit(isCarriedOut: (write: Write) => boolean): void {
    this.#torn = isCarriedOut;
  }

  #losing(store: Store): Store {
    return {
      ...store,
      commit: async (writes, options) => {
        const torn = this.#torn;
        this.#torn = null;
        if (torn) {
          await store.commit(writes.filter(torn), options);
          throw new Error('the store did not answer in time');
        }
        const lost = this.#lost;
        this.#lost = null;
        const isSpread = this.insertsOneByOne && writes.every((write) => 'insert' in write);
        if (!lost && isSpread) return this.#insertOneByOne(store, writes);
        if (!lost) return store.commit(writes, options);
        lost.push(...structuredClone(writes));
        throw new Error('the store did not answer in time');
      },
    };
  }

  async #insertOneByOne(store: Store, writes: readonly Write[]): Promise<WriteOutcome[]> {
    const outcomes: WriteOutcome[] = [];
    for (const write of writes.toReversed()) {
      outcomes.unshift(...(await store.commit([write])));
      await turn();
    }
    return outcomes;
  }

  get worker(): StreamWorker {
    return this.#worker;
  }

  /** As the organization's owner numbers connections. */
  connect(): void {
    this.connection++;
    this.after = 0;
    this.page = [];
    this.configure();
  }

  /** The next stream of this name has its first connection, whose number is 1 again. */
  beginAnew(): void {
    this.generation++;
    this.connection = 0;
    this.connect();
  }

  configure({
    isRevoked = false,
    channelId = null,
    events = ['*'],
  }: {
    readonly isRevoked?: boolean;
    readonly events?: readonly string[];
    readonly channelId?: string | null;
  } = {}): void {
    const stream: StreamEntry = {
      ...{ id: STREAM, keyId: 'key', name: 'default', events },
      ...{ connection: this.connection, opened: [], seenAt: this.clock.now() },
      createdAt: this.generation,
    };
    const scope = channelId === null ? 'account' : 'channel';
    const key = {
      ...{ id: 'key', scope, channelId },
      revokedAt: isRevoked ? this.clock.now() : null,
    };
    this.database.apply({ remove: 'organizations', filter: { _id: ORG } });
    const document = { _id: ORG, id: ORG, keys: [key], streams: [stream], subscriptions: [] };
    this.database.apply({ insert: 'organizations', document });
  }

  organization(): unknown {
    return this.database.byId('organizations', ORG);
  }

  /** As a process asks that has committed the events, by its view of the organization. */
  ask(events: readonly PublishedEvent[], generation = this.generation): Promise<void> {
    const command = { id: 'rec', type: 'record-events', orgId: ORG, generation, events } as const;
    return this.#worker.record(command);
  }

  /** Records an event of an entity, after those of the entity before it. */
  record(entity: number, { nudge = true, channelId = 'chn_1' } = {}): string {
    const count = this.recorded.length;
    const id = `dlv_${String(count).padStart(5, '0')}_${entity}`;
    const body = JSON.stringify({ data: { id, channelId } });
    this.put(id, streamOrder(1, count), { body });
    this.recorded.push(id);
    if (nudge) this.#worker.wake();
    return id;
  }

  /** As an owner of the stream has recorded it. */
  put(id: string, order: string, over: Partial<DeliveryDocument> = {}): void {
    const now = this.clock.now();
    const document: DeliveryDocument = {
      ...{
        _id: id,
        orgId: ORG,
        subscriptionId: STREAM,
        ...shelved('subscription', STREAM),
        event: 'message.sent',
      },
      ...{ body: '{}', createdAt: now, order, generation: this.generation },
      state: { ...recordedState(now, 'pending'), nextAttemptAt: null },
      ...over,
    };
    this.database.apply({ insert: 'deliveries', document });
  }

  /** The next read of this connection. */
  reading() {
    const { connection, after, generation } = this;
    const type = 'read-stream';
    return { ...({ id: 'cmd', type, orgId: ORG } as const), connection, after, generation };
  }

  async read(acknowledged?: string) {
    const last = acknowledged === undefined ? {} : { acknowledged };
    const page = await this.#worker.read({ ...this.reading(), ...last });
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

  /** @param upTo as the client tells it: the bare id unless set */
  async acknowledge(id: string, upTo = id): Promise<number | null> {
    const at = this.page.indexOf(id);
    const settled = { upTo };
    const command = { id: 'ack', type: 'acknowledge-stream', orgId: ORG, settled } as const;
    const count = await this.#worker.acknowledge(command);
    for (const each of this.page.slice(0, at + 1)) this.acknowledged.add(each);
    return count;
  }

  /** By the result of each. */
  async settle(...ids: readonly string[]): Promise<void> {
    const results = ids.map((id) => ({ id, status: 200, ms: 1 }));
    const command = { id: 'ack', type: 'acknowledge-stream', orgId: ORG } as const;
    await this.#worker.acknowledge({ ...command, settled: { results } });
  }

  /** As a connection does that gets no push: it reads until nothing is new. */
  async readAll(): Promise<void> {
    let empty = 0;
    for (let isNew = true; isNew; ) {
      const { more, deliveries } = await this.read();
      isNew = more || deliveries.length > 0;
      if (deliveries.length === 0) empty++;
      assert.ok(empty <= this.recorded.length + 1, 'more is promised again and again');
    }
  }

  /** No read finds it, until `restore`. */
  hide(id: string): void {
    this.database.apply({ remove: 'deliveries', filter: { _id: id } });
  }

  restore(document: DeliveryDocument): void {
    this.database.apply({ insert: 'deliveries', document });
  }

  delivery(id: string): DeliveryDocument {
    const [found] = this.database.find<DeliveryDocument>('deliveries', { _id: id }, {});
    return found ?? assert.fail(`no delivery ${id}`);
  }
}
