/**
 * Format of one NATS message. Asks of one tick to one subject share an envelope, and so do their
 * answers. An envelope beyond the server's limit is sent in parts.
 *
 * On the answering side the answers of one tick to one asker share an envelope, whichever of its
 * batches asked for them. A group commit answers many batches at once.
 */

import type { Msg } from 'nats';
import { ASK_DEADLINE_MS } from '../../../shared/limits.ts';
import type {
  Answer,
  CommandOf,
  IncomingAsk,
  PiggybackedAdmission,
} from '../../../shared/ports/bus.ts';
import { ACTOR_KINDS } from '../../../shared/vocabulary.ts';
import type { AnswerRest } from '../../../shared/wire/answer-rest.ts';
import type { Admission } from '../../../shared/wire/caller.ts';
import type { Wire } from './connection.ts';
import { TickBatches } from './tick-batches.ts';

export interface AskItem {
  /** Correlates the answer. */
  readonly n: number;
  /** Actor kind, or the empty string for a query. */
  readonly kind: string;
  readonly key: string;
  readonly command: unknown;
  /** Absolute, epoch milliseconds, by the asker's clock until it is read. */
  readonly deadline: number;
  /** The asker's clock; in the first item of an envelope. */
  readonly askedAt?: number;
  readonly requestId?: string | undefined;
  /** Set when it has been asked before and may have been received: it may have been committed. */
  readonly repeat?: boolean;
  readonly admission?: PiggybackedAdmission | undefined;
}

/** `status` 0: this process does not own the actor, or knows no such query. */
export interface AnswerItem {
  readonly n: number;
  readonly status: number;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly admission?: Admission | undefined;
  readonly rest?: AnswerRest | undefined;
}

export interface AnswerEnvelope {
  /** The process that answered, so that the asker learns the owner. */
  readonly process: string;
  /** It answers queries at its own subject too; an older release would not. */
  readonly queries?: true;
  readonly items: readonly AnswerItem[];
}

const WHOLE = 1;
const WHOLE_MARK = String.fromCharCode(WHOLE);
const PART = 2;
/** Below a default server's 1 MiB. */
const PART_BYTES = 768 * 1024;
const HEADER_BYTES = 1 + 8 + 4 + 4;

let transfers = Math.floor(Math.random() * 2 ** 40);

/** Characters of items that share an envelope; a longer item has one of its own. */
export const ENVELOPE_MAX_CHARS = 512 * 1024;

/** Items in envelopes of bounded length, in order. */
export function inEnvelopes<Item>(
  items: readonly Item[],
  charsOf: (item: Item) => number,
): readonly (readonly Item[])[] {
  const envelopes: Item[][] = [];
  let chars = Number.POSITIVE_INFINITY;
  for (const item of items) {
    const size = charsOf(item);
    chars += size;
    if (chars <= ENVELOPE_MAX_CHARS) {
      envelopes.at(-1)?.push(item);
    } else {
      envelopes.push([item]);
      chars = size;
    }
  }
  return envelopes;
}

/** The payloads to publish, in order. */
export function pack(envelope: unknown): Buffer[] {
  const whole = Buffer.from(`${WHOLE_MARK}${JSON.stringify(envelope)}`);
  if (whole.length <= PART_BYTES) return [whole];
  const json = whole.subarray(1);
  const count = Math.ceil(json.length / PART_BYTES);
  const transfer = ++transfers;
  const parts: Buffer[] = [];
  for (let index = 0; index < count; index++) {
    const header = Buffer.alloc(HEADER_BYTES);
    header[0] = PART;
    header.writeDoubleLE(transfer, 1);
    header.writeUInt32LE(index, 9);
    header.writeUInt32LE(count, 13);
    parts.push(
      Buffer.concat([header, json.subarray(index * PART_BYTES, (index + 1) * PART_BYTES)]),
    );
  }
  return parts;
}

/**
 * What is further apart are two clocks. A reader has at least as much time left: one that is 9 s
 * ahead would else find every ask expired.
 */
const APART_MIN_MS = ASK_DEADLINE_MS / 2;
/** A message does not come before it was sent. */
const EARLY_MIN_MS = 1_000;

/** Asks with the clock by which their deadlines are. */
export function withClock(items: readonly AskItem[], askedAt: number): readonly AskItem[] {
  return items.map((item, index) => (index === 0 ? { ...item, askedAt } : item));
}

/**
 * Converts deadlines to the reader's clock. Machines whose clocks differ would drop each other's
 * asks as late, or work on expired ones. A small difference counts as time in transit, and is not
 * corrected.
 */
export function byOwnClock(items: readonly AskItem[], now: number): readonly AskItem[] {
  const askedAt = items[0]?.askedAt;
  if (askedAt === undefined) return items;
  const apartMs = now - askedAt;
  if (apartMs > -EARLY_MIN_MS && apartMs < APART_MIN_MS) return items;
  return items.map((item) => ({ ...item, deadline: item.deadline + apartMs }));
}

/** Gathers parts; forgets transfers that never became whole. */
export class Unpacker {
  readonly #transfers = new Map<string, { parts: (Buffer | undefined)[]; missing: number }>();
  /** Beyond these the oldest is forgotten; its asker repeats it. */
  readonly #maxTransfers = 64;

  /** The envelope when `payload` completes one, else undefined. */
  unpack(payload: Uint8Array, sender: string): unknown {
    const bytes = Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength);
    if (bytes[0] === WHOLE) return JSON.parse(bytes.toString('utf8', 1));
    if (bytes[0] !== PART || bytes.length < HEADER_BYTES) return undefined;
    const name = `${sender}/${bytes.readDoubleLE(1)}`;
    const index = bytes.readUInt32LE(9);
    const count = bytes.readUInt32LE(13);
    let transfer = this.#transfers.get(name);
    if (!transfer) {
      if (this.#transfers.size >= this.#maxTransfers) {
        const oldest = this.#transfers.keys().next().value;
        if (oldest !== undefined) this.#transfers.delete(oldest);
      }
      transfer = { parts: new Array(count), missing: count };
      this.#transfers.set(name, transfer);
    }
    if (transfer.parts[index] === undefined) {
      transfer.parts[index] = Buffer.from(bytes.subarray(HEADER_BYTES));
      transfer.missing--;
    }
    if (transfer.missing > 0) return undefined;
    this.#transfers.delete(name);
    return JSON.parse(Buffer.concat(transfer.parts.map((p) => p ?? Buffer.alloc(0))).toString());
  }
}

/** No batch has this number. */
export const ANSWERS = 0;

export class Responder {
  readonly #connection: Wire;
  readonly #processId: string;
  /** Whether this process answers queries. */
  queries = false;
  readonly #unpacker = new Unpacker();
  /** Queries in progress, by asker and number. */
  readonly #underWay = new Set<string>();
  readonly #outgoing = new TickBatches<AnswerItem>((inbox, all) => this.#publish(inbox, all));

  constructor(connection: Wire, processId: string) {
    this.#connection = connection;
    this.#processId = processId;
  }

  /** The asks of one message; none while parts are missing. @param now epoch milliseconds */
  receive(message: Msg, now: number): readonly AskItem[] {
    const items = this.#unpacker.unpack(message.data, message.reply ?? message.subject);
    return Array.isArray(items) ? byOwnClock(items as AskItem[], now) : [];
  }

  /**
   * Begins the answer of a query, and returns the function that ends it. Null for a query that is
   * already in progress here, or whose deadline has passed. An asker repeats while it waits, and a
   * repeat must not add work.
   */
  begin(reply: string, { n, deadline }: AskItem, now: number): (() => void) | null {
    const asked = `${inboxOf(reply)} ${n}`;
    if (now >= deadline || this.#underWay.has(asked)) return null;
    this.#underWay.add(asked);
    return () => this.#underWay.delete(asked);
  }

  /** An ask as the owner of its actor sees it; null for a kind that does not exist. */
  incoming(item: AskItem, reply: string): IncomingAsk | null {
    const kind = ACTOR_KINDS.find((candidate) => candidate === item.kind);
    if (!kind) return null;
    return {
      address: { kind, key: item.key },
      command: item.command as CommandOf,
      deadline: item.deadline,
      requestId: item.requestId,
      repeat: item.repeat === true,
      admission: item.admission,
      answer: (answer) => this.answer(reply, item.n, answer),
    };
  }

  answer(reply: string, n: number, answer: Answer | null): void {
    const item = answer ? { n, ...answer } : { n, status: 0, body: '' };
    this.#outgoing.add(inboxOf(reply), item);
  }

  /** Tells that this process answers queries. */
  present(reply: string): void {
    for (const payload of pack({ ...this.#sender(), items: [] })) {
      this.#connection.publish(reply, payload);
    }
  }

  #sender(): Omit<AnswerEnvelope, 'items'> {
    return { process: this.#processId, ...(this.queries ? { queries: true } : {}) };
  }

  #publish(inbox: string, all: readonly AnswerItem[]): void {
    for (const items of inEnvelopes(all, ({ body }) => body.length)) {
      for (const payload of pack({ ...this.#sender(), items })) {
        this.#connection.publish(`${inbox}.${ANSWERS}`, payload);
      }
    }
  }
}

/** The asker's inbox: behind the last dot is the batch, which every repeat changes. */
function inboxOf(reply: string): string {
  return reply.slice(0, reply.lastIndexOf('.'));
}
