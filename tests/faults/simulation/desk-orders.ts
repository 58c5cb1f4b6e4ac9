/**
 * Calls of an integrator at the desk of a busy shop: notes, changes of contacts that also take
 * things away, pipelines whose stages come and go, deals in those stages, and files of the library
 * that messages are sent with. Its contacts, pipelines, deals and files are its own.
 */
import { DESK_OPERATIONS, type Operation } from './coverage.ts';
import type { Order, RequestFields } from './order.ts';
import type { Shop } from './organization.ts';
import { PHONES } from './phones.ts';
import type { SeededRandom } from './world/seeded-random.ts';

type DeskOperation = (typeof DESK_OPERATIONS)[number];

const KNOWN: ReadonlySet<string> = new Set(DESK_OPERATIONS);
const CONTACTS = ['5511940000001', '5511940000002'];
const TAGS = ['vip', 'novo', 'frio'] as const;
const FIELDS = ['cidade', 'cargo'] as const;
const PIPELINES = 3;

interface Stage {
  readonly id: string;
  readonly name: string;
}

interface Pipeline {
  readonly id: string;
  readonly stages: readonly Stage[];
}

interface DeskParts {
  readonly shop: Shop;
  readonly conversations: readonly string[];
  readonly text: () => string;
}

/** Registers of a contact by their names, and what a call writes there; null takes it away. */
type Sets = Readonly<Record<string, string | null>>;

export class DeskOrders {
  readonly #parts: DeskParts;
  readonly #contacts = new Map<string, string>();
  readonly #pipelines = new Map<string, Pipeline>();
  /** Stages that are there, or were. */
  readonly #stages: string[] = [];
  /** Files that are in the library, or were. */
  readonly #files: string[] = [];

  constructor(parts: DeskParts) {
    this.#parts = parts;
  }

  static knows(operation: Operation): operation is DeskOperation {
    return KNOWN.has(operation);
  }

  learnContact(phone: unknown, id: string | undefined): void {
    if (typeof phone === 'string' && id !== undefined) this.#contacts.set(phone, id);
  }

  learnPipeline(pipeline: Pipeline): void {
    this.#pipelines.set(pipeline.id, pipeline);
    this.#stages.push(...pipeline.stages.map(({ id }) => id));
  }

  learnFile(id: string | undefined): void {
    if (id !== undefined) this.#files.push(id);
  }

  /** Null while nothing is known that it could be about. */
  make(operation: DeskOperation, random: SeededRandom): Order | null {
    switch (operation) {
      case 'write-note':
        return this.#note(random);
      case 'contact-upsert':
        return this.#contact(random, random.pick(CONTACTS), 'contacts');
      case 'contact-change': {
        const known = [...this.#contacts];
        if (known.length === 0) return null;
        const [phone, id] = random.pick(known);
        return this.#contact(random, phone, `contacts/${id}`);
      }
      case 'pipeline-create':
        return this.#pipelines.size < PIPELINES ? this.#create() : null;
      case 'pipeline-change': {
        const known = [...this.#pipelines.values()];
        return known.length === 0 ? null : this.#change(random, random.pick(known));
      }
      case 'stage-deal':
        return this.#stages.length === 0 ? null : this.#deal(random);
      case 'add-file':
        return this.#addFile();
      case 'remove-file':
        return this.#files.length === 0 ? null : this.#removeFile(random.pick(this.#files));
      case 'send-added-file':
        return this.#files.length === 0 ? null : this.#send(random);
      default:
        return operation satisfies never;
    }
  }

  #note(random: SeededRandom): Order | null {
    const { conversations, text } = this.#parts;
    if (conversations.length === 0) return null;
    const conversationId = random.pick(conversations);
    const body = { text: text() };
    return this.#post(`conversations/${conversationId}/notes`, body, { conversationId, ...body });
  }

  #contact(random: SeededRandom, phone: string, path: string): Order {
    const value = this.#parts.text();
    const [tag, other] = [random.pick(TAGS), random.pick(TAGS)];
    const [field, left] = [random.pick(FIELDS), random.pick(FIELDS)];
    const isNamed = path !== 'contacts' && random.happens(0.3);
    const body = {
      ...(path === 'contacts' ? { phone } : {}),
      ...(isNamed ? { name: random.happens(0.3) ? null : `Nome ${value}` } : {}),
      tags: [tag],
      ...(other === tag ? {} : { removeTags: [other] }),
      ...(random.happens(0.5) ? { fields: { [field]: value } } : { removeFields: [left] }),
    };
    return this.#post(path, body, { phone, sets: setsOf(body) });
  }

  #create(): Order {
    const { text } = this.#parts;
    const [name, ...names] = [text(), text(), text(), text()];
    const body = { name, stages: names.map((each) => ({ name: each })) };
    return this.#post('pipelines', body, { pipeline: { name, stages: names } });
  }

  /** A name, an order with a new name, or a stage that gives way to a new one. */
  #change(random: SeededRandom, { id, stages }: Pipeline): Order {
    const name = this.#parts.text();
    const path = `pipelines/${id}`;
    if (random.happens(0.2)) {
      return this.#post(path, { name }, { pipelineId: id, pipeline: { name } });
    }
    const at = random.below(stages.length);
    const others = stages.filter((_, index) => index !== at);
    const [stage, kept] = [stages[at], random.pick(others)];
    const isRemoved = stage !== undefined && random.happens(0.6);
    const changed = isRemoved || !stage ? { name } : { id: stage.id, name };
    const order: readonly { readonly id?: string; readonly name: string }[] = [...others, changed];
    const names = order.map((each) => each.name);
    const body = { stages: order, ...(isRemoved ? { moveTo: { [stage.id]: kept.id } } : {}) };
    return this.#post(path, body, { pipelineId: id, pipeline: { stages: names } });
  }

  #deal(random: SeededRandom): Order {
    const body = { phone: random.pick(PHONES), title: this.#parts.text() };
    const stageId = random.pick(this.#stages.slice(-6));
    return this.#post('deals', { ...body, stageId }, { ...body, stageId });
  }

  /** Under a key: of a repeat there is one file. */
  #addFile(): Order {
    const { shop, text } = this.#parts;
    const name = text();
    const headers = {
      'idempotency-key': name,
      'content-type': 'image/png',
      'x-file-name': `${name}.png`,
    };
    const bytes = Buffer.from(`arquivo ${name}`);
    const call = { method: 'POST', path: '/api/v1/files', key: shop.account } as const;
    return { request: { file: `arquivo ${name}` }, call: { ...call, bytes, headers } };
  }

  #removeFile(mediaId: string): Order {
    return this.#post(`files/${mediaId}/remove`, {}, { removedId: mediaId });
  }

  #send(random: SeededRandom): Order {
    const { shop, text } = this.#parts;
    const mediaId = random.pick(this.#files.slice(-3));
    const channelId = random.pick([shop.main, shop.shop]).id;
    const body = { text: text(), mediaId, phone: random.pick(PHONES), channelId };
    return this.#post('messages', body, body);
  }

  #post(path: string, body: RequestFields, request: RequestFields): Order {
    const key = this.#parts.shop.account;
    return { request, call: { method: 'POST', path: `/api/v1/${path}`, key, body } };
  }
}

interface Changes {
  readonly name?: string | null;
  readonly tags: readonly string[];
  readonly removeTags?: readonly string[];
  readonly fields?: Readonly<Record<string, string>>;
  readonly removeFields?: readonly string[];
}

function setsOf({ name, tags, removeTags = [], fields = {}, removeFields = [] }: Changes): Sets {
  return {
    ...(name === undefined ? {} : { name }),
    ...Object.fromEntries(tags.map((tag) => [`#${tag}`, tag])),
    ...Object.fromEntries(removeTags.map((tag) => [`#${tag}`, null])),
    ...Object.fromEntries(Object.entries(fields).map(([field, value]) => [`.${field}`, value])),
    ...Object.fromEntries(removeFields.map((field) => [`.${field}`, null])),
  };
}
