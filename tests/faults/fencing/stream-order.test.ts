/**
 * Order of each entity's events on a stream. Publications end in any order, are repeated and lost;
 * owners crash, turns fail after their commit, outboxes are cleared at any moment. The relay and the
 * stream's owner are the real ones.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Published } from '../../../actors/conversation/log/pending-snapshots.ts';
import { UnpublishedEvents } from '../../../actors/conversation/log/unpublished-events.ts';
import type { ConversationParts } from '../../../actors/conversation/turns/conversation.ts';
import { publishItems, republish } from '../../../actors/conversation/turns/republish.ts';
import type { Environment } from '../../../actors/environment.ts';
import type { EntryDocument } from '../../../actors/model/conversation.ts';
import { type FanOut, Relay } from '../../../actors/outbox/relay.ts';
import type { OutboxEvent, OutboxItem } from '../../../shared/wire/outbox.ts';
import { partitionOf, shelfFor } from '../../../shared/wire/subjects.ts';
import { ORG, StreamFixture } from '../../unit/actors/subscription/streams/fixture.ts';
import { environmentOf } from './environment.ts';
import { modelStore } from './model-store.ts';
import { settle } from './settle.ts';

const CONVERSATIONS = ['cnv_1', 'cnv_2'];
const HEARD = 'message.sent';
const UNHEARD = 'message.read';
const LATE_MS = 10_000;
const MANY = 120;

const CLEARED = { $unset: { outbox: '', pending: '' } };

interface CommitHow {
  /** Of an entry that is in the log. */
  readonly isReceipt?: boolean;
  readonly isUnheard?: boolean;
  readonly isLost?: boolean;
}

interface Ask {
  readonly events: Parameters<FanOut['record']>[1];
  readonly answer: (isRecorded: boolean) => void;
  readonly lose: (fault: Error) => void;
}

class World {
  readonly stream = new StreamFixture();
  readonly asks: Ask[] = [];
  /** Numbers of the heard events, by conversation, in the order of their commits. */
  readonly committed = new Map(CONVERSATIONS.map((id) => [id, [] as number[]]));
  #marked: (() => void)[] = [];
  #count = 0;
  #epoch = 0;
  #life = { now: true };
  #parts!: ConversationParts;

  constructor() {
    this.stream.configure({ events: [HEARD] });
    this.stream.insertsOneByOne = true;
    this.own();
  }

  /**
   * A new owner of the conversations, which recovers what the one before has left.
   * @param isLost the asks of the one before have not been sent
   */
  own(isLost = false): void {
    if (isLost) this.asks.length = 0;
    this.#life.now = false;
    const life = { now: true };
    this.#life = life;
    this.#marked = [];
    const { database, clock } = this.stream;
    const fanOut: FanOut = {
      record: (_, events) =>
        new Promise((answer, lose) => this.asks.push({ events, answer, lose })),
    };
    const leaseHeld = () => life.now;
    const own = { store: modelStore(database), clock, leaseHeld };
    const environment: Environment = environmentOf(own);
    const unpublishedEvents = new UnpublishedEvents(environment);
    const epoch = ++this.#epoch;
    for (const id of CONVERSATIONS) {
      unpublishedEvents.begin(partitionOf('conversation', id), epoch);
    }
    const markPublished = ({ entry, ids }: Published) => {
      if (life.now) this.#marked.push(() => this.#clear(entry, ids));
    };
    this.#parts = {
      ...{ environment, unpublishedEvents, relay: new Relay(environment, fanOut) },
      snapshotWriter: { markPublished },
      flows: { timers: { block: () => () => undefined } },
    } as unknown as ConversationParts;
    this.recover();
  }

  /** As after a failed turn, or in the late recovery of a partition. */
  recover(): void {
    const entries = this.stream.database.all('entries') as readonly EntryDocument[];
    for (const id of CONVERSATIONS) {
      const left = entries.filter((each) => each.conversationId === id && each.outbox);
      void republish(this.#parts, left, this.#epoch);
    }
  }

  endRecovery(): void {
    this.recover();
    for (const id of CONVERSATIONS) {
      this.#parts.unpublishedEvents.end(partitionOf('conversation', id), this.#epoch);
    }
  }

  #clear({ _id, conversationId }: Published['entry'], ids: readonly string[]): void {
    const { database } = this.stream;
    const { outbox = [] } = database.byId<EntryDocument>('entries', _id) ?? {};
    const left = outbox.filter(({ id }) => !ids.includes(id));
    const change = left.length > 0 ? { $set: { outbox: left } } : CLEARED;
    database.apply({ update: 'entries', filter: { _id, conversationId }, change });
  }

  commit(of: number, how: CommitHow = {}): void {
    const { database } = this.stream;
    const conversationId = CONVERSATIONS[of % CONVERSATIONS.length] ?? '';
    const n = ++this.#count;
    const event = how.isUnheard ? UNHEARD : HEARD;
    const data = { conversation: conversationId, n };
    const items: OutboxItem[] = [{ type: 'event', id: `evt_${n}`, event, data }];
    const outbox = this.#parts.relay.numbered(items, this.#epoch);
    const pending = shelfFor('conversation', conversationId);
    const known = database.findOne<EntryDocument>('entries', { conversationId });
    if (how.isReceipt && known) {
      const change = { $set: { pending }, $push: { outbox: { $each: outbox } } };
      database.apply({ update: 'entries', filter: { _id: known._id, conversationId }, change });
    } else {
      const fields = { orgId: ORG, seq: n, after: {}, pending, outbox };
      const document = { _id: `ent_${n}`, conversationId, ...fields };
      database.apply({ insert: 'entries', document });
    }
    if (!how.isUnheard) this.committed.get(conversationId)?.push(n);
    const entry = { _id: known && how.isReceipt ? known._id : `ent_${n}`, conversationId };
    this.#publish({ orgId: ORG, after: {}, ...entry } as EntryDocument, outbox, how.isLost);
  }

  /** @param isLost the turn gets no answer, and publishes nothing */
  #publish(entry: EntryDocument, outbox: readonly OutboxItem[], isLost = false): void {
    const { unpublishedEvents, snapshotWriter, environment } = this.#parts;
    const { conversationId: id } = entry;
    if (isLost) return unpublishedEvents.doubt(id, environment.clock.monotonic() + LATE_MS);
    const epoch = this.#epoch;
    const findEarlier = (event: OutboxEvent) => unpublishedEvents.before(id, event);
    const published = publishItems(this.#parts, { entry, epoch }, outbox, findEarlier);
    void published.then((isPublished) => {
      const ids = outbox.map((item) => item.id);
      if (isPublished) snapshotWriter.markPublished({ entry, ids, epoch });
    });
  }

  /** Any of the fan-outs under way is made, or not, and answered, or not. */
  end(index: number, how: 'answered' | 'unanswered' | 'lost'): void {
    const [ask] = this.asks.splice(index % Math.max(1, this.asks.length), 1);
    if (!ask) return;
    const fault = new Error('no answer');
    if (how === 'lost') return ask.lose(fault);
    const heard = ask.events.filter(({ event }) => event === HEARD);
    const made = heard.length > 0 ? this.stream.ask(heard) : Promise.resolve();
    made.then(() => (how === 'answered' ? ask.answer(true) : ask.lose(fault)), ask.lose);
  }

  clear(): void {
    for (const clear of this.#marked.splice(0)) clear();
  }

  /** All is published and read. */
  async drain(): Promise<void> {
    this.endRecovery();
    const { database, clock } = this.stream;
    for (let rounds = 0; database.all('entries').some(({ outbox }) => outbox); rounds++) {
      assert.ok(rounds < 500, 'publications end');
      while (this.asks.length > 0) this.end(0, 'answered');
      await settle();
      clock.advance(LATE_MS);
      this.clear();
    }
    await this.stream.readAll();
  }

  /** Numbers of a conversation as the connection has written them. */
  written(id: string): number[] {
    return this.stream.page.flatMap((delivery) => {
      const { data } = JSON.parse(this.stream.written.get(delivery) ?? '');
      return data.conversation === id ? [data.n] : [];
    });
  }

  assertOrder(): void {
    for (const id of CONVERSATIONS) {
      const written = this.written(id);
      assert.deepEqual(written, this.committed.get(id)?.slice(0, written.length));
    }
  }
}

const n = fc.nat(30);
const of = (act: string, weight: number) => ({
  weight,
  arbitrary: fc.record({ act: fc.constant(act), n }),
});
const ACTIONS = fc.array(
  fc.oneof(
    of('commit', 8),
    of('commit unheard', 2),
    of('commit many', 1),
    of('receipt', 3),
    of('lose', 1),
    of('answered', 6),
    of('unanswered', 1),
    of('lost', 1),
    of('clear', 3),
    of('own', 2),
    of('recover', 1),
    of('recovered', 1),
    of('read', 4),
    of('stream owner', 1),
    of('wait', 3),
  ),
  { maxLength: 60 },
);

const steps = (...acts: readonly string[]) => acts.map((each) => ({ act: each, n: 0 }));
/** Each needs another part of the order. */
const EXAMPLES = [
  [steps('commit', 'commit', 'wait', 'answered', 'read')],
  [steps('lose', 'commit many')],
  [steps('commit', 'commit', 'receipt', 'own')],
] satisfies [{ act: string; n: number }[]][];

async function act(world: World, { act: name, n: at }: { act: string; n: number }) {
  if (name === 'commit') world.commit(at);
  if (name === 'commit unheard') world.commit(at, { isUnheard: true });
  if (name === 'receipt') world.commit(at, { isReceipt: true });
  if (name === 'lose') world.commit(at, { isLost: true });
  // More than a page of the stream.
  for (let left = name === 'commit many' ? MANY : 0; left > 0; left--) world.commit(left);
  if (name === 'answered' || name === 'unanswered' || name === 'lost') world.end(at, name);
  if (name === 'clear') world.clear();
  if (name === 'own') world.own(at % 2 === 0);
  if (name === 'recover') world.recover();
  if (name === 'recovered') world.endRecovery();
  if (name === 'stream owner') world.stream.own();
  if (name === 'wait') {
    await settle(2);
    world.stream.clock.advance(at * 100);
  }
  if (name === 'read') await world.stream.read();
  world.assertOrder();
}

test('a stream has the events of each entity in the order of their commits', () =>
  fc.assert(
    fc.asyncProperty(ACTIONS, async (steps) => {
      const world = new World();
      for (const step of steps) await act(world, step);
      await world.drain();
      world.assertOrder();
      for (const id of CONVERSATIONS) assert.deepEqual(world.written(id), world.committed.get(id));
    }),
    { numRuns: 500, examples: EXAMPLES },
  ));
