/**
 * Calls of slow worlds: changes under an `Idempotency-Key`, each with a value of its own and a
 * rival between its tries. An operator also has a channel's configuration read again.
 */
import { type Operation, SLOW_OPERATIONS } from './coverage.ts';
import type { Learnt, Order } from './order.ts';
import type { Shop } from './organization.ts';
import { KEYED_FIELD } from './world/field-history.ts';
import type { Call } from './world/processes.ts';
import type { SeededRandom } from './world/seeded-random.ts';

type SlowOperation = (typeof SLOW_OPERATIONS)[number];

const KNOWN: ReadonlySet<string> = new Set(SLOW_OPERATIONS);
const PHONES = ['5511987650001', '5511987650002'];

interface KeyedParts {
  readonly shop: Shop;
  readonly learnt: Learnt;
  /** Another one each time. */
  readonly text: () => string;
}

type Body = Readonly<Record<string, unknown>>;

interface Keyed {
  readonly path: string;
  /** Of the call, which has this value for its own. */
  readonly body: (value: string) => Body;
  /** The body of another caller's call. */
  readonly rival: (value: string) => Body;
  readonly rivalAs: Operation;
}

export class KeyedOrders {
  readonly #parts: KeyedParts;

  constructor(parts: KeyedParts) {
    this.#parts = parts;
  }

  static knows(operation: Operation): operation is SlowOperation {
    return KNOWN.has(operation);
  }

  /** Null while nothing is known that it could be about. */
  make(operation: SlowOperation, random: SeededRandom): Order | null {
    const { learnt } = this.#parts;
    switch (operation) {
      case 'deal-change-once':
        return learnt.deals.length === 0 ? null : this.#deal(random, random.pick(learnt.deals));
      case 'task-change-once':
        return learnt.tasks.length === 0 ? null : this.#task(random.pick(learnt.tasks));
      case 'contact-field':
        return this.#contact(random.pick(PHONES));
      case 'reconfigure':
        return this.#reconfigure(random);
      default:
        return operation satisfies never;
    }
  }

  #deal(random: SeededRandom, id: string): Order {
    const path = `deals/${id}`;
    if (random.happens(0.5)) return this.#titled(path, 'deal-change');
    const rivalAs = 'deal-change';
    const won: Body = { status: 'won' };
    return this.#keyed({ path, body: () => won, rival: () => ({ status: 'open' }), rivalAs });
  }

  #task(id: string): Order {
    return this.#titled(`tasks/${id}`, 'task-change');
  }

  #titled(path: string, rivalAs: Operation): Order {
    const body = (title: string): Body => ({ title });
    return this.#keyed({ path, body, rival: body, rivalAs });
  }

  #contact(phone: string): Order {
    const body = (value: string): Body => ({ phone, fields: { [KEYED_FIELD]: value } });
    return this.#keyed({ path: 'contacts', body, rival: body, rivalAs: 'contact-field' });
  }

  #keyed({ path, body: bodyOf, rival, rivalAs }: Keyed): Order {
    const { text } = this.#parts;
    const value = text();
    const body = bodyOf(value);
    const isOwn = JSON.stringify(body).includes(`"${value}"`);
    const call = { ...this.#post(path, body), headers: { 'idempotency-key': value } };
    const order = (other: Body): Order => ({
      request: { ...other, path },
      call: this.#post(path, other),
    });
    return {
      request: { ...body, path, ...(isOwn ? { keyed: value } : {}) },
      call,
      rival: () => ({ operation: rivalAs, order: order(rival(text())) }),
    };
  }

  #post(path: string, body: Body): Call {
    return { method: 'POST', path: `/api/v1/${path}`, key: this.#parts.shop.account, body };
  }

  #reconfigure(random: SeededRandom): Order {
    const { shop } = this.#parts;
    const channel = random.pick([shop.main, shop.shop]);
    return { request: { channelId: channel.id }, run: () => shop.configure(channel.id) };
  }
}
