/**
 * Calls about templates and the 24 hours, to contacts who have such a window: it is closed until
 * they write, and often ends within seconds. Other people every while, as of scheduled messages.
 */
import { WINDOW_MS } from '../../../shared/limits.ts';
import { LATE } from '../checkers/flows.ts';
import { type Operation, TEMPLATE_OPERATIONS } from './coverage.ts';
import type { Order, RequestFields } from './order.ts';
import type { Shop } from './organization.ts';
import { WINDOWED } from './outside/contact-windows.ts';
import { LANGUAGE, TEMPLATE_NAMES, type TemplateName } from './outside/network-templates.ts';
import { EPOCH_MS } from './world/machine.ts';
import type { SeededRandom } from './world/seeded-random.ts';
import type { World } from './world.ts';

type TemplateOperation = (typeof TEMPLATE_OPERATIONS)[number];

const KNOWN: ReadonlySet<string> = new Set(TEMPLATE_OPERATIONS);
const WHILE_MS = 6_000;
const CONTACTS = 3;
/** Of sends; a lost one is repeated. */
const KEYED_SHARE = 0.3;
const LATEST_MS = 5_000;
const REPLIED = { status: 200, body: '{}' };

interface TemplateParts {
  readonly world: World;
  readonly shop: Shop;
  readonly text: () => string;
}

export class TemplateOrders {
  readonly #parts: TemplateParts;

  constructor(parts: TemplateParts) {
    this.#parts = parts;
  }

  static knows(operation: Operation): operation is TemplateOperation {
    return KNOWN.has(operation);
  }

  make(operation: TemplateOperation, random: SeededRandom): Order {
    switch (operation) {
      case 'send-template':
        return this.#template(random, {});
      case 'schedule-template':
        return this.#template(random, this.#time(random));
      case 'send-fallback':
        return this.#fallback(random, {});
      case 'schedule-fallback':
        return this.#fallback(random, this.#time(random));
      case 'schedule-refuse':
        return this.#strict(random, this.#time(random));
      case 'send-refuse':
        return this.#strict(random, {});
      case 'template-change':
        return this.#change(random);
      case 'window-message':
        return this.#write(random);
      case 'marketing-stop':
        return this.#stop(random);
      default:
        return operation satisfies never;
    }
  }

  #template(random: SeededRandom, time: RequestFields): Order {
    const text = this.#parts.text();
    const template = random.pick(TEMPLATE_NAMES);
    const to = { ...this.#to(random), ...time };
    const order = this.#send(random, { ...to, template: valuesOf(template, text) });
    return { ...order, request: { ...to, path: 'messages', text, template } };
  }

  #fallback(random: SeededRandom, time: RequestFields): Order {
    const text = this.#parts.text();
    const fallback = random.pick(TEMPLATE_NAMES);
    const to = { ...this.#to(random), ...time };
    const content = { text, fallbackTemplate: valuesOf(fallback, text) };
    const rule = random.happens(0.2) ? { outsideWindow: 'refuse' } : {};
    const order = this.#send(random, { ...to, ...content, ...rule });
    return { ...order, request: { ...to, path: 'messages', text, fallback } };
  }

  #strict(random: SeededRandom, time: RequestFields): Order {
    const content = { text: this.#parts.text(), outsideWindow: 'refuse' };
    return this.#send(random, { ...this.#to(random), ...time, ...content });
  }

  #send(random: SeededRandom, body: RequestFields): Order {
    const { shop, text } = this.#parts;
    const keyed = random.happens(KEYED_SHARE) ? { headers: { 'idempotency-key': text() } } : {};
    const call = { method: 'POST', path: '/api/v1/messages', key: shop.account, body } as const;
    return { request: { ...body, path: 'messages' }, call: { ...call, ...keyed } };
  }

  #to(random: SeededRandom): RequestFields {
    return { channelId: this.#parts.shop.main.id, phone: this.#phone(random) };
  }

  #time(random: SeededRandom): RequestFields {
    const at = EPOCH_MS + this.#parts.world.scheduler.now + random.between(-3_000, LATEST_MS);
    return { sendAt: new Date(Math.floor(at)).toISOString() };
  }

  /** The state changes at the network, which mostly says so. */
  #change(random: SeededRandom): Order {
    const { network, trace } = this.#parts.world;
    const isTold = random.happens(0.8);
    return {
      request: {},
      run: async () => {
        trace.record('network', network.templates.change(random));
        if (isTold) await network.deliver(this.#address(), [{ type: 'templates-changed' }]);
        return REPLIED;
      },
    };
  }

  /** A message whose webhook comes a day late opens a window that is about to end. */
  #write(random: SeededRandom): Order {
    const { text } = this.#parts;
    const phone = this.#phone(random);
    const externalId = `in.${text()}`;
    const agoMs = random.happens(0.4) ? 0 : WINDOW_MS - random.between(500, LATEST_MS);
    const at = this.#now() - Math.floor(agoMs);
    const event = { type: 'message', externalId, phone, networkId: phone, at } as const;
    return {
      request: { externalId, phone, type: 'message' },
      run: () =>
        this.#tell({ ...event, kind: 'text', text: agoMs === 0 ? externalId : LATE.written }),
    };
  }

  #stop(random: SeededRandom): Order {
    const phone = this.#phone(random);
    const event = { type: 'marketing-wish', phone, networkId: phone, wanted: false } as const;
    return {
      request: { phone, onlyOn: this.#parts.shop.main.id },
      run: () => this.#tell({ ...event, at: this.#now() }),
    };
  }

  async #tell(event: Parameters<World['network']['deliver']>[1][number]) {
    await this.#parts.world.network.deliver(this.#address(), [event]);
    return REPLIED;
  }

  #now(): number {
    return Math.floor(EPOCH_MS + this.#parts.world.scheduler.now);
  }

  #address() {
    return { id: this.#parts.shop.main.id, provider: 'cloud' } as const;
  }

  #phone(random: SeededRandom): string {
    const at = Math.floor(this.#parts.world.scheduler.now / WHILE_MS);
    return `${WINDOWED}${String(at * CONTACTS + random.below(CONTACTS)).padStart(6, '0')}`;
  }
}

function valuesOf(name: TemplateName, text: string) {
  return { name, language: LANGUAGE, body: [text] };
}
