/**
 * Events of a stream as an async iterator.
 *
 * 1. An event is acknowledged when the next one is asked for, by a post at most twice a second.
 * 2. A connection is read as it comes: it ends at 1,000 unacknowledged events, which bounds memory.
 * 3. The next connection is made when everything read is asked for. Its `Last-Event-ID` is the last
 *    event's, so nothing that was read comes again.
 */
import type { EventStream, EventsOptions } from './api.ts';
import { Stream, type StreamMessage } from './connection.ts';
import { RecadoError } from './errors.ts';
import { PacedPost } from './paced.ts';
import { jsonOf, type Transport } from './transport.ts';

const ACKNOWLEDGE_PATH = '/api/v1/events/ack';
export const DEFAULT_NAME = 'default';
const NOT_FOUND = 404;

export interface StreamedEvent {
  /** The delivery's id, the same in each repeat. */
  readonly id: string;
  readonly event: string;
  readonly data: unknown;
  /** The bytes that a POST would carry. */
  readonly body: string;
}

interface Placed {
  readonly streamed: StreamedEvent;
  /** What acknowledges it. */
  readonly place: string;
}

type Result = IteratorResult<StreamedEvent, undefined>;

export class EventReader implements EventStream<StreamedEvent> {
  readonly #transport: Transport;
  readonly #name: string;
  readonly #stream: Stream;
  readonly #end = new AbortController();
  readonly #acknowledging: PacedPost;
  readonly #read: Placed[] = [];
  #current: Placed | null = null;
  /** The last one that is asked for, and whether the service knows. */
  #lastId: string | null = null;
  #acknowledgedId: string | null = null;
  /** Runs while a connection is made and read. */
  #connected = false;
  #failure: { readonly cause: unknown } | null = null;
  #wake: () => void = () => undefined;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(transport: Transport, options: EventsOptions<string> = {}) {
    const { name = DEFAULT_NAME, events, signal, onOverflow } = options;
    this.#transport = transport;
    this.#name = name;
    const ends = signal ? AbortSignal.any([signal, this.#end.signal]) : this.#end.signal;
    ends.addEventListener('abort', () => this.#wake());
    this.#stream = new Stream(transport, {
      ...{ name, events: events?.join(','), signal: ends, onOverflow },
    });
    this.#acknowledging = new PacedPost(transport.platform, {
      isDue: () => this.#lastId !== this.#acknowledgedId,
      post: (until) => this.#acknowledge(until),
    });
    this.#isEnded = () => ends.aborted;
  }

  readonly #isEnded: () => boolean;

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<Result> {
    const result = this.#turn.then(() => this.#next());
    this.#turn = result.catch(() => undefined);
    return result;
  }

  /** The loop ends at an event: it is not acknowledged. */
  async return(): Promise<Result> {
    this.#end.abort();
    await this.#acknowledging.close();
    return { done: true, value: undefined };
  }

  async close(): Promise<void> {
    this.#settleCurrent();
    await this.return();
  }

  async #next(): Promise<Result> {
    this.#settleCurrent();
    for (;;) {
      if (this.#isEnded()) return await this.return();
      const event = this.#read.shift();
      if (event) {
        this.#current = event;
        return { done: false, value: event.streamed };
      }
      if (this.#failure) {
        await this.#acknowledging.close();
        throw this.#failure.cause;
      }
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        if (!this.#connected) void this.#connect();
      });
    }
  }

  #settleCurrent(): void {
    if (!this.#current) return;
    this.#lastId = this.#current.place;
    this.#current = null;
    this.#acknowledging.poke();
  }

  async #connect(): Promise<void> {
    this.#connected = true;
    try {
      const connection = await this.#stream.connect(this.#lastId);
      if (connection) for await (const event of connection.events()) this.#take(event);
    } catch (cause) {
      this.#failure = { cause };
    }
    this.#connected = false;
    this.#wake();
  }

  #take({ id, event, data: body, place }: StreamMessage): void {
    const parsed = jsonOf(body);
    const data =
      typeof parsed === 'object' && parsed !== null && 'data' in parsed ? parsed.data : null;
    this.#read.push({ streamed: { id, event, data, body }, place });
    this.#wake();
  }

  async #acknowledge(signal: AbortSignal): Promise<void> {
    const id = this.#lastId;
    const body = { name: this.#name, id };
    try {
      await this.#transport.call({ method: 'POST', path: ACKNOWLEDGE_PATH, body, signal });
    } catch (error) {
      // A stream that is no more has nothing to acknowledge.
      if (!(error instanceof RecadoError) || error.status !== NOT_FOUND) throw error;
    }
    this.#acknowledgedId = id;
  }
}
