/**
 * Calls of campaigns: messages to contacts whom nobody else writes to, most of them in bulk, and
 * opt-outs of contacts whose message waits.
 */
import { CAMPAIGN_OPERATIONS, type Operation } from './coverage.ts';
import type { Order, RequestFields } from './order.ts';
import type { Shop } from './organization.ts';
import { EPOCH_MS } from './world/machine.ts';
import type { SeededRandom } from './world/seeded-random.ts';
import type { World } from './world.ts';

type CampaignOperation = (typeof CAMPAIGN_OPERATIONS)[number];

const KNOWN: ReadonlySet<string> = new Set(CAMPAIGN_OPERATIONS);
/** So many that a list of conversations still shows all. */
const CONTACTS = 50;
const BULK_SHARE = 0.8;
/** Of the bulk messages; they end while they wait, or soon after. */
const ENDING_SHARE = 0.25;
const ENDS_AFTER_MS = { least: 1_500, most: 5_000 };
/** Whose opt-out may come before their message's turn. */
const NEWEST = 12;

interface CampaignParts {
  readonly world: World;
  readonly shop: Shop;
  readonly text: () => string;
}

export class CampaignOrders {
  readonly #parts: CampaignParts;
  /** Who gets a bulk message, the newest last. */
  readonly #contacts: string[] = [];
  #phones = 0;

  constructor(parts: CampaignParts) {
    this.#parts = parts;
  }

  static knows(operation: Operation): operation is CampaignOperation {
    return KNOWN.has(operation);
  }

  /** Null while nothing is known that it could be about. */
  make(operation: CampaignOperation, random: SeededRandom): Order | null {
    switch (operation) {
      case 'campaign-message':
        return this.#message(random);
      case 'campaign-opt-out':
        return this.#optOut(random);
      default:
        return operation satisfies never;
    }
  }

  #message(random: SeededRandom): Order {
    const { shop, text } = this.#parts;
    const phone = `55119${String(50_000_000 + (this.#phones++ % CONTACTS))}`;
    const isBulk = random.happens(BULK_SHARE);
    if (isBulk) this.#contacts.push(phone);
    const priority = isBulk ? { priority: 'bulk', ...this.#end(random) } : {};
    return this.#post('messages', { text: text(), phone, channelId: shop.main.id, ...priority });
  }

  #end(random: SeededRandom): RequestFields {
    if (!random.happens(ENDING_SHARE)) return {};
    const { scheduler } = this.#parts.world;
    const { least, most } = ENDS_AFTER_MS;
    const at = Math.floor(EPOCH_MS + scheduler.now + random.between(least, most));
    return { expiresAt: new Date(at).toISOString() };
  }

  #optOut(random: SeededRandom): Order | null {
    const newest = this.#contacts.slice(-NEWEST);
    if (newest.length === 0) return null;
    return this.#post('contacts', { phone: random.pick(newest), optIn: false });
  }

  #post(path: string, body: RequestFields): Order {
    const key = this.#parts.shop.account;
    return {
      request: { ...body, path },
      call: { method: 'POST', path: `/api/v1/${path}`, key, body },
    };
  }
}
