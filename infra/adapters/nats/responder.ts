/**
 * The answering side of the bus: the answers of one tick to one asker share an envelope, whichever
 * of its batches asked for them. A group commit answers many batches at once.
 */
import type { Msg, NatsConnection } from 'nats';
import type { Answer, Command, IncomingAsk } from '../../../shared/ports/bus.ts';
import { ACTOR_KINDS } from '../../../shared/vocabulary.ts';
import {
  type AnswerItem,
  type AskItem,
  byOwnClock,
  inEnvelopes,
  pack,
  Unpacker,
} from './envelope.ts';

/** No batch has this number. */
const ANSWERS = 0;

export class Responder {
  readonly #connection: NatsConnection;
  readonly #processId: string;
  readonly #unpacker = new Unpacker();
  /** Queries in progress, by asker and number. */
  readonly #underWay = new Set<string>();
  #outgoing = new Map<string, AnswerItem[]>();
  #flushing = false;

  constructor(connection: NatsConnection, processId: string) {
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
      command: item.command as Command,
      deadline: item.deadline,
      requestId: item.requestId,
      repeat: item.repeat === true,
      admission: item.admission,
      answer: (answer) => this.answer(reply, item.n, answer),
    };
  }

  answer(reply: string, n: number, answer: Answer | null): void {
    const item = answer ? { n, ...answer } : { n, status: 0, body: '' };
    const inbox = inboxOf(reply);
    const batch = this.#outgoing.get(inbox);
    if (batch) batch.push(item);
    else this.#outgoing.set(inbox, [item]);
    if (this.#flushing) return;
    this.#flushing = true;
    setImmediate(() => this.#flush());
  }

  #flush(): void {
    this.#flushing = false;
    const outgoing = this.#outgoing;
    this.#outgoing = new Map();
    for (const [inbox, all] of outgoing) {
      for (const items of inEnvelopes(all, ({ body }) => body.length)) {
        for (const payload of pack({ process: this.#processId, items })) {
          this.#connection.publish(`${inbox}.${ANSWERS}`, payload);
        }
      }
    }
  }
}

/** The asker's inbox: behind the last dot is the batch, which every repeat changes. */
function inboxOf(reply: string): string {
  return reply.slice(0, reply.lastIndexOf('.'));
}
