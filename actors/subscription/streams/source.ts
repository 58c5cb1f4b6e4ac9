/** Configuration of one event stream, as its organization has it; at most a second old. */
import type { ReadStream } from '../../../shared/wire/stream-commands.ts';
import { type LiveStream, liveStreams } from '../../domain/organization/streams.ts';
import type { Environment } from '../../environment.ts';
import { readOrganization } from '../../organization/read-organization.ts';

const FRESH_MS = 1_000;

type Reading = Pick<ReadStream, 'orgId' | 'connection' | 'generation'>;

export class StreamSource {
  readonly #environment: Pick<Environment, 'store' | 'clock'>;
  readonly #streamId: string;
  #readAt = Number.NEGATIVE_INFINITY;
  #stream: Promise<LiveStream | null> | null = null;
  /** As it was read last. */
  #known: LiveStream | null = null;

  constructor(environment: Pick<Environment, 'store' | 'clock'>, streamId: string) {
    this.#environment = environment;
    this.#streamId = streamId;
  }

  /** Null where there is none, or where it has ended. */
  read(orgId: string): Promise<LiveStream | null> {
    const now = this.#environment.clock.monotonic();
    if (this.#stream && now - this.#readAt < FRESH_MS) return this.#stream;
    const stream = this.#find(orgId);
    this.#readAt = now;
    this.#stream = stream;
    stream.then(
      (found) => {
        if (this.#stream === stream) this.#known = found;
      },
      () => this.invalidate(),
    );
    return stream;
  }

  /**
   * As of the connection, which its organization's owner has recorded, or newer; null where the
   * connection is of an ended stream of this name. A stream that began anew numbers its connections
   * anew: a number may be an old one.
   */
  async readFor({ orgId, connection, generation }: Reading): Promise<LiveStream | null> {
    const isOwn = ({ createdAt }: LiveStream): boolean =>
      generation === undefined || createdAt === generation;
    const cached = await this.read(orgId);
    if (cached && cached.connection === connection && isOwn(cached)) return cached;
    const stream = await this.readNow(orgId);
    return stream && isOwn(stream) ? stream : null;
  }

  /** As it is in the store, whatever was read before. */
  readNow(orgId: string): Promise<LiveStream | null> {
    this.invalidate();
    return this.read(orgId);
  }

  /**
   * Whether this stream of its name lives, as far as is known: its end is read before its sweep.
   * One that has just begun does, whatever was read before.
   */
  async isLive(orgId: string, generation: number): Promise<boolean> {
    if (this.#known?.createdAt === generation) return true;
    this.invalidate();
    return (await this.read(orgId))?.createdAt === generation;
  }

  /** The next `read` reads the store again. */
  invalidate(): void {
    this.#stream = null;
    this.#known = null;
  }

  async #find(orgId: string): Promise<LiveStream | null> {
    const { store, clock } = this.#environment;
    const found = await readOrganization(store, orgId, ['streams', 'keys', 'removed']);
    const live = found ? liveStreams(found, clock.now()) : [];
    return live.find(({ id }) => id === this.#streamId) ?? null;
  }
}
