/**
 * Due work of one kind. The owner of a partition finds in the store which of its work is due. A
 * kind supplies its query, its key and its worker.
 *
 * 1. A nudge may be lost and only saves time: every 5 s one query asks for all kinds whether any
 *    work is due (`due-poller.ts`).
 * 2. Polls never overlap. A request during a poll causes one more.
 * 3. Nothing is read without a partition, without the lease, or while no work may start.
 * 4. A page that was read in one tenure of a partition is not applied in the next.
 * 5. The query excludes saturated keys: the backlog of one key hides no other. It also excludes keys
 *    of another process that it has found on a shelf of both: documents of before 1,024 partitions
 *    name their shelf alone.
 */
import type { Document } from '../../shared/ports/store.ts';
import type { Environment } from '../environment.ts';
import type { ExistenceQuery, Filter, Name, PathOf } from '../model/collections.ts';
import { questionOf, where } from './computed.ts';
import { describe } from './describe-fault.ts';
import type { DuePoller } from './due-poller.ts';
import type { OwnedPartitions } from './owned-partitions.ts';
import { RunAgain } from './repeat.ts';

const POLL_SOON_MS = 20;
/** Keys of other processes. */
const OTHERS_MAX = 1_000;

export type Pages<Item> = AsyncGenerator<readonly Item[], undefined>;

export interface DueKind<Of extends Name, Item extends Document> {
  readonly collection: Of;
  readonly owned: Pick<OwnedPartitions<never>, 'numbers' | 'tenuresNow'>;
  readonly due: (partitions: readonly number[]) => Filter<Of>;
  /** Path of the key in a document, and the keys with enough work in memory. */
  readonly key?: {
    readonly path: PathOf<Of>;
    readonly saturated: () => readonly string[];
    /** Where a page may be full of another process's: whose an item is, and its partition. */
    readonly others?: {
      readonly of: (item: Item) => string;
      readonly partitionOf: (key: string) => number;
    };
  };
  /** Asked before each page. */
  readonly hasCapacity?: () => boolean;
  /** Pages of a query, oldest first. */
  readonly pages: (filter: () => Filter<Of>) => Pages<Item>;
  readonly pagesMax?: number;
  readonly partitionOf: (item: Item) => number;
  /** Starts one piece of work. The next page is read when the promises have resolved. */
  readonly work: (item: Item) => Promise<void> | void;
  /** Surrounds the read of a page and its application. */
  readonly withRead?: <T>(read: () => Promise<T>, apply: (found: T) => void) => Promise<void>;
  /** A poll; absent, it reads all partitions. */
  readonly poll?: () => Promise<unknown>;
  readonly failedMessage: string;
}

type DueEnvironment = Pick<Environment, 'clock' | 'log' | 'leaseHeld'>;

export class DueWork<Of extends Name, Item extends Document> {
  readonly #environment: DueEnvironment;
  readonly #kind: DueKind<Of, Item>;
  readonly #polling: RunAgain;
  #cancelSoon: (() => void) | null = null;
  /** Keys of other processes that were found. */
  readonly #others = new Set<string>();

  constructor(
    environment: DueEnvironment,
    duePoller: Pick<DuePoller, 'add'>,
    kind: DueKind<Of, Item>,
  ) {
    this.#environment = environment;
    this.#kind = kind;
    const { poll = () => this.read(this.pages()), failedMessage } = kind;
    this.#polling = new RunAgain(
      async () => void (this.#mayRead && (await poll())),
      (fault) => environment.log.warn({ error: describe(fault) }, failedMessage),
    );
    duePoller.add(this);
  }

  /** The query for due work; null while none may start. */
  question(): ExistenceQuery | null {
    const { owned, collection } = this.#kind;
    return this.#mayStart ? questionOf(collection, this.#due(owned.numbers)) : null;
  }

  /** Whether the query leaves out keys. */
  get leavesOut(): boolean {
    return this.#leftOut().length > 0;
  }

  /** Work may be due. */
  poll(): void {
    void this.#polling.request();
  }

  /** Polls in a moment: calls until then share one poll. */
  pollSoon(): void {
    this.#cancelSoon ??= this.#environment.clock.after(POLL_SOON_MS, () => {
      this.#cancelSoon = null;
      this.poll();
    });
  }

  /** Pages of due work, of all partitions or of some. */
  pages(numbers?: readonly number[]): Pages<Item> {
    return this.#kind.pages(() => this.#due(numbers ?? this.#kind.owned.numbers));
  }

  /** Starts the work of the pages. True: it has read to the end. */
  async read(pages: Pages<Item>): Promise<boolean> {
    const { owned, pagesMax = Infinity, partitionOf, work, withRead = applyRead } = this.#kind;
    for (let page = 0; page < pagesMax && this.#mayRead; page++) {
      const isHeld = owned.tenuresNow();
      let ended = false;
      let started: readonly (Promise<void> | void)[] = [];
      const start = ({ done, value }: Awaited<ReturnType<typeof pages.next>>): void => {
        ended = done === true;
        const items: readonly Item[] = done ? [] : value;
        started = items.filter((item) => isHeld(partitionOf(item))).map(work);
        this.#noteOthers(items.filter((item) => !isHeld(partitionOf(item))));
      };
      await withRead(() => pages.next(), start);
      if (ended) return true;
      await Promise.all(started);
    }
    return false;
  }

  get #mayStart(): boolean {
    const { owned, hasCapacity } = this.#kind;
    return owned.numbers.length > 0 && hasCapacity?.() !== false;
  }

  get #mayRead(): boolean {
    return this.#mayStart && this.#environment.leaseHeld();
  }

  #noteOthers(items: readonly Item[]): void {
    const { others } = this.#kind.key ?? {};
    if (!others) return;
    const before = this.#others.size;
    for (const item of items) if (this.#others.size < OTHERS_MAX) this.#others.add(others.of(item));
    // They may have filled the pages.
    if (this.#others.size > before) this.pollSoon();
  }

  /** Without those whose partitions this process has by now. */
  #othersNow(): readonly string[] {
    const { owned, key } = this.#kind;
    if (!key?.others || this.#others.size === 0) return [];
    const held = new Set(owned.numbers);
    for (const each of this.#others) {
      if (held.has(key.others.partitionOf(each))) this.#others.delete(each);
    }
    return [...this.#others];
  }

  #due(numbers: readonly number[]): Filter<Of> {
    const { due, key } = this.#kind;
    const leftOut = this.#leftOut();
    const exclusion = key && leftOut.length > 0 && where<Of>(key.path, { $nin: leftOut });
    return { ...due(numbers), ...exclusion };
  }

  #leftOut(): readonly string[] {
    return [...(this.#kind.key?.saturated() ?? []), ...this.#othersNow()];
  }
}

async function applyRead<T>(read: () => Promise<T>, apply: (found: T) => void): Promise<void> {
  apply(await read());
}
