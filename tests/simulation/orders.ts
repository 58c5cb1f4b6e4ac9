/** What clients can ask for: calls of every kind, on a few phones that all of them share. */
import type { OPERATIONS, Operation } from './coverage.ts';
import type { Asked } from './history.ts';
import { KeyedOrders, type SlowOperation } from './keyed-orders.ts';
import type { Learnt, Order, Wish } from './order.ts';
import type { Shop } from './organization.ts';
import type { Town } from './town.ts';
import { EPOCH_MS } from './world/machine.ts';
import type { Call } from './world/processes.ts';
import type { Seeded } from './world/seeded.ts';

const PHONES = ['5511987650001', '5511987650002', '5511987650003', '5521987650004'];

interface By {
  readonly key: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

type FastOperation = (typeof OPERATIONS)[number];

function isFast(operation: Operation): operation is Exclude<Operation, SlowOperation> {
  return !KeyedOrders.knows(operation);
}

export class Orders {
  readonly #town: Town;
  readonly #shop: Shop;
  readonly #learnt: Learnt = {
    conversations: [],
    deals: [],
    tasks: [],
    stages: [],
    contacts: [],
  };
  readonly #keyed: KeyedOrders;
  #texts = 0;
  #strangers = 0;

  constructor(town: Town, shop: Shop) {
    this.#town = town;
    this.#shop = shop;
    this.#keyed = new KeyedOrders({ shop, learnt: this.#learnt, text: () => this.#text() });
  }

  /** Null while nothing is known that it could be about. */
  make(operation: Operation, chance: Seeded): Order | null {
    return isFast(operation)
      ? this.#orders[operation](chance)
      : this.#keyed.make(operation, chance);
  }

  /** Later calls are about what earlier ones have made. */
  learn({ operation, outcome, said }: Asked): void {
    const data = Object(said?.data);
    if (operation === 'flow-start') {
      if (outcome === 'done') this.#town.coverage.count('happening flow started');
      if (data.result === 'skipped') this.#town.coverage.count('happening flow skipped');
    }
    if (outcome !== 'done') return;
    const learn = (list: string[], id: unknown): void => {
      if (typeof id === 'string' && !list.includes(id)) list.push(id);
    };
    if (operation.startsWith('send')) learn(this.#learnt.conversations, data.conversationId);
    if (operation === 'deal-create') {
      learn(this.#learnt.deals, data.id);
      learn(this.#learnt.stages, Object(data.stage).id ?? data.stageId);
    }
    if (operation === 'task-create') learn(this.#learnt.tasks, data.id);
    if (operation === 'contact') learn(this.#learnt.contacts, data.id);
  }

  #text(): string {
    return `m${++this.#texts}`;
  }

  /** In slow worlds also of contacts that are new: each has a conversation of its own. */
  #phone(chance: Seeded): string {
    if (!this.#town.slow || !chance.happens(0.2)) return chance.pick(PHONES);
    return `55119${String(70_000_000 + ++this.#strangers)}`;
  }

  #sending(chance: Seeded, headers?: Record<string, string>): Order {
    const text = this.#text();
    const phone = this.#phone(chance);
    const { main, shop, account } = this.#shop;
    const draw = chance.below(20);
    if (draw === 0)
      return this.#post(
        'messages',
        { text, phone, channelId: main.id },
        { key: 'rcd_no-such-key-at-all-0123' },
      );
    if (draw === 1) {
      return this.#post('messages', { text, phone, channelId: shop.id }, { key: main.key });
    }
    if (draw === 2)
      return this.#post('messages', { text: '', phone, channelId: main.id }, { key: account });
    const channel = chance.pick([main, shop]);
    const key = chance.pick([account, channel.key]);
    return this.#post('messages', { text, phone, channelId: channel.id }, { key, headers });
  }

  #sendingMedia(chance: Seeded, what: Wish): Order {
    const { main, shop, account } = this.#shop;
    const channelId = chance.pick([main, shop]).id;
    return this.#post(
      'messages',
      { ...what, phone: chance.pick(PHONES), channelId },
      { key: account },
    );
  }

  #post(path: string, body: Wish, { key, headers }: By): Order {
    const base = path.startsWith('/') ? '' : '/api/v1/';
    const call: Call = {
      method: 'POST',
      path: `${base}${path}`,
      key,
      body,
      ...(headers ? { headers } : {}),
    };
    return { wish: { ...body, path }, call };
  }

  #about(list: readonly string[], chance: Seeded, make: (id: string) => Order): Order | null {
    return list.length === 0 ? null : make(chance.pick(list));
  }

  #person(chance: Seeded, order: Wish): Order | null {
    return this.#about(this.#learnt.conversations, chance, (id) => ({
      wish: { ...order, conversationId: id },
      run: () => this.#shop.operate(id, order),
    }));
  }

  readonly #orders: Readonly<Record<FastOperation, (chance: Seeded) => Order | null>> = {
    send: (chance) => this.#sending(chance),
    'send-once': (chance) => this.#sending(chance, { 'idempotency-key': this.#text() }),
    'send-url': (chance) => {
      const text = this.#text();
      const what = { text, mediaUrl: `https://files.example/${text}.png` };
      const known = this.#learnt.conversations;
      if (known.length === 0 || chance.happens(0.5)) return this.#sendingMedia(chance, what);
      // On the other channel it is refused, before the file is asked for.
      const channelId = chance.pick([this.#shop.main, this.#shop.shop]).id;
      const body = { ...what, conversationId: chance.pick(known), channelId };
      return this.#post('messages', body, { key: this.#shop.account });
    },
    'send-file': (chance) =>
      this.#sendingMedia(chance, { text: this.#text(), mediaId: this.#shop.file }),
    'send-by-conversation': (chance) =>
      this.#about(this.#learnt.conversations, chance, (conversationId) => {
        const channel = chance.pick([this.#shop.main, this.#shop.shop]);
        const body = { text: this.#text(), conversationId, channelId: channel.id };
        return this.#post('messages', body, { key: this.#shop.account });
      }),
    contact: (chance) => {
      const field = this.#text();
      const body = {
        phone: chance.pick(PHONES),
        fields: { [field]: 'sim' },
        tags: [`tag-${field}`],
        ...(chance.happens(0.2) ? { name: `Nome ${field}` } : {}),
      };
      return this.#post('contacts', body, { key: this.#shop.account });
    },
    'flow-start': (chance) => {
      const flow = chance.happens(0.1) ? 'flw_nobody' : chance.pick(this.#shop.flows);
      const body = { phone: chance.pick(PHONES), channelId: this.#shop.main.id };
      return this.#post(`flows/${flow}/start`, body, { key: this.#shop.account });
    },
    'deal-create': (chance) => {
      const phone = chance.happens(0.1) ? '5531999990000' : chance.pick(PHONES);
      return this.#post('deals', { phone, title: this.#text() }, { key: this.#shop.account });
    },
    'deal-change': (chance) =>
      this.#about(this.#learnt.deals, chance, (id) => {
        const body = chance.pick([
          { status: 'won' },
          { status: 'lost', lostReason: 'preço' },
          { status: 'open' },
          { title: this.#text() },
          { status: 'lost' },
        ]);
        return this.#post(`deals/${id}`, body, { key: this.#shop.account });
      }),
    'task-create': (chance) => {
      const due = chance.happens(0.5)
        ? { dueOn: '2026-11-20', dueTime: chance.pick(['09:00', '09:01']) }
        : {};
      const assigneeId = chance.pick(this.#shop.members);
      return this.#post(
        'tasks',
        { title: this.#text(), assigneeId, ...due },
        { key: this.#shop.account },
      );
    },
    'task-change': (chance) =>
      this.#about(this.#learnt.tasks, chance, (id) =>
        this.#post(`tasks/${id}`, { done: chance.happens(0.7) }, { key: this.#shop.account }),
      ),
    'inbound-webhook': (chance) => {
      const body = {
        phone: chance.pick(PHONES),
        ...(chance.happens(0.6) ? { message: this.#text() } : {}),
        fields: { [this.#text()]: 'sim' },
      };
      return this.#post(`/api/webhooks/channel/${this.#shop.main.id}`, body, {
        key: this.#shop.account,
      });
    },
    'network-message': (chance) => this.#fromNetwork(chance, 'message'),
    'network-media': (chance) => this.#fromNetwork(chance, 'message', 'image'),
    'network-echo': (chance) => this.#fromNetwork(chance, 'echo'),
    'list-messages': (chance) =>
      this.#about(this.#learnt.conversations, chance, (id) => ({
        wish: { conversationId: id },
        call: {
          method: 'GET',
          path: `/api/v1/messages?conversationId=${id}&limit=200`,
          key: this.#shop.account,
        },
      })),
    'list-conversations': () => ({
      wish: {},
      call: { method: 'GET', path: '/api/v1/conversations?limit=200', key: this.#shop.account },
    }),
    note: (chance) =>
      this.#person(chance, {
        type: 'note',
        member: chance.pick(this.#shop.members),
        text: this.#text(),
      }),
    reply: (chance) =>
      this.#person(chance, {
        type: 'reply',
        member: chance.pick(this.#shop.members),
        text: this.#text(),
      }),
    assign: (chance) =>
      this.#person(chance, { type: 'assign', member: chance.pick(this.#shop.members) }),
    pause: (chance) => this.#person(chance, { type: 'pause', forMs: 2_000 }),
    resume: (chance) => this.#person(chance, { type: 'resume' }),
    resolve: (chance) => this.#person(chance, { type: 'resolve' }),
  };

  /** A contact writes, or somebody on the phone itself; told until it was taken. */
  #fromNetwork(chance: Seeded, type: 'message' | 'echo', kind: 'text' | 'image' = 'text'): Order {
    const phone = chance.pick(PHONES);
    const externalId = `in.${this.#text()}`;
    const text = chance.happens(0.2) ? 'qual o preço?' : externalId;
    const { scheduler, network } = this.#town;
    const at = Math.floor(EPOCH_MS + scheduler.now);
    const address = chance.happens(0.3)
      ? ({ id: this.#shop.shop.id, provider: 'web' } as const)
      : ({ id: this.#shop.main.id, provider: 'cloud' } as const);
    const media = { networkMediaId: externalId, mimeType: 'image/png' };
    const what = kind === 'image' ? { kind, text: null, media } : { kind, text };
    const event = { type, externalId, phone, networkId: phone, at, ...what } as const;
    return {
      wish: { externalId, phone, type },
      run: async () => {
        // Told again side by side, it comes under the person's hidden id as often.
        const form = chance.happens(0.5) ? { phone: '', networkId: `${phone}@lid` } : {};
        const again = { ...event, ...form };
        const doubled = chance.happens(0.2) ? network.tell(address, [again]) : null;
        await network.tell(address, [event]);
        await doubled;
        return { status: 200, body: '{}' };
      },
    };
  }
}
