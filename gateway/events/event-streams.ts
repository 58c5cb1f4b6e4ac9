/**
 * Open event streams of this process.
 *
 * 1. They stand outside load shedding: their asks are not counted there. Their number is bounded
 *    instead.
 * 2. A process that stops ends them first. A stream that is opened meanwhile ends at once.
 */
import { ASK_DEADLINE_MS, EVENT_STREAMS_PER_GATEWAY } from '../../shared/limits.ts';
import type { Bus } from '../../shared/ports/bus.ts';
import type { StreamListener } from '../../shared/ports/streams.ts';
import { bodyOf } from '../../shared/wire/answer.ts';
import { answerReply, type Reply, UNBUFFERED } from '../http/respond.ts';
import {
  AskedOwners,
  type EventStreamParts,
  type StreamCall,
  type StreamConnection,
  type WantedStream,
} from './asked-owners.ts';
import { EventStream } from './event-stream.ts';

export interface EventStreamSettings extends EventStreamParts {
  /** The maker's name in the headers of a delivery, e.g. `X-Service`. */
  readonly eventHeaderPrefix: string;
}

export class EventStreams {
  readonly #settings: EventStreamSettings;
  readonly #open = new Set<EventStream>();
  /** Number of calls that are to open a stream. */
  #opening = 0;
  #listener: StreamListener | null = null;
  #closed = false;

  constructor(settings: EventStreamSettings) {
    this.#settings = settings;
  }

  /** Not counted by load shedding. */
  get bus(): Bus {
    return this.#settings.bus;
  }

  /** Streams that are opened from now on hear pushes. */
  connect(listener: StreamListener): void {
    this.#listener = listener;
  }

  /** Number of open streams. */
  get count(): number {
    return this.#open.size;
  }

  /** Whether a further call is to be refused. */
  isFull(): boolean {
    return this.#open.size + this.#opening >= EVENT_STREAMS_PER_GATEWAY;
  }

  /** Counts a call that is to open a stream until it has. */
  async track<Result>(call: () => Promise<Result>): Promise<Result> {
    this.#opening += 1;
    try {
      return await call();
    } finally {
      this.#opening -= 1;
    }
  }

  /** Ends every stream: clients connect again elsewhere. */
  close(): void {
    this.#closed = true;
    for (const stream of this.#open) stream.close();
  }

  /**
   * Connects the caller to the stream, or replies as the owner refuses it.
   * @throws when no owner answers in time
   */
  async open(wanted: WantedStream, call: StreamCall): Promise<Reply> {
    const { bus, clock, freshId, eventHeaderPrefix } = this.#settings;
    const { orgId, ...stream } = wanted;
    const command = { ...stream, id: freshId('cmd'), type: 'open-stream' } as const;
    const { requestId } = call;
    const options = { deadline: clock.now() + ASK_DEADLINE_MS, requestId };
    const answer = await bus.ask({ kind: 'organization', key: orgId }, command, options);
    if (answer.status !== 200) return answerReply(answer);
    const { connection: number, generation } = bodyOf(answer);
    return {
      ...{ status: 200, body: '', contentType: 'text/event-stream; charset=utf-8' },
      headers: {
        ...UNBUFFERED,
        'x-event-header-prefix': eventHeaderPrefix,
      },
      stream: this.#begin({ wanted, call, number, generation }),
    };
  }

  #begin(connection: StreamConnection): EventStream {
    const owners = new AskedOwners(this.#settings, this.#listener, connection);
    const onEnd = () => void this.#open.delete(stream);
    const stream = new EventStream(this.#settings.clock, owners, onEnd);
    this.#open.add(stream);
    if (this.#closed) stream.close();
    return stream;
  }
}
