/**
 * Calls about scheduled messages: a message with a time, its cancel, and opt-outs near that time.
 * Contacts who opt out are other people every while: some messages always go.
 */
import { type Operation, SCHEDULED_OPERATIONS } from './coverage.ts';
import type { Order, RequestFields } from './order.ts';
import type { Shop } from './organization.ts';
import { PHONES, spelled } from './phones.ts';
import { EPOCH_MS } from './world/machine.ts';
import type { Call } from './world/processes.ts';
import type { SeededRandom } from './world/seeded-random.ts';
import type { World } from './world.ts';

type ScheduledOperation = (typeof SCHEDULED_OPERATIONS)[number];

const KNOWN: ReadonlySet<string> = new Set(SCHEDULED_OPERATIONS);
/** Contacts of one while, after which others take their place. */
const WHILE_MS = 6_000;
const CONTACTS = 3;
const LATEST_MS = 5_000;
/** After its start, where the contact does not answer it. */
const FLOW_SENDS_AT_MS = [0, 5_000] as const;

interface ScheduledParts {
  readonly world: World;
  readonly shop: Shop;
  readonly text: () => string;
}

/** A contact to whom something goes by itself, and when, in the world's time. */
interface Awaiting {
  readonly phone: string;
  readonly at: number;
}

interface Learnt extends Awaiting {
  readonly messageId: string;
}

export class ScheduledOrders {
  readonly #parts: ScheduledParts;
  /** Messages that were scheduled, the newest last. */
  readonly #messages: Learnt[] = [];
  /** Bulk messages, of which some wait. */
  readonly #bulk: Learnt[] = [];
  /** Those of messages, and of flows. */
  readonly #awaiting: Awaiting[] = [];
  #left = 0;

  constructor(parts: ScheduledParts) {
    this.#parts = parts;
  }

  static knows(operation: Operation): operation is ScheduledOperation {
    return KNOWN.has(operation);
  }

  learn(messageId: unknown, { sendAt, phone }: RequestFields): void {
    if (typeof messageId !== 'string' || typeof phone !== 'string') return;
    const at = Date.parse(String(sendAt)) - EPOCH_MS;
    this.#messages.push({ messageId, phone, at });
    if (!PHONES.includes(phone)) this.#awaiting.push({ phone, at });
  }

  /** A bulk message waits in the queue, if it has not gone at once. */
  learnBulk(messageId: unknown, phone: unknown): void {
    if (typeof messageId !== 'string' || typeof phone !== 'string') return;
    this.#bulk.push({ messageId, phone, at: 0 });
  }

  /** The contact of a flow that is to start: an opt-out may come near one of its messages. */
  awaitFlow(random: SeededRandom): string {
    const phone = this.#phone(random);
    const at = this.#parts.world.scheduler.now + random.pick(FLOW_SENDS_AT_MS);
    this.#awaiting.push({ phone, at });
    return phone;
  }

  /** A contact of its own, to whom a flow bids farewell before it opts them out. */
  leaving(): string {
    return `55119${String(30_000_000 + this.#left++)}`;
  }

  /** Null while nothing is known that it could be about. */
  make(operation: ScheduledOperation, random: SeededRandom): Order | null {
    switch (operation) {
      case 'schedule':
        return this.#schedule(random);
      case 'cancel':
        return this.#cancel(random);
      case 'opt-out':
        return random.happens(0.5) ? this.#optOut(random) : this.#optOutByWord(random);
      default:
        return operation satisfies never;
    }
  }

  #schedule(random: SeededRandom): Order {
    const { world, shop, text } = this.#parts;
    const at = EPOCH_MS + world.scheduler.now + random.between(-3_000, LATEST_MS);
    const sendAt = new Date(Math.floor(at)).toISOString();
    // A bridge may hold a new contact's message back for an hour.
    const place = random.happens(0.7)
      ? { channelId: shop.main.id, phone: this.#phone(random) }
      : { channelId: shop.shop.id, phone: random.pick(PHONES) };
    const body = { text: text(), ...place, sendAt };
    return { request: { ...body, path: 'messages' }, call: this.#post('messages', body) };
  }

  #cancel(random: SeededRandom): Order | null {
    const waiting = this.#bulk.filter(({ messageId }) => this.#isQueued(messageId));
    const recent = waiting.length > 0 ? waiting : this.#messages.slice(-4);
    if (recent.length === 0) return null;
    const { messageId, at } = random.pick(recent);
    const call = this.#post(`messages/${messageId}/cancel`, {});
    return this.#near(random, at, { request: { messageId }, call });
  }

  /** Few wait at a time: chance alone would hardly name one. */
  #isQueued(messageId: string): boolean {
    const entry = this.#parts.world.database.byId('entries', messageId);
    return Reflect.get(Object(entry?.send), 'state') === 'queued';
  }

  #optOut(random: SeededRandom): Order {
    const [phone, at] = this.#contact(random);
    const body = { phone: spelled(random, phone), optIn: false };
    const order = { request: { ...body, path: 'contacts' }, call: this.#post('contacts', body) };
    return this.#near(random, at, order);
  }

  /** The network is answered once the message is recorded. */
  #optOutByWord(random: SeededRandom): Order {
    const { world, shop, text } = this.#parts;
    const [phone, at] = this.#contact(random);
    const externalId = `in.${text()}`;
    const address = { id: shop.main.id, provider: 'cloud' } as const;
    return this.#near(random, at, {
      request: { phone, optIn: false, externalId, onlyOn: shop.main.id },
      run: async () => {
        const saidAt = Math.floor(EPOCH_MS + world.scheduler.now);
        const names = { externalId, phone, networkId: phone, at: saidAt };
        const event = { type: 'message', ...names, kind: 'text', text: 'SAIR' } as const;
        await world.network.deliver(address, [event]);
        return { status: 200, body: '{}' };
      },
    });
  }

  /** A contact to whom something goes, more often than not, with the time of it. */
  #contact(random: SeededRandom): readonly [phone: string, at: number] {
    const recent = this.#awaiting.slice(-3);
    if (recent.length === 0 || random.happens(0.2)) return [this.#phone(random), 0];
    const { phone, at } = random.pick(recent);
    return [phone, at];
  }

  /** Made around that time, if it is to come. */
  #near(random: SeededRandom, at: number, { request, call, run }: Order): Order {
    const { world } = this.#parts;
    const waitMs = at + random.between(-20, 60) - world.scheduler.now;
    if (waitMs <= 0) return { request, ...(call ? { call } : {}), ...(run ? { run } : {}) };
    return {
      request,
      run: async () => {
        await world.scheduler.pause(waitMs);
        if (run) return run();
        const replied = call ? await world.call(call) : null;
        return replied ?? { status: 0, body: '' };
      },
    };
  }

  #phone(random: SeededRandom): string {
    const at = Math.floor(this.#parts.world.scheduler.now / WHILE_MS);
    return `55119${String(60_000_000 + at * CONTACTS + random.below(CONTACTS))}`;
  }

  #post(path: string, body: Readonly<Record<string, unknown>>): Call {
    const key = this.#parts.shop.account;
    return { method: 'POST', path: `/api/v1/${path}`, key, body };
  }
}
