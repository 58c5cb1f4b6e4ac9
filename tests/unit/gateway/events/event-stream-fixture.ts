/** One connection of an event stream whose owners, clock and socket are the test's. */
import { EventStream, type StreamOwners } from '../../../../gateway/events/event-stream.ts';
import type {
  PushedPage,
  StreamedDelivery,
  StreamRead,
} from '../../../../shared/wire/stream-commands.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

type Page = Extract<StreamRead, { readonly outcome: 'page' }>;

/** A read that waits for its answer. */
export interface OpenRead extends PromiseWithResolvers<StreamRead> {
  readonly after: number;
}

/** Everything that a promise sets off has happened. */
function settled(): Promise<void> {
  return new Promise((resume) => setImmediate(resume));
}

export function delivery(position: number, body = `{"n":${position}}`): StreamedDelivery {
  return { id: `dlv_${position}`, event: 'message.received', body, position };
}

export function page(positions: readonly number[], more: Partial<Page> = {}): Page {
  const deliveries = positions.map((position) => delivery(position));
  const counts = { unacknowledged: positions.length, dropped: 0 };
  return { outcome: 'page', deliveries, more: false, ...counts, ...more };
}

export function push(after: number, positions: readonly number[]): PushedPage {
  return { after, deliveries: page(positions).deliveries, unacknowledged: positions.length };
}

/** It asks for a read. */
export const HINT: PushedPage = { after: 0, deliveries: [], unacknowledged: 0 };

export class StreamFixture implements StreamOwners {
  readonly clock = new ManualClock();
  /** Reads that were asked and not answered, the first one first. */
  readonly reads: OpenRead[] = [];
  readonly touches: PromiseWithResolvers<boolean>[] = [];
  readonly stream: EventStream;
  ends = 0;
  leaves = 0;
  /** Written so far. */
  text = '';
  /** The response has ended; `cut`: before its end. */
  over: false | 'ended' | 'cut' = false;
  #hear: ((page: PushedPage) => void) | null = null;
  #full: PromiseWithResolvers<void> | null = null;

  constructor() {
    this.stream = new EventStream(this.clock, this, () => void this.ends++);
  }

  read(after: number): Promise<StreamRead> {
    const open = { after, ...Promise.withResolvers<StreamRead>() };
    this.reads.push(open);
    return open.promise;
  }

  touch(): Promise<boolean> {
    const open = Promise.withResolvers<boolean>();
    this.touches.push(open);
    return open.promise;
  }

  leave(): void {
    this.leaves++;
  }

  listen(onPush: (page: PushedPage) => void): () => void {
    this.#hear = onPush;
    return () => {
      this.#hear = null;
    };
  }

  get isHeard(): boolean {
    return this.#hear !== null;
  }

  /** The peer reads: each chunk is accepted unless the socket is full. */
  async start(): Promise<void> {
    void this.#write();
    await settled();
  }

  async push(...pages: readonly PushedPage[]): Promise<void> {
    for (const each of pages) this.#hear?.(each);
    await settled();
  }

  /** Answers the one read that is open. */
  async answer(read: StreamRead): Promise<void> {
    this.#only().resolve(read);
    await settled();
  }

  async fail(): Promise<void> {
    this.#only().reject(new Error('the owner is being replaced'));
    await settled();
  }

  async pass(ms: number): Promise<void> {
    this.clock.advance(ms);
    await settled();
  }

  fill(): void {
    this.#full ??= Promise.withResolvers<void>();
  }

  /** The socket accepts what was written; `fullAgain`: but nothing more. */
  async drain({ fullAgain = false } = {}): Promise<void> {
    const full = this.#full;
    this.#full = fullAgain ? Promise.withResolvers<void>() : null;
    full?.resolve();
    await settled();
  }

  /** Positions from which a read is open. */
  openReads(): readonly number[] {
    return this.reads.map(({ after }) => after);
  }

  /** The text that was written since the last call. */
  takeText(): string {
    const { text } = this;
    this.text = '';
    return text;
  }

  #only(): OpenRead {
    const [read] = this.reads.splice(0, 1);
    if (!read || this.reads.length > 0) throw new Error('one read is open at a time');
    return read;
  }

  async #write(): Promise<void> {
    const { cutOff } = this.stream;
    const isCut = cutOff.then(() => 'cut' as const);
    for await (const chunk of this.stream.chunks) {
      this.text += Buffer.from(chunk).toString();
      const accepted = this.#full?.promise.then(() => 'accepted' as const);
      if (accepted && (await Promise.race([accepted, isCut])) === 'cut') {
        this.over = 'cut';
        break;
      }
    }
    this.over ||= 'ended';
    this.stream.end();
  }
}

export async function started(): Promise<StreamFixture> {
  const stream = new StreamFixture();
  await stream.start();
  return stream;
}

/** A connection that has read everything up to `position`. */
export async function caughtUp(position = 0): Promise<StreamFixture> {
  const fixture = await started();
  await fixture.answer(page(position === 0 ? [] : [position]));
  fixture.takeText();
  return fixture;
}

/** The events of a text, as lines of SSE. */
export function written(positions: readonly number[]): string {
  return positions
    .map((at) => `id: ${at}.dlv_${at}\nevent: message.received\ndata: {"n":${at}}\n\n`)
    .join('');
}
