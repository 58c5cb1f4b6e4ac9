/**
 * Events of a conversation that its owner may not know: an earlier owner has committed them, or a
 * turn that failed without an answer of the store. The conversation's next events name them, so
 * that a stream has them first.
 *
 * 1. A write of an earlier owner may be committed until the partition's late recovery, and one of a
 *    failed turn for as long. Meanwhile each event of the conversation looks for others.
 * 2. Questions of one tick share a read. No conversation waits for the recovery of its partition.
 */
import type { OutboxEvent } from '../../../shared/wire/outbox.ts';
import { partitionOf, shelfFor } from '../../../shared/wire/subjects.ts';
import type { Environment } from '../../environment.ts';
import type { EntryDocument } from '../../model/conversation.ts';
import { byNumber, numberOf } from '../../outbox/event-order.ts';
import { Batcher } from '../../runtime/concurrency.ts';
import { retryWhile } from '../../runtime/repeat.ts';

const RETRY = { firstMs: 500 };
/** An event names no more of them. */
const FOUND_MAX = 200;

type UnpublishedEntry = Pick<EntryDocument, 'conversationId' | 'outbox'>;
type LookingEnvironment = Pick<Environment, 'store' | 'clock' | 'log' | 'leaseHeld'>;

export class UnpublishedEvents {
  readonly #environment: LookingEnvironment;
  /** Epochs of partitions under recovery. */
  readonly #recovering = new Map<number, number>();
  /** By conversation with a failed turn in the last 15 s, monotonic milliseconds. */
  readonly #inDoubtUntil = new Map<string, number>();
  readonly #batcher = new Batcher((ids: readonly string[]) => this.#read(ids));

  constructor(environment: LookingEnvironment) {
    this.#environment = environment;
  }

  /** The recovery of the partition lasts until `end`. */
  begin(partition: number, epoch: number): void {
    this.#recovering.set(partition, epoch);
  }

  end(partition: number, epoch: number): void {
    if (this.#recovering.get(partition) === epoch) this.release(partition);
  }

  release(partition: number): void {
    this.#recovering.delete(partition);
  }

  /** A turn of the conversation may be committed until then. */
  doubt(conversationId: string, until: number): void {
    const now = this.#environment.clock.monotonic();
    for (const [id, end] of this.#inDoubtUntil) if (end < now) this.#inDoubtUntil.delete(id);
    this.#inDoubtUntil.set(conversationId, until);
  }

  /** Those of the conversation before this one, in their order; none without a lease. */
  async before(conversationId: string, event: OutboxEvent): Promise<readonly OutboxEvent[]> {
    if (!this.#mayBe(conversationId)) return [];
    const { leaseHeld: mayAct, log } = this.#environment;
    const retry = { mayAct, wait: RETRY, failedMessage: 'unpublished events were not read' };
    const entries = await retryWhile(this.#environment, retry, () =>
      this.#batcher.add(conversationId),
    );
    const found = (entries ?? [])
      .flatMap((entry) => (entry.conversationId === conversationId ? (entry.outbox ?? []) : []))
      .filter((item) => item.type === 'event')
      .filter((each) => numberOf(each) < numberOf(event))
      .toSorted(byNumber);
    if (found.length > FOUND_MAX) {
      log.warn(
        { conversationId, found: found.length },
        'a stream may not have all events in order',
      );
    }
    return found.slice(-FOUND_MAX);
  }

  #mayBe(conversationId: string): boolean {
    if (this.#recovering.has(partitionOf('conversation', conversationId))) return true;
    const until = this.#inDoubtUntil.get(conversationId) ?? Number.NEGATIVE_INFINITY;
    return this.#environment.clock.monotonic() <= until;
  }

  #read(ids: readonly string[]): Promise<readonly UnpublishedEntry[]> {
    const shelves = ids.map((id) => shelfFor('conversation', id));
    const filter = {
      pending: { $in: [...new Set(shelves)] },
      conversationId: { $in: [...new Set(ids)] },
      outbox: { $exists: true },
    };
    return this.#environment.store.find('entries', filter, {
      sort: { conversationId: 1, seq: 1 },
      project: { conversationId: 1, outbox: 1 },
    });
  }
}
