/** Calls that clients can make: of every kind, on a few phones that all of them share. */

import type { NetworkPerson } from '../../../shared/ports/network-event.ts';
import type { Answer, Call as Called } from '../checkers/history.ts';
import { CampaignOrders } from './campaign-orders.ts';
import type {
  CAMPAIGN_OPERATIONS,
  DESK_OPERATIONS,
  OPERATIONS,
  Operation,
  SCHEDULED_OPERATIONS,
  TEMPLATE_OPERATIONS,
} from './coverage.ts';
import { DeskOrders } from './desk-orders.ts';
import { KeyedOrders } from './keyed-orders.ts';
import type { Learnt, Order, RequestFields } from './order.ts';
import type { Shop } from './organization.ts';
import { hasJoins, hidden, PHONES, spelled } from './phones.ts';
import { ScheduledOrders } from './scheduled-orders.ts';
import { TemplateOrders } from './template-orders.ts';
import { EPOCH_MS } from './world/machine.ts';
import type { Call } from './world/processes.ts';
import type { SeededRandom } from './world/seeded-random.ts';
import type { World } from './world.ts';

interface By {
  readonly key: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

type FastOperation = Exclude<
  (typeof OPERATIONS)[number],
  (
    | typeof SCHEDULED_OPERATIONS
    | typeof TEMPLATE_OPERATIONS
    | typeof CAMPAIGN_OPERATIONS
    | typeof DESK_OPERATIONS
  )[number]
>;

/** Of what the network reports, each fourth message is late, by up to two minutes. */
const LATE_EVERY = 4;
const LATE_MOST_S = 119;
const BULK_EVERY = 4;
const BULK_ENDS_MS = 4_000;

export class Orders {
  readonly #world: World;
  readonly #shop: Shop;
  readonly #learnt: Learnt = {
    conversations: [],
    deals: [],
    tasks: [],
    stages: [],
    contacts: [],
    newest: new Map(),
  };
  readonly #keyed: KeyedOrders;
  readonly #scheduled: ScheduledOrders;
  readonly #templates: TemplateOrders;
  readonly #campaigns: CampaignOrders;
  readonly #desk: DeskOrders;
  #texts = 0;
  #newPhones = 0;

  constructor(world: World, shop: Shop) {
    this.#world = world;
    this.#shop = shop;
    const text = () => this.#text();
    this.#keyed = new KeyedOrders({ shop, learnt: this.#learnt, text });
    this.#scheduled = new ScheduledOrders({ world, shop, text });
    this.#templates = new TemplateOrders({ world, shop, text });
    this.#campaigns = new CampaignOrders({ world, shop, text });
    const { conversations } = this.#learnt;
    this.#desk = new DeskOrders({ shop, conversations, text });
  }

  /** Null while nothing is known that it could be about. */
  make(operation: Operation, random: SeededRandom): Order | null {
    if (KeyedOrders.knows(operation)) return this.#keyed.make(operation, random);
    if (ScheduledOrders.knows(operation)) return this.#scheduled.make(operation, random);
    if (TemplateOrders.knows(operation)) return this.#templates.make(operation, random);
    if (CampaignOrders.knows(operation)) return this.#campaigns.make(operation, random);
    if (DeskOrders.knows(operation)) return this.#desk.make(operation, random);
    return this.#orders[operation](random);
  }

  /** Later calls are about what earlier ones have made. */
  learn(operation: Operation, request: RequestFields, { outcome, answer }: Called): void {
    if (operation === 'flow-start') {
      if (outcome === 'ok') this.#world.coverage.count('happening flow started');
      if (answer?.result === 'skipped') this.#world.coverage.count('happening flow skipped');
    }
    if (outcome !== 'ok' || answer === null) return;
    if (operation === 'add-file') this.#desk.learnFile(answer.id);
    if (DeskOrders.knows(operation)) return this.#learnAtDesk(operation, request, answer);
    if (operation.startsWith('schedule')) this.#scheduled.learn(answer.messageId, request);
    const learn = (list: string[], id: string | null | undefined): void => {
      if (id && !list.includes(id)) list.push(id);
    };
    if (/^(send|campaign)/.test(operation))
      learn(this.#learnt.conversations, answer.conversationId);
    this.#learnNewest(request, answer);
    if (request.priority === 'bulk') this.#scheduled.learnBulk(answer.messageId, request.phone);
    if (operation === 'deal-create') {
      learn(this.#learnt.deals, answer.id);
      learn(this.#learnt.stages, answer.deal?.stageId);
    }
    if (operation === 'task-create') learn(this.#learnt.tasks, answer.id);
    if (operation === 'contact') learn(this.#learnt.contacts, answer.id);
  }

  #learnAtDesk(operation: Operation, { phone }: RequestFields, answer: Answer): void {
    if (operation.startsWith('contact')) this.#desk.learnContact(phone, answer.id);
    if (answer.pipeline) this.#desk.learnPipeline(answer.pipeline);
  }

  /** Of a send, or of a page with the newest first. */
  #learnNewest(request: RequestFields, { conversationId, messageId, ids }: Answer): void {
    const conversation = conversationId ?? request.conversationId;
    const newest = messageId ?? ids?.[0];
    if (typeof conversation === 'string' && newest) this.#learnt.newest.set(conversation, newest);
  }

  /** Every other one goes only if nobody has written since. */
  #newestOf(conversationId: string): string | undefined {
    return this.#texts % 2 === 0 ? this.#learnt.newest.get(conversationId) : undefined;
  }

  #text(): string {
    return `m${++this.#texts}`;
  }

  /** In slow worlds also of contacts that are new: each has a conversation of its own. */
  #phone(random: SeededRandom): string {
    if (!this.#world.slow || !random.happens(0.2)) return this.#anyOf(random);
    return `55119${String(70_000_000 + ++this.#newPhones)}`;
  }

  /** In one of its spellings: of one contact there are not two. */
  #anyOf(random: SeededRandom): string {
    return spelled(random, random.pick(PHONES));
  }

  #sending(random: SeededRandom, headers?: Record<string, string>): Order {
    const text = this.#text();
    const phone = this.#phone(random);
    const { main, shop, account } = this.#shop;
    const draw = random.below(20);
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
    const channel = random.pick([main, shop]);
    const key = random.pick([account, channel.key]);
    const body = { text, phone, channelId: channel.id, ...this.#priority() };
    return this.#post('messages', body, { key, headers });
  }

  /** Some are bulk messages, and some of these have an end that is near. */
  #priority(): RequestFields {
    if (this.#texts % BULK_EVERY !== 0) return {};
    if (this.#texts % (3 * BULK_EVERY) !== 0) return { priority: 'bulk' };
    const endsAt = Math.floor(EPOCH_MS + this.#world.scheduler.now) + BULK_ENDS_MS;
    return { priority: 'bulk', expiresAt: new Date(endsAt).toISOString() };
  }

  #sendingMedia(random: SeededRandom, what: RequestFields): Order {
    const { main, shop, account } = this.#shop;
    const channelId = random.pick([main, shop]).id;
    return this.#post(
      'messages',
      { ...what, phone: this.#anyOf(random), channelId },
      { key: account },
    );
  }

  #post(path: string, body: RequestFields, { key, headers }: By): Order {
    const base = path.startsWith('/') ? '' : '/api/v1/';
    const call: Call = {
      method: 'POST',
      path: `${base}${path}`,
      key,
      body,
      ...(headers ? { headers } : {}),
    };
    return { request: { ...body, path }, call };
  }

  #about(list: readonly string[], random: SeededRandom, make: (id: string) => Order): Order | null {
    return list.length === 0 ? null : make(random.pick(list));
  }

  #person(random: SeededRandom, order: RequestFields): Order | null {
    return this.#about(this.#learnt.conversations, random, (id) => ({
      request: { ...order, conversationId: id },
      run: () => this.#shop.operate(id, order),
    }));
  }

  readonly #orders: Readonly<Record<FastOperation, (random: SeededRandom) => Order | null>> = {
    send: (random) => this.#sending(random),
    'send-once': (random) => this.#sending(random, { 'idempotency-key': this.#text() }),
    'send-url': (random) => {
      const text = this.#text();
      const what = { text, mediaUrl: `https://files.example/${text}.png` };
      const known = this.#learnt.conversations;
      if (known.length === 0 || random.happens(0.5)) return this.#sendingMedia(random, what);
      // On the other channel it is refused, before the file is asked for.
      const channelId = random.pick([this.#shop.main, this.#shop.shop]).id;
      const body = { ...what, conversationId: random.pick(known), channelId };
      return this.#post('messages', body, { key: this.#shop.account });
    },
    'send-file': (random) =>
      this.#sendingMedia(random, { text: this.#text(), mediaId: this.#shop.file }),
    'send-by-conversation': (random) =>
      this.#about(this.#learnt.conversations, random, (conversationId) => {
        const channel = random.pick([this.#shop.main, this.#shop.shop]);
        const body = { text: this.#text(), conversationId, channelId: channel.id };
        const key = this.#shop.account;
        const after = this.#newestOf(conversationId);
        if (after === undefined) return this.#post('messages', body, { key });
        const bound = { ...body, onlyIf: { lastMessageId: after } };
        const { call } = this.#post('messages', bound, { key });
        return { request: { ...body, after, path: 'messages' }, ...(call ? { call } : {}) };
      }),
    contact: (random) => {
      const field = this.#text();
      const body = {
        phone: this.#anyOf(random),
        fields: { [field]: 'sim' },
        tags: [`tag-${field}`],
        ...(random.happens(0.2) ? { name: `Nome ${field}` } : {}),
      };
      return this.#post('contacts', body, { key: this.#shop.account });
    },
    'flow-start': (random) => {
      if (random.happens(0.2)) {
        const body = { phone: this.#scheduled.leaving(), channelId: this.#shop.main.id };
        return this.#post(`flows/${this.#shop.farewell}/start`, body, { key: this.#shop.account });
      }
      const flow = random.happens(0.1) ? 'flw_nobody' : random.pick(this.#shop.flows);
      const phone = random.happens(0.5) ? this.#scheduled.awaitFlow(random) : this.#anyOf(random);
      const body = { phone, channelId: this.#shop.main.id };
      return this.#post(`flows/${flow}/start`, body, { key: this.#shop.account });
    },
    'deal-create': (random) => {
      const phone = random.happens(0.1) ? '5531999990000' : random.pick(PHONES);
      return this.#post('deals', { phone, title: this.#text() }, { key: this.#shop.account });
    },
    'deal-change': (random) =>
      this.#about(this.#learnt.deals, random, (id) => {
        const body = random.pick([
          { status: 'won' },
          { status: 'lost', lostReason: 'preço' },
          { status: 'open' },
          { title: this.#text() },
          { status: 'lost' },
        ]);
        return this.#post(`deals/${id}`, body, { key: this.#shop.account });
      }),
    'task-create': (random) => {
      const due = random.happens(0.5)
        ? { dueOn: '2026-11-20', dueTime: random.pick(['09:00', '09:01']) }
        : {};
      const assigneeId = random.pick(this.#shop.members);
      return this.#post(
        'tasks',
        { title: this.#text(), assigneeId, ...due },
        { key: this.#shop.account },
      );
    },
    'task-change': (random) =>
      this.#about(this.#learnt.tasks, random, (id) =>
        this.#post(`tasks/${id}`, { done: random.happens(0.7) }, { key: this.#shop.account }),
      ),
    'inbound-webhook': (random) => {
      const body = {
        phone: this.#anyOf(random),
        ...(random.happens(0.6) ? { message: this.#text() } : {}),
        fields: { [this.#text()]: 'sim' },
      };
      return this.#post(`/api/webhooks/channel/${this.#shop.main.id}`, body, {
        key: this.#shop.account,
      });
    },
    'network-message': (random) => this.#fromNetwork(random, 'message'),
    'network-media': (random) => this.#fromNetwork(random, 'message', 'image'),
    'network-echo': (random) => this.#fromNetwork(random, 'echo'),
    'conversation-change': (random) =>
      this.#about(this.#learnt.conversations, random, (id) => {
        const member = random.pick(this.#shop.members);
        const body = random.pick([
          { assignedTo: member },
          { assignedTo: null, participants: [] },
          { assignedTo: member, status: 'resolved' },
          { status: 'resolved' },
          { status: 'open' },
          { status: 'open', assignedTo: 'mbr_nobody' },
        ]);
        return this.#post(`conversations/${id}`, body, { key: this.#shop.account });
      }),
    'list-messages': (random) =>
      this.#about(this.#learnt.conversations, random, (id) => ({
        request: { conversationId: id },
        call: {
          method: 'GET',
          path: `/api/v1/messages?conversationId=${id}&limit=200`,
          key: this.#shop.account,
        },
      })),
    'list-conversations': () => ({
      request: {},
      call: { method: 'GET', path: '/api/v1/conversations?limit=200', key: this.#shop.account },
    }),
    note: (random) =>
      this.#person(random, {
        type: 'note',
        member: random.pick(this.#shop.members),
        text: this.#text(),
      }),
    reply: (random) =>
      this.#person(random, {
        type: 'reply',
        member: random.pick(this.#shop.members),
        text: this.#text(),
      }),
    assign: (random) =>
      this.#person(random, { type: 'assign', member: random.pick(this.#shop.members) }),
    pause: (random) => this.#person(random, { type: 'pause', forMs: 2_000 }),
    resume: (random) => this.#person(random, { type: 'resume' }),
    resolve: (random) => this.#person(random, { type: 'resolve' }),
  };

  /**
   * A contact writes, or a person on the phone itself; reported until it is accepted. The first
   * report of some comes late: the network's time of them is that of their writing.
   */
  #fromNetwork(
    random: SeededRandom,
    type: 'message' | 'echo',
    kind: 'text' | 'image' = 'text',
  ): Order {
    const phone = random.pick(PHONES);
    const externalId = `in.${this.#text()}`;
    const text = random.happens(0.2) ? 'qual o preço?' : externalId;
    const { scheduler, network } = this.#world;
    const lateMs = this.#texts % LATE_EVERY === 0 ? 1_000 * (this.#texts % LATE_MOST_S) : 0;
    const at = Math.floor(EPOCH_MS + scheduler.now) - lateMs;
    const address = random.happens(0.3)
      ? ({ id: this.#shop.shop.id, provider: 'web' } as const)
      : ({ id: this.#shop.main.id, provider: 'cloud' } as const);
    const media = { networkMediaId: externalId, mimeType: 'image/png' };
    const what = kind === 'image' ? { kind, text: null, media } : { kind, text };
    const event = { type, externalId, ...this.#author(random, phone), at, ...what } as const;
    return {
      request: { externalId, phone, type },
      run: async () => {
        // Told again side by side, it comes under the person's hidden id as often.
        const again = random.happens(0.5) ? { ...event, ...hidden(phone) } : event;
        const doubled = random.happens(0.2) ? network.deliver(address, [again]) : null;
        await network.deliver(address, [event]);
        await doubled;
        return { status: 200, body: '{}' };
      },
    };
  }

  /** In some worlds by a hidden id, of which the network tells now and then whose it is. */
  #author(random: SeededRandom, phone: string): NetworkPerson {
    const shown = { phone, networkId: phone };
    if (!hasJoins(this.#world.seed)) return shown;
    if (random.happens(0.3)) return hidden(phone);
    return random.happens(0.4) ? { ...shown, aliases: [hidden(phone).networkId] } : shown;
  }
}
