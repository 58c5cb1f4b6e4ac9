/**
 * Feed of one event stream to its connection: the pages that it reads, and those that are pushed.
 *
 * 1. The connection with the highest number counts. Others learn at their next read that they are
 *    replaced; a push without deliveries makes them read.
 * 2. A push is for the connection that has read everything before. Whatever a push cannot tell
 *    makes the connection read.
 */
import { EVENT_STREAM_PAGE_MAX } from '../../../shared/limits.ts';
import type { ReadStream, StreamRead } from '../../../shared/wire/stream-commands.ts';
import type { LiveStream } from '../../domain/organization/streams.ts';
import type { Environment } from '../../environment.ts';
import type { StreamCursor } from './cursor.ts';
import type { StreamLog } from './log.ts';
import type { StreamOverflow } from './overflow.ts';
import { streamed, withinChars } from './page.ts';
import type { StreamPositions } from './positions.ts';
import type { StreamReader } from './reader.ts';
import type { StreamSource } from './source.ts';
import type { Unacknowledged } from './unacknowledged.ts';

interface StreamFeedSettings {
  readonly environment: Pick<Environment, 'clock' | 'leaseHeld' | 'log' | 'streams'>;
  readonly streamId: string;
  readonly reader: Pick<StreamReader, 'begin' | 'connection' | 'hasRead' | 'isThere' | 'mayAsk'>;
  readonly source: Pick<StreamSource, 'read' | 'readFor'>;
  readonly log: Pick<StreamLog, 'hasMore'>;
  readonly cursor: Pick<StreamCursor, 'dropped' | 'generation' | 'position'>;
  readonly positions: Pick<
    StreamPositions,
    'adopt' | 'begin' | 'forget' | 'known' | 'position' | 'read' | 'settleUpTo'
  >;
  readonly overflow: Pick<StreamOverflow, 'drop' | 'expect'>;
  /** The connection that counts has read. */
  readonly used: () => void;
}

export class StreamFeed {
  readonly #settings: StreamFeedSettings;
  /** As of the last read. */
  #orgId = '';

  constructor(settings: StreamFeedSettings) {
    this.#settings = settings;
  }

  get #now(): number {
    return this.#settings.environment.clock.monotonic();
  }

  /** Whether there is a connection, as far as is known. */
  get isConnected(): boolean {
    return this.#settings.reader.isThere(this.#now);
  }

  /** The next deliveries of a connection; `gone` where the stream has ended. */
  async read(command: ReadStream): Promise<StreamRead> {
    const { orgId, connection, after, acknowledged } = command;
    const { source, reader, positions, used } = this.#settings;
    const stream = await source.readFor(command);
    // A higher number is of an earlier stream of this name: it would replace all new ones.
    if (!stream || connection > stream.connection) return { outcome: 'gone' };
    this.#orgId = orgId;
    reader.begin(stream.createdAt);
    const newest = Math.max(stream.connection, reader.connection);
    if (connection < newest) return { outcome: 'replaced' };
    if (reader.hasRead(connection, this.#now)) this.hint();
    used();
    const known = await positions.begin(stream, orgId);
    if (acknowledged !== undefined) await positions.settleUpTo(acknowledged);
    await this.#dropOldest();
    if (known.last <= after && (await positions.position(stream)).length === 0) {
      await positions.adopt(known);
    }
    return this.#pageAfter(after, { known, stream });
  }

  /** New deliveries, for the connection that has read everything before. */
  async pushNew(): Promise<void> {
    await this.#dropOldest();
    const { environment, streamId, reader, source, log, cursor, positions } = this.#settings;
    const { known } = positions;
    if (!environment.leaseHeld()) return;
    // A connection that lives by pushes, or by those of an earlier owner, has not read for long.
    if (!this.isConnected || !known) {
      if (reader.mayAsk(this.#now)) this.hint();
      return;
    }
    const stream = await source.read(this.#orgId);
    // A read tells what was dropped, and that a stream of this name has ended; a push does not.
    const isTold = stream?.createdAt === cursor.generation && cursor.dropped === 0;
    if (!stream || !isTold) return this.hint();
    const after = cursor.position;
    const positioned = await positions.position(stream);
    if (positioned.length === 0) return;
    const deliveries = withinChars(positioned.map(streamed));
    if (deliveries.length < positioned.length) return this.hint();
    environment.streams.push(streamId, { after, deliveries, unacknowledged: known.size });
    // More may wait than one page: the connection reads it.
    if (log.hasMore) this.hint();
  }

  /** True where the cursor was that of an earlier stream of this name. */
  async beginNew(orgId: string): Promise<boolean> {
    const { source, cursor, positions, reader } = this.#settings;
    const stream = await source.read(orgId);
    if (!stream || stream.createdAt === cursor.generation) return false;
    // A connection of the earlier one is there no more: nothing is pushed to it.
    reader.begin(stream.createdAt);
    await positions.begin(stream, orgId);
    return true;
  }

  /** So many new deliveries are known. */
  expect(count: number): void {
    this.#settings.overflow.expect(count);
  }

  /** Makes connections read, without deliveries. */
  hint(): void {
    const { environment, streamId } = this.#settings;
    environment.streams.push(streamId, { after: 0, deliveries: [], unacknowledged: 0 });
  }

  async #pageAfter(
    after: number,
    { known, stream }: { readonly known: Unacknowledged; readonly stream: LiveStream },
  ): Promise<StreamRead> {
    const { log, cursor, positions } = this.#settings;
    const later = known.after(after);
    const found = await positions.read(stream, later.slice(0, EVENT_STREAM_PAGE_MAX));
    const deliveries = withinChars(found.map(streamed));
    const remaining = later.filter((id) => known.has(id)).length - deliveries.length;
    // Without room nothing comes before an acknowledgement, which makes the connection read.
    const more = remaining > 0 || (known.capacity > 0 && log.hasMore);
    const unacknowledged = known.size - remaining;
    const until = stream.expiresAt === undefined ? {} : { endsAt: stream.expiresAt };
    return { outcome: 'page', deliveries, more, dropped: cursor.dropped, unacknowledged, ...until };
  }

  async #dropOldest(): Promise<void> {
    const { environment, streamId, positions, overflow } = this.#settings;
    const dropped = await overflow.drop();
    if (dropped === 0) return;
    environment.log.warn({ streamId, dropped }, 'a stream has dropped its oldest events');
    // A connection is told when it reads.
    if (this.isConnected) this.hint();
    else positions.forget();
  }
}
