/**
 * Events that were committed without this owner's knowledge: by an earlier owner, or by a turn that
 * failed without an answer of the store. Subscribers get them ahead of the conversation's next
 * event.
 *
 * 1. A write of an earlier owner may be committed until the partition's late recovery, and one of a
 *    failed turn for as long. Meanwhile each event of the conversation looks for others first.
 * 2. It looks when its turn to be published has come, and so finds all that was committed before.
 *    An order tells which of them this owner has written later, or publishes by itself.
 * 3. A tenure that is over publishes nothing: the next owner finds it in the store. Events of the
 *    next owner would be taken for earlier ones.
 * 4. Questions of one tick share a read. No conversation waits for the recovery of its partition.
 */
import type { OutboxEvent, OutboxItem } from '../../shared/wire/outbox.ts';
import { partitionOf } from '../../shared/wire/subjects.ts';
import type { Environment } from '../environment.ts';
import { Batcher } from '../runtime/concurrency.ts';
import { retryWhile } from '../runtime/repeat.ts';
import type { EntryDocument } from './api.ts';
import { commitTime, type FoundEvent, PublicationOrder } from './publication-order.ts';

const RETRY = { firstMs: 500 };

type UnpublishedEntry = Pick<EntryDocument, 'conversationId' | 'seq' | 'after' | 'outbox'>;

interface Tenure {
  readonly epoch: number;
  isRecovering: boolean;
  /** By conversation, while it may have events that its actor does not know. */
  readonly orders: Map<string, PublicationOrder>;
}

/** A publication of one outbox. */
interface Publishing {
  /** Events that go first, for each event when its turn has come; null: the tenure is over. */
  readonly earlier: () => Promise<readonly OutboxEvent[] | null>;
  readonly ended: () => void;
}

type RecoveryEnvironment = Pick<Environment, 'store' | 'clock' | 'log' | 'leaseHeld'>;

export class OutboxRecovery {
  readonly #environment: RecoveryEnvironment;
  /** By partition. */
  readonly #tenures = new Map<number, Tenure>();
  /** By conversation with a failed turn in the last 15 s, monotonic milliseconds. */
  readonly #inDoubtUntil = new Map<string, number>();
  readonly #batcher = new Batcher((ids: readonly string[]) => this.#read(ids));

  constructor(environment: RecoveryEnvironment) {
    this.#environment = environment;
  }

  /** The recovery of the partition lasts until `end`; a repeat changes nothing. */
  begin(partition: number, epoch: number): void {
    if (this.#tenures.get(partition)?.epoch === epoch) return;
    this.#tenures.set(partition, { epoch, isRecovering: true, orders: new Map() });
  }

  end(partition: number, epoch: number): void {
    const tenure = this.#tenures.get(partition);
    if (tenure?.epoch !== epoch) return;
    tenure.isRecovering = false;
    for (const [id, { isUsed }] of tenure.orders) if (!isUsed) tenure.orders.delete(id);
  }

  release(partition: number): void {
    this.#tenures.delete(partition);
  }

  /** A turn of the conversation may be committed until then. */
  doubt(conversationId: string, until: number): void {
    const now = this.#environment.clock.monotonic();
    for (const [id, end] of this.#inDoubtUntil) if (end < now) this.#inDoubtUntil.delete(id);
    this.#inDoubtUntil.set(conversationId, until);
  }

  /** A commit with this outbox is about to be made. */
  willCommit(conversationId: string, outbox: readonly OutboxItem[]): void {
    this.#orderOf(conversationId)?.willCommit(outbox);
  }

  /**
   * Found events are on their way to be published, in the order of these calls.
   * @param epoch of the tenure that found them
   * @returns asked for each event when its turn has come; null: the tenure is over
   */
  republishing(
    conversationId: string,
    { outbox, epoch }: { readonly outbox: readonly OutboxItem[]; readonly epoch: number },
  ): Publishing['earlier'] {
    const partition = partitionOf('conversation', conversationId);
    const isHeld = () => this.#tenures.get(partition)?.epoch === epoch;
    // A later tenure has an order of its own, and publishes them itself.
    if (isHeld()) this.#orderOf(conversationId)?.publishes(outbox);
    return async () => (isHeld() ? [] : null);
  }

  /** As `publishes`, for a commit of this owner; `ended` is to be called in any case. */
  publishing(
    { conversationId, seq }: Pick<EntryDocument, 'conversationId' | 'seq'>,
    outbox: readonly OutboxItem[],
  ): Publishing {
    const partition = partitionOf('conversation', conversationId);
    const tenure = this.#tenures.get(partition);
    const isOver = () => this.#tenures.get(partition) !== tenure;
    const order = this.#orderOf(conversationId);
    let choose = order?.publishing(outbox, outbox.some(isOfReceipt) ? null : seq);
    return {
      earlier: async () => {
        if (isOver()) return null;
        const chooseNow = choose;
        // The outbox's first event looks.
        choose = undefined;
        const earlier = chooseNow ? chooseNow(await this.#find(conversationId)) : [];
        return isOver() ? null : earlier;
      },
      ended: () => {
        order?.ended();
        if (!order?.isUsed && !this.#isOpen(conversationId)) tenure?.orders.delete(conversationId);
      },
    };
  }

  /** Null where every event of the conversation is known. */
  #orderOf(conversationId: string): PublicationOrder | null {
    const tenure = this.#tenures.get(partitionOf('conversation', conversationId));
    if (!tenure) return null;
    const known = tenure.orders.get(conversationId);
    if (known?.isUsed || this.#isOpen(conversationId)) {
      const order = known ?? new PublicationOrder();
      tenure.orders.set(conversationId, order);
      return order;
    }
    tenure.orders.delete(conversationId);
    return null;
  }

  #isOpen(conversationId: string): boolean {
    const tenure = this.#tenures.get(partitionOf('conversation', conversationId));
    const until = this.#inDoubtUntil.get(conversationId) ?? Number.NEGATIVE_INFINITY;
    return tenure?.isRecovering === true || this.#environment.clock.monotonic() <= until;
  }

  /** Unpublished events of the conversation, by the time of their commits; none without a lease. */
  async #find(conversationId: string): Promise<readonly FoundEvent[]> {
    const { leaseHeld: mayAct } = this.#environment;
    const retry = { mayAct, wait: RETRY, failedMessage: 'unpublished events were not read' };
    const found = await retryWhile(this.#environment, retry, async () => {
      const entries = await this.#batcher.add(conversationId);
      return eventsOf(entries.filter((entry) => entry.conversationId === conversationId));
    });
    return found ?? [];
  }

  #read(ids: readonly string[]): Promise<readonly UnpublishedEntry[]> {
    const partitions = ids.map((id) => partitionOf('conversation', id));
    const filter = {
      pending: { $in: [...new Set(partitions)] },
      conversationId: { $in: [...new Set(ids)] },
      outbox: { $exists: true },
    };
    return this.#environment.store.find<EntryDocument>('entries', filter, {
      sort: { conversationId: 1, seq: 1 },
      project: { conversationId: 1, seq: 1, after: 1, outbox: 1 },
    });
  }
}

/** Receipts add events to an entry; they have a time of their own. */
function isOfReceipt(item: OutboxItem): boolean {
  return item.type === 'event' && item.at !== undefined;
}

function eventsOf(entries: readonly UnpublishedEntry[]): readonly FoundEvent[] {
  const found = entries.flatMap((entry) =>
    (entry.outbox ?? []).map((item) => ({
      ...{ item, at: commitTime(entry, item) },
      seq: isOfReceipt(item) ? null : entry.seq,
    })),
  );
  return found
    .toSorted((a, b) => a.at - b.at)
    .flatMap(({ item, seq }) => (item.type === 'event' ? [{ event: item, seq }] : []));
}
