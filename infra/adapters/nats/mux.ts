/**
 * Multiplexer of asks: one wildcard inbox, a map of open asks, one coarse timer for repeats and
 * deadlines. The client library's `request()` is the gateway's largest cost: 15,000 asks/s. This
 * multiplexer reaches 32,000 asks/s, and 55,000 with the asks of a tick in one envelope.
 *
 * 1. An ask is answered once: by an answer, or by AskFailed at its deadline.
 * 2. It is repeated with the same command id at every "no responders", at every "not the owner" and
 *    every 500 ms, the last unless it is asked `once`. A repeat is marked as one where a process may have received the ask before. The
 *    server's "no responders" excludes that, also for one part of an envelope.
 *    An owner that has acquired partitions is announced: what waits for one is then repeated at
 *    once, and so is what a dead one may have had.
 * 3. After a pause of this process, the answers that came meanwhile are read first. Only then are
 *    asks repeated or given up.
 * 4. Later asks go directly to an owner that answered, until it replies that it is not the owner.
 * 5. A query that changes nothing goes to a process by name. Without an answer after 50 ms it is
 *    asked of another one too, within a budget; the first answer counts (D343). Other queries go to
 *    whichever process NATS chooses.
 */
import { ASK_REPEAT_MS } from '../../../shared/limits.ts';
import {
  type Address,
  type Answer,
  AskFailed,
  type AskOptions,
} from '../../../shared/ports/bus.ts';
import type { Clock } from '../../../shared/ports/clock.ts';
import type { Metrics } from '../../../shared/ports/metrics.ts';
import {
  OWNERS_CHANGED,
  ownerSubject,
  partitionName,
  partitionOf,
  processSubject,
  querySubject,
  RESPONDERS_WANTED,
} from '../../../shared/wire/subjects.ts';
import type { Wire } from './connection.ts';
import {
  ANSWERS,
  type AnswerEnvelope,
  type AnswerItem,
  type AskItem,
  pack,
  Unpacker,
  withClock,
} from './envelope.ts';
import { type Hedge, Hedging } from './hedging.ts';
import { TickBatches } from './tick-batches.ts';

function toAnswer({ status, body, headers, admission, rest }: AnswerItem): Answer {
  return {
    status,
    body,
    ...(headers ? { headers } : {}),
    ...(admission ? { admission } : {}),
    ...(rest ? { rest } : {}),
  };
}

const SWEEP_MS = 25;
/** A sweep this late follows a pause of the process or of its event loop. */
const PAUSED_MS = 25;
const FIRST_REPEAT_MS = 15;
/** Of an ask that nobody owns: its next owner is there in moments, and the ask waits as long again. */
const UNOWNED_REPEAT_MS = 120;
/** An ask without an answer for so long may have been with an owner that is gone. */
const DOUBTED_AFTER_MS = 100;
/** "No responders" comes within moments or never. */
const BATCH_KEPT_MS = 2_000;

interface OpenAsk {
  readonly item: AskItem;
  /** Subject without a learnt owner. */
  readonly subject: string;
  /** Of the partition; empty for a query, whose responder is not learnt. */
  readonly partition: string;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: Error) => void;
  /** Monotonic milliseconds. */
  readonly startedAt: number;
  repeats: number;
  repeatAt: number;
  /** Grows while no answer arrives. */
  backoffMs: number;
  /** Monotonic milliseconds after which no answer is a cause to repeat it. */
  readonly unansweredMs: number;
  /** The number of the envelope in which it was last published. */
  batch: number;
  /** Its last envelope had no responders. */
  undelivered: boolean;
  /** Nobody owned it when it was asked last. */
  waits: boolean;
  /** Monotonic milliseconds. */
  sentAt: number;
  /** Null for what is asked of one process at a time. */
  readonly hedge: Hedge | null;
}

export interface MuxSettings {
  readonly metrics?: Pick<Metrics, 'ask' | 'askFailed' | 'hedged'> | undefined;
  /** From 0 to below 1. */
  readonly random?: () => number;
}

export class Mux {
  readonly #connection: Wire;
  readonly #metrics: MuxSettings['metrics'];
  readonly #clock: Clock;
  readonly #inbox: string;
  readonly #open = new Map<number, OpenAsk>();
  readonly #owners = new Map<string, string>();
  readonly #hedging: Hedging;
  readonly #batches = new Map<
    number,
    { readonly at: number; readonly subject: string; readonly numbers: readonly number[] }
  >();
  readonly #unpacker = new Unpacker();
  readonly #outgoing = new TickBatches<OpenAsk>((subject, asks) => this.#publish(subject, asks));
  #numbers = 0;
  #batchNumbers = 0;
  /** Often while anything is open, once more when all is answered; at rest nothing ticks. */
  #cancelSweep: () => void = () => undefined;
  /** Monotonic milliseconds. */
  #sweepsAt = Number.POSITIVE_INFINITY;
  /** The last sweep was put off. */
  #isPutOff = false;

  constructor(connection: Wire, clock: Clock, settings: MuxSettings = {}) {
    const { metrics, random = Math.random } = settings;
    this.#metrics = metrics;
    this.#hedging = new Hedging(random);
    this.#connection = connection;
    this.#clock = clock;
    this.#inbox = connection.inbox;
    connection.subscribe(`${this.#inbox}.*`, {
      callback: (error, message) => {
        if (error) return;
        if (message.headers?.code === 503) this.#onNoResponders(message.subject);
        else this.#onAnswers(message.data, message.subject);
      },
    });
    connection.subscribe(OWNERS_CHANGED, { callback: () => this.#onOwnersChanged() });
  }

  ask(address: Address, command: unknown, options: AskOptions) {
    const partition = { kind: address.kind, number: partitionOf(address.kind, address.key) };
    return this.#start(
      { kind: address.kind, key: address.key, command, ...options },
      ownerSubject('ask', partition),
      partitionName(partition),
    );
  }

  query(resource: string, payload: unknown, options: AskOptions) {
    const subject = querySubject(resource);
    const now = this.#clock.monotonic();
    const hedge = this.#hedging.begin(resource, now);
    if (this.#hedging.responders.startDiscovery(now)) {
      this.#connection.publish(RESPONDERS_WANTED, '', { reply: `${this.#inbox}.${ANSWERS}` });
    }
    return this.#start(
      { kind: '', key: subject, command: payload, ...options },
      subject,
      '',
      hedge,
    );
  }

  close(): void {
    this.#cancelSweep();
    for (const open of this.#open.values()) open.reject(new AskFailed(open.subject));
    this.#open.clear();
  }

  #start(
    { once, ...ask }: Omit<AskItem, 'n'> & Pick<AskOptions, 'once'>,
    subject: string,
    partition: string,
    hedge: Hedge | null = null,
  ): Promise<Answer> {
    const unansweredMs = once ? Number.POSITIVE_INFINITY : ASK_REPEAT_MS;
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const startedAt = this.#clock.monotonic();
    const n = ++this.#numbers;
    const open: OpenAsk = {
      item: { n, ...ask },
      subject,
      partition,
      resolve,
      reject,
      startedAt,
      repeats: 0,
      unansweredMs,
      repeatAt: startedAt + unansweredMs,
      backoffMs: FIRST_REPEAT_MS,
      batch: 0,
      undelivered: false,
      waits: false,
      sentAt: startedAt,
      hedge,
    };
    this.#open.set(n, open);
    this.#sweepIn(SWEEP_MS, startedAt);
    this.#send(open);
    return promise;
  }

  #send(open: OpenAsk): void {
    const { hedge, partition, subject } = open;
    const owner = this.#owners.get(partition);
    const known = owner === undefined ? null : processSubject(owner);
    const direct = hedge ? this.#hedging.route(hedge, this.#clock.monotonic()) : known;
    this.#outgoing.add(direct ?? subject, open);
  }

  #publish(subject: string, asks: readonly OpenAsk[]): void {
    const batch = ++this.#batchNumbers;
    for (const open of asks) open.batch = batch;
    const items = asks.map((open) => open.item);
    const numbers = items.map(({ n }) => n);
    this.#batches.set(batch, { at: this.#clock.monotonic(), subject, numbers });
    const reply = `${this.#inbox}.${batch}`;
    for (const payload of pack(withClock(items, this.#clock.now()))) {
      this.#connection.publish(subject, payload, { reply });
    }
  }

  #onAnswers(data: Uint8Array, sender: string): void {
    const envelope = this.#unpacker.unpack(data, sender) as AnswerEnvelope | undefined;
    if (!envelope) return;
    const { process, queries } = envelope;
    if (queries)
      this.#hedging.responders.answered(processSubject(process), this.#clock.monotonic());
    for (const item of envelope.items) {
      const open = this.#open.get(item.n);
      if (!open) continue;
      if (item.status === 0) {
        this.#scheduleRepeat(open);
        continue;
      }
      if (open.partition !== '') this.#owners.set(open.partition, process);
      this.#open.delete(item.n);
      const ms = this.#clock.monotonic() - open.startedAt;
      this.#metrics?.ask(open.item.kind, ms, open.repeats);
      open.resolve(toAnswer(item));
    }
  }

  #onNoResponders(subject: string): void {
    const number = Number(subject.slice(this.#inbox.length + 1));
    const batch = this.#batches.get(number);
    if (!batch) return;
    this.#batches.delete(number);
    this.#hedging.responders.gone(batch.subject);
    for (const n of batch.numbers) {
      const open = this.#open.get(n);
      if (!open || open.batch !== number) continue;
      open.undelivered = true;
      this.#scheduleRepeat(open);
    }
  }

  #scheduleRepeat(open: OpenAsk): void {
    this.#owners.delete(open.partition);
    open.waits = true;
    open.repeatAt = this.#clock.monotonic() + open.backoffMs;
    open.backoffMs = Math.min(open.backoffMs * 2, UNOWNED_REPEAT_MS);
  }

  #onOwnersChanged(): void {
    const now = this.#clock.monotonic();
    for (const open of this.#open.values()) {
      const isFirst = open.unansweredMs < Infinity && open.repeats === 0;
      const isDoubted = isFirst && now - open.sentAt >= DOUBTED_AFTER_MS;
      if (open.partition !== '' && (open.waits || isDoubted)) open.repeatAt = now;
    }
    if (this.#open.size > 0) this.#sweepIn(0, now);
  }

  #sweep(): void {
    const monotonic = this.#clock.monotonic();
    const lateMs = monotonic - this.#sweepsAt;
    this.#sweepsAt = Number.POSITIVE_INFINITY;
    this.#isPutOff = lateMs >= PAUSED_MS && !this.#isPutOff;
    if (this.#isPutOff) return this.#sweepAfterSockets(monotonic);
    const now = this.#clock.now();
    for (const [n, open] of this.#open) {
      if (now >= open.item.deadline) {
        this.#open.delete(n);
        this.#metrics?.askFailed(open.item.kind);
        open.reject(new AskFailed(open.subject));
      } else if (monotonic >= open.repeatAt) {
        this.#repeat(open, monotonic);
      } else if (open.hedge && this.#hedging.isDue(open.hedge, monotonic)) {
        this.#metrics?.hedged();
        this.#send(open);
      }
    }
    for (const [number, batch] of this.#batches) {
      if (monotonic - batch.at < BATCH_KEPT_MS) break;
      this.#batches.delete(number);
    }
    if (this.#open.size > 0) this.#sweepIn(SWEEP_MS, monotonic);
    else if (this.#batches.size > 0) this.#sweepIn(BATCH_KEPT_MS, monotonic);
  }

  /** Timers run before sockets are read, and what `setImmediate` gets runs after that. */
  #sweepAfterSockets(now: number): void {
    this.#sweepsAt = now;
    const immediate = setImmediate(() => this.#sweep());
    this.#cancelSweep = () => clearImmediate(immediate);
  }

  /** At the latest: one that comes sooner stays. */
  #sweepIn(ms: number, now: number): void {
    if (this.#sweepsAt <= now + ms) return;
    this.#cancelSweep();
    this.#sweepsAt = now + ms;
    this.#cancelSweep = this.#clock.after(ms, () => this.#sweep());
  }

  #repeat(open: OpenAsk, monotonic: number): void {
    // The learnt owner may be paused or gone: the partition's subject reaches the current holder.
    this.#owners.delete(open.partition);
    open.repeats++;
    open.repeatAt = monotonic + open.unansweredMs;
    const item = open.undelivered ? open.item : { ...open.item, repeat: true };
    const repeated = { ...open, item, undelivered: false, waits: false, sentAt: monotonic };
    this.#open.set(open.item.n, repeated);
    this.#send(repeated);
  }
}
