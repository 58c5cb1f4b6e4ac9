/**
 * One connection of an event stream, and the next one after it.
 *
 * 1. A connection that cannot be made is tried again, with growing waits, as long as it takes. A
 *    refusal (4xx) ends it, but for 429.
 * 2. The server writes at least a comment every 15 s. A connection that is silent for 45 s is lost.
 * 3. The wait between connections is the one that the server told last.
 */
import { StreamReplaced, secondsOf } from './errors.ts';
import { backOffMs } from './retry.ts';
import { EventParser, type ServerSentEvent } from './server-sent-events.ts';
import { type Call, errorOf, jsonOf, type Transport } from './transport.ts';

const SILENT_MS = 45_000;
const ANSWER_MS = 30_000;
const RETRY_MS = 1_000;
const PATH = '/api/v1/events';

export interface StreamOptions {
  readonly name: string;
  /** Comma-separated. */
  readonly events?: string | undefined;
  readonly signal: AbortSignal;
  readonly onOverflow?: ((overflow: { readonly dropped: number }) => void) | undefined;
}

/** An event of a stream, under the id of its delivery. */
export interface StreamMessage extends ServerSentEvent {
  /** Its id as the stream wrote it: it acknowledges what came up to it. */
  readonly place: string;
}

export interface Connection {
  /** The maker's name in the headers of a delivery. */
  readonly headerPrefix: string;
  /** Ends with the connection. @throws StreamReplaced */
  events(): AsyncGenerator<StreamMessage, undefined>;
}

export class Stream {
  readonly #transport: Transport;
  readonly #options: StreamOptions;
  #retryMs = RETRY_MS;
  #connections = 0;

  constructor(transport: Transport, options: StreamOptions) {
    this.#transport = transport;
    this.#options = options;
  }

  /**
   * The next connection; null when the signal has ended the stream.
   * @param lastEventId acknowledges the events up to it
   * @throws RecadoError when the service refuses it
   */
  async connect(lastEventId: string | null): Promise<Connection | null> {
    const { sleep, random } = this.#transport.platform;
    const { signal } = this.#options;
    if (this.#connections > 0) await sleep(this.#retryMs * (0.75 + random() / 2), signal);
    this.#connections += 1;
    for (let attempt = 1; !signal.aborted; attempt += 1) {
      const reached = await this.#attempt(lastEventId);
      if ('events' in reached) return reached;
      const waitMs = Math.max(backOffMs(attempt, random()), reached.waitMs);
      await sleep(waitMs, signal);
    }
    return null;
  }

  async #attempt(lastEventId: string | null): Promise<Connection | { readonly waitMs: number }> {
    const { name, events, signal } = this.#options;
    const call: Call = { method: 'GET', path: PATH, query: { name, events } };
    const headers = {
      accept: 'text/event-stream',
      ...(lastEventId === null ? {} : { 'last-event-id': lastEventId }),
    };
    const ended = new Watchdog(signal, ANSWER_MS);
    try {
      const response = await this.#transport.fetch(call, headers, ended.signal);
      const { status, body } = response;
      if (status === 200 && body) {
        const headerPrefix = response.headers.get('x-event-header-prefix') ?? 'X-Service';
        return { headerPrefix, events: () => this.#read(body, ended) };
      }
      const text = await response.text();
      ended.stop();
      if (status < 500 && status !== 429)
        throw new Refused(errorOf({ response, body: jsonOf(text) }));
      return { waitMs: (secondsOf(response.headers.get('retry-after')) ?? 0) * 1000 };
    } catch (error) {
      ended.stop();
      if (error instanceof Refused) throw error.error;
      return { waitMs: 0 };
    }
  }

  async *#read(
    body: ReadableStream<Uint8Array>,
    ended: Watchdog,
  ): AsyncGenerator<StreamMessage, undefined> {
    const parser = new EventParser();
    const decoder = new TextDecoder();
    const reader = body.getReader();
    try {
      for (;;) {
        ended.restart(SILENT_MS);
        const piece = await reader.read().catch(() => null);
        if (piece === null || piece.done) return;
        for (const event of parser.read(decoder.decode(piece.value, { stream: true }))) {
          if (event.event === 'replaced') throw new StreamReplaced(this.#options.name);
          if (event.event === 'overflow') this.#options.onOverflow?.(overflowOf(event.data));
          else if (event.id !== '') {
            yield { ...event, id: deliveryOf(event.id), place: event.id };
          }
        }
        this.#retryMs = parser.retryMs ?? this.#retryMs;
      }
    } finally {
      ended.stop();
      await reader.cancel().catch(() => undefined);
    }
  }
}

/** The delivery of `<position>.<delivery id>`. */
function deliveryOf(place: string): string {
  return place.slice(place.indexOf('.') + 1);
}

/** Aborts after a silence, or with the stream. */
class Watchdog {
  readonly signal: AbortSignal;
  readonly #silence = new AbortController();
  #timer: NodeJS.Timeout | undefined;

  constructor(signal: AbortSignal, ms: number) {
    this.signal = AbortSignal.any([signal, this.#silence.signal]);
    this.restart(ms);
  }

  restart(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#silence.abort(), ms);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#silence.abort();
  }
}

class Refused extends Error {
  readonly error: Error;

  constructor(error: Error) {
    super(error.message);
    this.error = error;
  }
}

function overflowOf(data: string): { readonly dropped: number } {
  const reported = jsonOf(data);
  const dropped =
    typeof reported === 'object' && reported !== null && 'dropped' in reported
      ? reported.dropped
      : 0;
  return { dropped: typeof dropped === 'number' ? dropped : 0 };
}
