/**
 * Unpublished outbox of earlier owners, found by its shelf and read in pages.
 *
 * 1. Partitions that are acquired in one tick share a query. A short backlog is one page for all, or one
 *    of the shelf. Of a long one each partition reads its own part of the shelf, or the whole where
 *    its ids lie anywhere: none waits for another's work, and few read a large neighbour's.
 *    One page is read at a time. A thousand at once would leave the lease's renewal unanswered, and
 *    the next acquisition would begin with as many.
 * 2. Documents of one entity are published together: their events keep the order of their commits.
 * 3. A tenure publishes no document twice at once: one whose outbox has grown since is published
 *    again. Documents that an earlier tenure has in flight are published too. That one may give
 *    them up, and later ones would go ahead.
 * 4. A backlog of a million costs time, but neither memory nor a query that never ends. At most
 *    `IN_FLIGHT_MAX` documents of a collection are in flight; the others wait in the store.
 */
import type { ActorKind } from '../../shared/vocabulary.ts';
import type { OutboxItem } from '../../shared/wire/outbox.ts';
import { idRangeOf, partitionOf, shelfOf } from '../../shared/wire/subjects.ts';
import type { OutboxLocation } from '../domain/published-event.ts';
import type { Environment } from '../environment.ts';
import type { DocumentOf, Filter, Order, PathOf } from '../model/collections.ts';
import { merged, orderBy, where } from '../runtime/computed.ts';
import { Batcher, KeyedMutex } from '../runtime/concurrency.ts';
import { describe } from '../runtime/describe-fault.ts';

const PAGE = 500;
const IN_FLIGHT_MAX = 1_000;

type OutboxName = OutboxLocation['collection'];

export interface UnpublishedDocument {
  readonly _id: string;
  /** The shelf, while the outbox is not empty. */
  readonly pending?: number;
  readonly outbox?: readonly Pick<OutboxItem, 'id'>[];
}

/** A publication of documents. */
interface Flight {
  /** Ids of the items in their outboxes. */
  readonly items: ReadonlySet<string>;
  readonly ended: Promise<void>;
}

/** Of the owner that publishes. */
export interface OutboxTenure {
  readonly partition: number;
  readonly epoch: number;
}

type UnpublishedEnvironment = Pick<Environment, 'store' | 'log' | 'leaseHeld'>;

/** Where a document names its entity, and the order of an entity's documents. */
interface EntityKey<Of extends OutboxName> {
  readonly path: PathOf<Of> | '_id';
  readonly of: (document: DocumentOf<Of>) => string;
  readonly sort: Order<Of>;
  /** Of ids that name their partition. */
  readonly prefix?: string;
}

/** Each document is an entity of its own. */
function ownEntity<Of extends OutboxName>(): EntityKey<Of> {
  return { path: '_id', of: ({ _id }) => _id, sort: orderBy<Of>(['_id'], 1) };
}

/** The documents of one kind of actors. */
export interface OutboxCollection<Of extends OutboxName> {
  readonly kind: ActorKind;
  readonly collection: Of;
  readonly entity?: EntityKey<Of>;
}

export class UnpublishedOutbox<Of extends OutboxName> {
  readonly #environment: UnpublishedEnvironment;
  readonly #kind: ActorKind;
  readonly #collection: Of;
  readonly #entity: EntityKey<Of>;
  readonly #batcher = new Batcher((shelves: readonly number[]) =>
    this.#page(where<Of>('pending', { $in: [...new Set(shelves)] })),
  );
  readonly #ofShelf = new Batcher((_: readonly number[], shelf) =>
    this.#page(where<Of>('pending', Number(shelf))),
  );
  readonly #reading = new KeyedMutex();
  /** By document and epoch. */
  readonly #inFlight = new Map<string, Flight>();
  #waiting: (() => void)[] = [];

  constructor(environment: UnpublishedEnvironment, of: OutboxCollection<Of>) {
    this.#environment = environment;
    this.#kind = of.kind;
    this.#collection = of.collection;
    this.#entity = of.entity ?? ownEntity();
  }

  /**
   * Pages of the partition's documents as they are after this call, while the lease lasts. `read`
   * ends before the next page is read. No page has a part of an entity's documents.
   */
  async pages(
    partition: number,
    read: (page: readonly DocumentOf<Of>[]) => Promise<void>,
  ): Promise<void> {
    const readOwned = async (page: readonly DocumentOf<Of>[]): Promise<void> => {
      // A shelf may have documents of other partitions, and of other owners.
      const isOwn = (document: DocumentOf<Of>) =>
        partitionOf(this.#kind, this.#entity.of(document)) === partition;
      const own = page.filter(isOwn);
      if (own.length > 0) await read(own);
    };
    const shelf = shelfOf(partition);
    const first = await this.#batcher.add(shelf);
    if (first.length < PAGE) return readOwned(first.filter(({ pending }) => pending === shelf));
    const ofShelf = await this.#ofShelf.add(shelf, `${shelf}`);
    if (ofShelf.length < PAGE) return readOwned(ofShelf);
    const { path, of, prefix } = this.#entity;
    const ids =
      prefix === undefined ? null : idRangeOf(prefix, { kind: this.#kind, number: partition });
    const withEntity = (condition: unknown): Filter<Of> =>
      merged<Of>(where<Of>('pending', shelf), where<Of>(path, condition));
    for (
      let from = ids ? withEntity(ids) : where<Of>('pending', shelf);
      this.#environment.leaseHeld();
    ) {
      const page = await this.#page(from);
      const end = page.at(-1);
      if (!end || page.length < PAGE) return readOwned(page);
      const last = of(end);
      const whole = page.filter((document) => of(document) !== last);
      await readOwned(whole.length > 0 ? whole : await this.#all(withEntity(last)));
      from = withEntity({ ...ids, ...(whole.length > 0 ? { $gte: last } : { $gt: last }) });
    }
  }

  /** As `publish`, for documents that are entities of their own. */
  publishEach(
    tenure: OutboxTenure,
    publish: (document: DocumentOf<Of>) => Promise<unknown>,
  ): Promise<void> {
    return this.publish(tenure, (documents) => Promise.all(documents.map(publish)));
  }

  /**
   * Resolves when publishing has begun for every document, or the lease has ended.
   * @param publish gets the documents of one entity
   */
  async publish(
    { partition, epoch }: OutboxTenure,
    publish: (documents: readonly DocumentOf<Of>[]) => Promise<unknown>,
  ): Promise<void> {
    const flightOf = ({ _id }: DocumentOf<Of>) => this.#inFlight.get(`${_id} ${epoch}`);
    const begin = async (documents: readonly DocumentOf<Of>[]): Promise<void> => {
      await this.#waitForCapacity();
      const others = documents.filter((document) => !flightOf(document));
      if (!this.#environment.leaseHeld() || others.length === 0) return;
      void this.#begin(others, epoch, () => publish(others));
    };
    const grown: DocumentOf<Of>[] = [];
    await this.pages(partition, async (page) => {
      for (const documents of Map.groupBy(page, this.#entity.of).values()) {
        await begin(documents);
        grown.push(...documents.filter((document) => isMore(document, flightOf(document))));
      }
    });
    await Promise.all(grown.map((document) => flightOf(document)?.ended));
    for (const documents of Map.groupBy(grown, this.#entity.of).values()) await begin(documents);
  }

  async #begin(
    documents: readonly DocumentOf<Of>[],
    epoch: number,
    publish: () => Promise<unknown>,
  ): Promise<void> {
    const keys = documents.map(({ _id }) => `${_id} ${epoch}`);
    const items = new Set(documents.flatMap(({ outbox = [] }) => outbox.map(({ id }) => id)));
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    for (const key of keys) this.#inFlight.set(key, { items, ended });
    try {
      await publish();
    } catch (fault) {
      // This owner or the next one finds them again.
      const fields = { id: keys[0], error: describe(fault) };
      this.#environment.log.error(fields, 'publish failed');
    } finally {
      for (const key of keys) this.#inFlight.delete(key);
      end();
      for (const resume of this.#waiting.splice(0)) resume();
    }
  }

  async #waitForCapacity(): Promise<void> {
    while (this.#inFlight.size >= IN_FLIGHT_MAX) {
      await new Promise<void>((resume) => this.#waiting.push(resume));
    }
  }

  #page(filter: Filter<Of>): Promise<readonly DocumentOf<Of>[]> {
    const options = { sort: this.#entity.sort, limit: PAGE };
    return this.#reading.runExclusive('', () =>
      this.#environment.store.find(this.#collection, filter, options),
    );
  }

  /** Of one entity: its owner waits for room before it commits more. */
  #all(filter: Filter<Of>): Promise<readonly DocumentOf<Of>[]> {
    const { store } = this.#environment;
    return store.find(this.#collection, filter, { sort: this.#entity.sort });
  }
}

/** The document has items that its publication under way does not have. */
function isMore({ outbox = [] }: UnpublishedDocument, flight: Flight | undefined): boolean {
  return flight !== undefined && outbox.some(({ id }) => !flight.items.has(id));
}
