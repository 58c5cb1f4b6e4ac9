/**
 * The clients of a world: each makes one call after the other, of every kind, on a few phones that
 * all of them share, so that they get into each other's way.
 */
import { OPERATIONS, type Operation } from './coverage.ts';
import { type Asked, outcomeOf } from './history.ts';
import type { Shop } from './organization.ts';
import type { Town } from './town.ts';
import { EPOCH_MS } from './world/machine.ts';
import type { Call, Replied } from './world/processes.ts';
import type { Seeded } from './world/seeded.ts';

const CLIENTS = 4;
const PHONES = ['5511987650001', '5511987650002', '5511987650003', '5521987650004'];
/** What else is done than sending. */
const SEND_SHARE = 0.35;

type Wish = Readonly<Record<string, unknown>>;

interface Order {
  readonly wish: Wish;
  readonly call?: Call;
  readonly run?: () => Promise<Replied>;
}

/** What clients have learnt from answers, for later calls. */
interface Learnt {
  readonly conversations: string[];
  readonly deals: string[];
  readonly tasks: string[];
  readonly stages: string[];
  readonly contacts: string[];
}

export class Clients {
  readonly history: Asked[] = [];
  readonly #town: Town;
  readonly #shop: Shop;
  readonly #learnt: Learnt = {
    conversations: [],
    deals: [],
    tasks: [],
    stages: [],
    contacts: [],
  };
  #texts = 0;
  #open = 0;

  constructor(town: Town, shop: Shop) {
    this.#town = town;
    this.#shop = shop;
  }

  get busy(): boolean {
    return this.#open > 0;
  }

  start(untilMs: number): void {
    for (let client = 0; client < CLIENTS; client++) {
      void this.#work(client, this.#town.chance.branch(), untilMs);
    }
  }

  async #work(client: number, chance: Seeded, untilMs: number): Promise<void> {
    const { scheduler } = this.#town;
    this.#open += 1;
    while (scheduler.now < untilMs) {
      const name = chance.happens(SEND_SHARE) ? 'send' : chance.pick(OPERATIONS);
      await this.carryOut(name, client, chance);
      await scheduler.pause(chance.around(350));
    }
    this.#open -= 1;
  }

  async carryOut(operation: Operation, client: number, chance: Seeded): Promise<void> {
    const order = this.#orders[operation](chance);
    if (!order) return;
    const { scheduler, coverage, story } = this.#town;
    const startedAt = scheduler.now;
    let replied = await this.#ask(order);
    let tried = 0;
    coverage.count(`operation ${operation}`);
    if (operation === 'send-once') {
      // A careful integrator repeats under the same key until somebody says what became of it.
      for (; tried < 3 && (replied === null || replied.status >= 500); tried++) {
        coverage.count('happening lost idempotent call repeated');
        await scheduler.pause(chance.around(1_500));
        replied = await this.#ask(order);
      }
    }
    // A refusal speaks for the last try only: an earlier one may have happened.
    const refusedAfterAll = tried > 0 && outcomeOf(replied?.status ?? 0) === 'refused';
    const status = refusedAfterAll ? 0 : (replied?.status ?? 0);
    const asked: Asked = {
      operation,
      client,
      startedAt,
      endedAt: scheduler.now,
      outcome: outcomeOf(status),
      status,
      wish: order.wish,
      said: parsed(replied),
    };
    story.tell(`client${client}`, `${operation} ${JSON.stringify(order.wish)}: ${status}`);
    this.history.push(asked);
    if (asked.outcome === 'refused') coverage.count(`refusal ${status}`);
    this.#learn(asked);
  }

  async #ask(order: Order): Promise<Replied | null> {
    try {
      if (order.run) return await order.run();
      return order.call ? await this.#town.call(order.call) : null;
    } catch {
      // A command line whose ask was not answered: it may have happened.
      return null;
    }
  }

  #learn({ operation, outcome, said }: Asked): void {
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

  #sending(chance: Seeded, headers?: Record<string, string>): Order {
    const text = this.#text();
    const phone = chance.pick(PHONES);
    const { main, shop, account } = this.#shop;
    const draw = chance.below(20);
    if (draw === 0)
      return this.#post(
        'messages',
        { text, phone, channelId: main.id },
        'rcd_no-such-key-at-all-0123',
      );
    if (draw === 1) {
      return this.#post('messages', { text, phone, channelId: shop.id }, main.key);
    }
    if (draw === 2) return this.#post('messages', { text: '', phone, channelId: main.id }, account);
    const channel = chance.pick([main, shop]);
    const key = chance.pick([account, channel.key]);
    return this.#post('messages', { text, phone, channelId: channel.id }, key, headers);
  }

  // biome-ignore lint/complexity/useMaxParams: a call is what, with what, by whom, and how
  #post(
    path: string,
    body: Wish,
    key: string | null,
    headers?: Readonly<Record<string, string>>,
  ): Order {
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

  readonly #orders: Readonly<Record<Operation, (chance: Seeded) => Order | null>> = {
    send: (chance) => this.#sending(chance),
    'send-once': (chance) => this.#sending(chance, { 'idempotency-key': this.#text() }),
    'send-by-conversation': (chance) =>
      this.#about(this.#learnt.conversations, chance, (conversationId) => {
        const channel = chance.pick([this.#shop.main, this.#shop.shop]);
        const body = { text: this.#text(), conversationId, channelId: channel.id };
        return this.#post('messages', body, this.#shop.account);
      }),
    contact: (chance) => {
      const field = this.#text();
      const body = {
        phone: chance.pick(PHONES),
        fields: { [field]: 'sim' },
        tags: [`tag-${field}`],
        ...(chance.happens(0.2) ? { name: `Nome ${field}` } : {}),
      };
      return this.#post('contacts', body, this.#shop.account);
    },
    'flow-start': (chance) => {
      const flow = chance.happens(0.1) ? 'flw_nobody' : chance.pick(this.#shop.flows);
      const body = { phone: chance.pick(PHONES), channelId: this.#shop.main.id };
      return this.#post(`flows/${flow}/start`, body, this.#shop.account);
    },
    'deal-create': (chance) => {
      const phone = chance.happens(0.1) ? '5531999990000' : chance.pick(PHONES);
      return this.#post('deals', { phone, title: this.#text() }, this.#shop.account);
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
        return this.#post(`deals/${id}`, body, this.#shop.account);
      }),
    'task-create': (chance) => {
      const due = chance.happens(0.5)
        ? { dueOn: '2026-11-20', dueTime: chance.pick(['09:00', '09:01']) }
        : {};
      const assigneeId = chance.pick(this.#shop.members);
      return this.#post('tasks', { title: this.#text(), assigneeId, ...due }, this.#shop.account);
    },
    'task-change': (chance) =>
      this.#about(this.#learnt.tasks, chance, (id) =>
        this.#post(`tasks/${id}`, { done: chance.happens(0.7) }, this.#shop.account),
      ),
    'inbound-webhook': (chance) => {
      const body = {
        phone: chance.pick(PHONES),
        ...(chance.happens(0.6) ? { message: this.#text() } : {}),
        fields: { [this.#text()]: 'sim' },
      };
      return this.#post(`/api/webhooks/channel/${this.#shop.main.id}`, body, this.#shop.account);
    },
    'network-message': (chance) => this.#fromNetwork(chance, 'message'),
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
  #fromNetwork(chance: Seeded, type: 'message' | 'echo'): Order {
    const phone = chance.pick(PHONES);
    const externalId = `in.${this.#text()}`;
    const text = chance.happens(0.2) ? 'qual o preço?' : externalId;
    const { scheduler, network } = this.#town;
    const at = Math.floor(EPOCH_MS + scheduler.now);
    const address = { id: this.#shop.main.id, provider: 'cloud' } as const;
    const event = { type, externalId, phone, networkId: phone, kind: 'text', text, at } as const;
    return {
      wish: { externalId, phone, type },
      run: async () => {
        const doubled = chance.happens(0.2) ? network.tell(address, [event]) : null;
        await network.tell(address, [event]);
        await doubled;
        return { status: 200, body: '{}' };
      },
    };
  }
}

function parsed(replied: Replied | null): Asked['said'] {
  if (!replied?.body.startsWith('{')) return null;
  return JSON.parse(replied.body) as Asked['said'];
}
