/**
 * Worker of one event stream: no other code in the process changes its deliveries.
 *
 * 1. Deliveries get positions only while a connection reads, and while fewer than
 *    `EVENT_STREAM_UNACKNOWLEDGED_MAX` are written and not acknowledged. That bounds its memory.
 * 2. One piece of work goes after another (`tenure-work.ts`), beside which events are recorded: the
 *    store has their order.
 * 3. What its connection has read and been told is a value (`reader.ts`,
 *    `unacknowledged.ts`).
 */
import type {
  AcknowledgeStream,
  ReadStream,
  StreamRead,
  StreamState,
} from '../../../shared/wire/stream-commands.ts';
import type { Environment } from '../../environment.ts';
import type { DeliveryDocument, RecordEvents } from '../../model/subscription.ts';
import { describe } from '../../runtime/describe-fault.ts';
import type { Worker } from '../../runtime/owned-partitions.ts';
import { RunAgain } from '../../runtime/repeat.ts';
import { StreamCursor } from './cursor.ts';
import { StreamFeed } from './feed.ts';
import { StreamLog } from './log.ts';
import { StreamOverflow } from './overflow.ts';
import { StreamPositions } from './positions.ts';
import { StreamReader } from './reader.ts';
import { StreamRecorder } from './recorder.ts';
import { StreamSource } from './source.ts';
import { TenureWork } from './tenure-work.ts';

export interface StreamWorkerSettings {
  readonly environment: Pick<
    Environment,
    'clock' | 'ids' | 'leaseHeld' | 'log' | 'settings' | 'store' | 'streams'
  >;
  readonly streamId: string;
  readonly epoch: number;
  /** Rises with each call, also from one worker of the stream to the next. */
  readonly nextCount: () => number;
}

export class StreamWorker implements Worker {
  /** The connection, as far as is known. */
  readonly reader = new StreamReader();
  readonly #source: StreamSource;
  readonly #positions: StreamPositions;
  readonly #feed: StreamFeed;
  readonly #recorder: StreamRecorder;
  readonly #work: TenureWork;
  readonly #push: RunAgain;

  constructor({ environment, streamId, epoch, nextCount }: StreamWorkerSettings) {
    const { store, ids, clock } = environment;
    const work = new TenureWork(clock, () => this.#positions.forget());
    // A partition that is given away ends no lease, and its next owner may have read before a write.
    const leaseHeld = () => !work.isOver && environment.leaseHeld();
    const parts = { store, ids, clock, leaseHeld };
    const cursor = new StreamCursor(streamId, epoch);
    const log = new StreamLog(parts, { streamId, epoch, cursor });
    const source = new StreamSource(environment, streamId);
    const positions = new StreamPositions({ clock, log, cursor, freed: () => this.#feed.hint() });
    const beginNew = (orgId: string) => this.#feed.beginNew(orgId);
    const overflow = new StreamOverflow({ environment, log, cursor, positions, beginNew });
    this.#work = work;
    this.#source = source;
    this.#positions = positions;
    this.#recorder = new StreamRecorder(parts, { streamId, epoch, nextCount, source });
    this.#feed = new StreamFeed({
      ...{ environment, streamId, reader: this.reader },
      ...{ source, log, cursor, positions, overflow },
      used: () => work.use(),
    });
    const pushNew = () => work.run(() => this.#feed.pushNew());
    this.#push = new RunAgain(pushNew, (fault) => {
      environment.log.warn({ streamId, error: describe(fault) }, 'push of a stream failed');
    });
  }

  get isDisposable(): boolean {
    return this.#work.isIdle;
  }

  /** The next deliveries of a connection; `gone` where the stream has ended. */
  read(command: ReadStream): Promise<StreamRead> {
    return this.#work.run(() => this.#feed.read(command));
  }

  /** The number of settled deliveries; null where there is no such stream. */
  acknowledge({ orgId, settled }: AcknowledgeStream): Promise<number | null> {
    return this.#work.run(async () => {
      return (await this.#source.read(orgId)) ? this.#positions.settle(settled) : null;
    });
  }

  /** Null where the organization has no such stream. */
  describe(orgId: string): Promise<StreamState | null> {
    return this.#work.run(async () => {
      if (!(await this.#source.read(orgId))) return null;
      const counts = await this.#positions.count();
      return { isConnected: this.#feed.isConnected, ...counts };
    });
  }

  /** Beside reads and pushes: the store has the order. A repeat records nothing twice. */
  async record(command: RecordEvents): Promise<void> {
    this.#work.use();
    const count = await this.#recorder.record(command);
    this.wake(count);
  }

  /** There may be new deliveries: this many are known. */
  wake(count = 1): void {
    this.#work.use();
    this.#feed.expect(count);
    if (!this.#work.isOver) void this.#push.request();
  }

  /** The configuration has changed. */
  reconfigure(): void {
    this.#source.invalidate();
    this.#work.use();
    this.#feed.hint();
  }

  /** They wait for no time. */
  unschedule(ids: readonly string[]): Promise<void> {
    return this.#work.run(() => this.#positions.unschedule(ids));
  }

  /** Gives up what waits where the stream has ended; true where it has. */
  sweep(orgId: string): Promise<boolean> {
    return this.#work.run(async () => {
      if (await this.#source.read(orgId)) return false;
      return this.#positions.giveUp(null, async () => !(await this.#source.readNow(orgId)));
    });
  }

  /** Failed deliveries that `read` finds are written once more, behind all others. */
  retry(read: () => Promise<readonly DeliveryDocument[]>) {
    return this.#work.run(async () => {
      const done = await this.#positions.retry(read);
      this.wake();
      return done;
    });
  }

  /** A written page holds nothing up: the next owner finds all in the store. */
  drain(): Promise<void> {
    this.close();
    return Promise.resolve();
  }

  close(): void {
    this.#work.end();
  }
}
