/**
 * Asks of one connection to the owners of its stream. The last read has told when the stream's key
 * expires: from then on the connection hears nothing, and its next read, at that moment, ends it.
 */
import { ASK_DEADLINE_MS } from '../../shared/limits.ts';
import type { AskOptions, Bus } from '../../shared/ports/bus.ts';
import type { Clock } from '../../shared/ports/clock.ts';
import type { Log } from '../../shared/ports/log.ts';
import type { StreamListener } from '../../shared/ports/streams.ts';
import { bodyOfSuccess } from '../../shared/wire/answer.ts';
import type {
  OpenStream,
  PushedPage,
  ReadStream,
  StreamRead,
} from '../../shared/wire/stream-commands.ts';
import type { StreamOwners } from './event-stream.ts';

export interface EventStreamParts {
  /** Not counted by load shedding. */
  readonly bus: Bus;
  readonly clock: Clock;
  readonly log: Log;
  readonly freshId: (prefix: string) => string;
}

/** The stream of a key, with the events that its caller wants. */
export interface WantedStream extends Omit<OpenStream, 'id' | 'type'> {
  readonly orgId: string;
}

export interface StreamCall {
  readonly requestId: string;
  /** The id that the client has read last. */
  readonly lastEventId?: string | undefined;
}

export interface StreamConnection {
  readonly wanted: WantedStream;
  readonly call: StreamCall;
  /** Number of the connection. */
  readonly number: number;
  /** Of its stream; undefined where an owner of an earlier version has opened it. */
  readonly generation: number | undefined;
}

/** It asks for a read. */
const HINT: PushedPage = { after: 0, deliveries: [], unacknowledged: 0 };
/** A timer of more than 24 days fires at once; a read too many does no harm. */
const TIMER_MAX_MS = 24 * 60 * 60 * 1000;

export class AskedOwners implements StreamOwners {
  readonly #parts: EventStreamParts;
  readonly #listener: StreamListener | null;
  readonly #connection: StreamConnection;
  /** The first read has acknowledged. */
  #isAcknowledged = false;
  /** Epoch milliseconds; undefined for a key that lasts. */
  #endsAt: number | undefined;
  #onPush: (page: PushedPage) => void = () => undefined;
  #stopTimer: () => void = () => undefined;

  /** @param listener null where pushes are not heard */
  constructor(
    parts: EventStreamParts,
    listener: StreamListener | null,
    connection: StreamConnection,
  ) {
    this.#parts = parts;
    this.#listener = listener;
    this.#connection = connection;
  }

  async read(after: number): Promise<StreamRead> {
    if (this.#isExpired()) return { outcome: 'gone' };
    const { wanted, call } = this.#connection;
    const { orgId, streamId } = wanted;
    const acknowledged = this.#isAcknowledged ? undefined : call.lastEventId;
    const command: ReadStream = {
      ...{ id: this.#parts.freshId('cmd'), type: 'read-stream', orgId, after, ...this.#own() },
      ...(acknowledged === undefined ? {} : { acknowledged }),
    };
    const address = { kind: 'subscription', key: streamId } as const;
    try {
      const answer = await this.#parts.bus.ask(address, command, this.#options());
      const read = bodyOfSuccess(answer, 'a stream was not read');
      this.#isAcknowledged = true;
      this.#endAt(read.outcome === 'page' ? read.endsAt : undefined);
      return read;
    } catch (cause) {
      this.#parts.log.debug({ cause, streamId }, 'read of a stream failed');
      throw cause;
    }
  }

  async touch(): Promise<boolean> {
    const { orgId, streamId } = this.#connection.wanted;
    const command = { id: this.#parts.freshId('cmd'), type: 'touch-stream', streamId } as const;
    const address = { kind: 'organization', key: orgId } as const;
    const answer = await this.#parts.bus.ask(address, command, this.#options());
    if (answer.status === 404) return false;
    bodyOfSuccess(answer, 'a stream was not kept');
    return true;
  }

  leave(): void {
    const { wanted } = this.#connection;
    const id = this.#parts.freshId('cmd');
    const address = { kind: 'subscription', key: wanted.streamId } as const;
    const command = { id, type: 'leave-stream', ...this.#own() } as const;
    const left = this.#parts.bus.ask(address, command, this.#options());
    for (const request of [left, this.touch()]) {
      request.catch((cause: unknown) =>
        this.#parts.log.debug({ cause, streamId: wanted.streamId }, 'an end was not told'),
      );
    }
  }

  listen(onPush: (page: PushedPage) => void): () => void {
    const { streamId } = this.#connection.wanted;
    this.#onPush = onPush;
    const stop = this.#listener?.listen(streamId, (page) => {
      if (!this.#isExpired()) onPush(page);
    });
    return () => {
      this.#onPush = () => undefined;
      this.#stopTimer();
      stop?.();
    };
  }

  #isExpired(): boolean {
    return this.#endsAt !== undefined && this.#parts.clock.now() >= this.#endsAt;
  }

  #endAt(endsAt: number | undefined): void {
    const { clock } = this.#parts;
    this.#endsAt = endsAt;
    this.#stopTimer();
    if (endsAt === undefined) return;
    const waitMs = Math.min(TIMER_MAX_MS, Math.max(0, endsAt - clock.now()));
    this.#stopTimer = clock.after(waitMs, () => this.#onPush(HINT));
  }

  /** The connection, as its stream's owner knows it. */
  #own(): Pick<ReadStream, 'connection' | 'generation'> {
    const { number: connection, generation } = this.#connection;
    return { connection, ...(generation === undefined ? {} : { generation }) };
  }

  #options(): AskOptions {
    const { clock } = this.#parts;
    const { requestId } = this.#connection.call;
    return { deadline: clock.now() + ASK_DEADLINE_MS, requestId };
  }
}
