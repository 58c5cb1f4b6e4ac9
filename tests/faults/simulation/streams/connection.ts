/**
 * One connection of an event stream: the real one of a gateway, and its client at the other end. The
 * gateway writes a piece when the client has accepted the one before, as over a full socket.
 */
import type { BodyStream } from '../../../../gateway/http/respond.ts';
import { eventsIn, type StreamedEvent } from '../../../support/event-text.ts';
import type { StreamConnection, StreamWriting } from '../../checkers/streams-history.ts';
import type { Machine } from '../world/machine.ts';
import type { Scheduler } from '../world/scheduler.ts';
import type { StreamObserver } from '../world/stream-observer.ts';
import type { StreamPushes } from '../world/stream-pushes.ts';

const ON_ITS_WAY_MS = 0.3;
/** A push is decided about so long before it is sent: its owner positions what it pushes. */
const PUSH_TAKES_MS = 15_000;

/** `left`: by its client. `lost`: its gateway died. `cut off`: it accepted nothing for too long. */
export type Ended = 'replaced' | 'complete' | 'left' | 'lost' | 'cut off';

export interface ConnectionParts {
  readonly scheduler: Scheduler;
  readonly observer: StreamObserver;
  readonly pushes: StreamPushes;
  readonly gateway: Machine;
  readonly streamId: string;
  /** Of the call that opened it. */
  readonly requestId: string;
  readonly openedAt: number;
  readonly lastEventId: string | null;
  readonly onRead: (event: StreamedEvent) => void;
  readonly onPushed: () => void;
}

export class Connection implements StreamConnection {
  readonly name: string;
  readonly openedAt: number;
  readonly lastEventId: string | null;
  readonly written: StreamWriting[] = [];
  readonly overflows: { readonly at: number; readonly dropped: number }[] = [];
  replacedAt: number | null = null;
  /** What the client has read. */
  readonly read: StreamedEvent[] = [];
  readonly over: Promise<Ended>;
  readonly #parts: ConnectionParts;
  readonly #stream: BodyStream;
  readonly #resolve: (ended: Ended) => void;
  #ended: Ended | null = null;
  #stalledUntil = 0;
  #writtenText = '';
  #readText = '';

  constructor(stream: BodyStream, parts: ConnectionParts) {
    const { promise, resolve } = Promise.withResolvers<Ended>();
    this.#parts = parts;
    this.#stream = stream;
    this.name = parts.requestId;
    this.openedAt = parts.openedAt;
    this.lastEventId = parts.lastEventId;
    this.over = promise;
    this.#resolve = resolve;
    parts.gateway.onDeath(() => parts.scheduler.after(ON_ITS_WAY_MS, () => this.#end('lost')));
    void stream.cutOff?.then(() => this.#close('cut off'));
    void this.#write();
  }

  get isLive(): boolean {
    return this.#ended === null;
  }

  /** The client accepts nothing for so long. */
  stall(ms: number): void {
    this.#stalledUntil = this.#parts.scheduler.now + ms;
  }

  goOn(): void {
    this.#stalledUntil = 0;
  }

  /** The gateway sees it so long afterwards. */
  leave(seenAfterMs: number): void {
    this.#end('left');
    const { scheduler, gateway } = this.#parts;
    scheduler.after(seenAfterMs, () => gateway.reach(() => this.#stream.end()));
  }

  /** The gateway breaks it off. */
  #close(ended: Ended): void {
    this.#stream.end();
    this.#end(ended);
  }

  #end(ended: Ended): void {
    this.#ended ??= ended;
    this.#resolve(this.#ended);
  }

  /** As the gateway's server does. */
  async #write(): Promise<void> {
    for await (const bytes of this.#stream.chunks) {
      const text = Buffer.from(bytes).toString();
      this.#writtenText += text;
      const whole = this.#writtenText.lastIndexOf('\n\n') + 2;
      for (const event of eventsIn(this.#writtenText.slice(0, whole))) this.#note(event);
      this.#writtenText = this.#writtenText.slice(whole);
      await this.#accepted(text);
    }
    this.#stream.end();
    this.#parts.scheduler.after(ON_ITS_WAY_MS, () =>
      this.#end(this.replacedAt === null ? 'complete' : 'replaced'),
    );
  }

  #note({ id, place, event, data }: StreamedEvent): void {
    const { scheduler, observer, pushes, gateway, streamId, requestId } = this.#parts;
    const at = scheduler.now;
    if (event === 'replaced') this.replacedAt = at;
    if (event === 'overflow') this.overflows.push({ at, dropped: JSON.parse(data).dropped });
    if (id === null) return;
    const position = Number.parseInt(place ?? '', 10);
    const askedAt = observer.askedAt(requestId);
    const pushed = pushes.heardBy(gateway, streamId, position);
    const isPushed = pushed !== null && pushed.heardAt > askedAt;
    if (isPushed) this.#parts.onPushed();
    const scopeFrom = isPushed ? Math.min(askedAt, pushed.sentAt - PUSH_TAKES_MS) : askedAt;
    this.written.push({ id, position, event, body: data, at, scopeFrom });
  }

  /** Resolves when the client has accepted the piece; never after the end. */
  #accepted(text: string): Promise<void> {
    const { scheduler, gateway } = this.#parts;
    const { promise, resolve } = Promise.withResolvers<void>();
    const arrive = (): void => {
      if (this.#ended !== null) return;
      const leftMs = this.#stalledUntil - scheduler.now;
      if (leftMs > 0) return void scheduler.after(Math.min(leftMs, 1_000), arrive);
      this.#receive(text);
      gateway.reach(resolve);
    };
    scheduler.after(ON_ITS_WAY_MS, arrive);
    return promise;
  }

  #receive(text: string): void {
    this.#readText += text;
    const whole = this.#readText.lastIndexOf('\n\n') + 2;
    for (const event of eventsIn(this.#readText.slice(0, whole))) {
      this.read.push(event);
      this.#parts.onRead(event);
    }
    this.#readText = this.#readText.slice(whole);
  }
}
