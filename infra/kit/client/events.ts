/**
 * Events of a stream as an async iterator.
 *
 * 1. An event is acknowledged when the next one is asked for, by a post at most twice a second.
 * 2. A connection is read as it comes: it ends at 1,000 unacknowledged events, which bounds memory.
 * 3. The next connection is made when everything read is asked for. Its `Last-Event-ID` is the last
 *    event's, so nothing that was read comes again.
 */
import { Acknowledgements } from './acknowledgements.ts';
import type { EventStream, EventsOptions } from './api.ts';
import { Stream, type StreamMessage } from './connection.ts';
import { jsonOf, type Transport } from './transport.ts';

export const DEFAULT_NAME = 'default';

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
  readonly #stream: Stream;
  readonly #end = new AbortController();
  readonly #ends: AbortSignal;
  readonly #acknowledgements: Acknowledgements;
  readonly #read: Placed[] = [];
  #current: Placed | null = null;
  /** Runs while a connection is made and read. */
  #connected = false;
  #failure: { readonly cause: unknown } | null = null;
  #wake: () => void = () => undefined;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(transport: Transport, options: EventsOptions<string> = {}) {
    const { name = DEFAULT_NAME, events, signal, onOverflow } = options;
    this.#ends = signal ? AbortSignal.any([signal, this.#end.signal]) : this.#end.signal;
    this.#ends.addEventListener('abort', () => this.#wake());
    this.#stream = new Stream(transport, {
      ...{ name, events: events?.join(','), signal: this.#ends, onOverflow },
    });
    this.#acknowledgements = new Acknowledgements(transport, name);
  }

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
    await this.#acknowledgements.close();
    return { done: true, value: undefined };
  }

  async close(): Promise<void> {
    this.#settleCurrent();
    await this.return();
  }

  async #next(): Promise<Result> {
    this.#settleCurrent();
    for (;;) {
      if (this.#ends.aborted) return await this.return();
      const event = this.#read.shift();
      if (event) {
        this.#current = event;
        return { done: false, value: event.streamed };
      }
      if (this.#failure) {
        await this.#acknowledgements.close();
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
    this.#acknowledgements.add(this.#current.place);
    this.#current = null;
  }

  async #connect(): Promise<void> {
    this.#connected = true;
    try {
      const connection = await this.#stream.connect(this.#acknowledgements.doneId);
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
}
