/**
 * The durable part of an event stream: a counter of positions that never goes back, the position
 * up to which its client has acknowledged, and the number of events that were dropped since.
 *
 * 1. It is written in the same commit as the positions that were taken from it. Where only those
 *    were made, the next owner begins behind the highest of them.
 * 2. A commit may be executed in part. The cursor names the deliveries that got the last positions:
 *    whoever reads it completes them, or takes back what was given without it (`log.ts`).
 * 3. Each owner begins `GAP` further on: a position that a paused owner writes late is nobody else's,
 *    and known as such by the owners after that one.
 * 4. Nothing here depends on a clock: owners' clocks differ, and are set back.
 */
import { shelfFor } from '../../../shared/wire/subjects.ts';
import type { Environment } from '../../environment.ts';
import type { Write } from '../../model/collections.ts';
import type { CursorState } from '../../model/subscription.ts';

/** More than an owner gives positions between two looks at its lease. */
const GAP = 10_000;
/** Late writes come within seconds. */
const GAPS_MAX = 8;
/** Above every position that an earlier version took of its clock, in microseconds. */
const FIRST = 2 ** 51;

/** What the store knows. */
export interface RecordedCursor {
  readonly position: number;
  readonly given: readonly string[];
  /** Whether no connection was told of the position: nobody's commit of it has ended. */
  readonly isUnreported: (position: number) => boolean;
}

export class StreamCursor {
  readonly #streamId: string;
  readonly #epoch: number;
  #orgId: string | undefined;
  #state: CursorState | null = null;
  /** The last one that was written: without an answer it may still be committed. */
  #written: Pick<CursorState, 'revision' | 'position'> = { revision: 0, position: 0 };

  constructor(streamId: string, epoch: number) {
    this.#streamId = streamId;
    this.#epoch = epoch;
  }

  get position(): number {
    return this.#state?.position ?? 0;
  }

  get acknowledged(): number {
    return this.#state?.acknowledged ?? 0;
  }

  get generation(): number {
    return this.#state?.generation ?? 0;
  }

  /** Events that were dropped, and not known to the client yet. */
  get dropped(): number {
    return this.#state?.dropped ?? 0;
  }

  /** @param highest position on record */
  async load({ store }: Pick<Environment, 'store'>, highest: number): Promise<RecordedCursor> {
    const { state, orgId } = (await store.byId('streams', this.#streamId)) ?? {};
    const { generation = 0, acknowledged = 0, dropped = 0, droppedAt = 0 } = state ?? {};
    const { revision, position } = this.#written;
    // Another worker of this tenure may have written it before, and was idle since.
    const own = state?.epoch === this.#epoch ? state.revision : 0;
    this.#orgId = orgId ?? this.#orgId;
    const after = state?.position ?? highest;
    const upTo = Math.max(FIRST, highest, after, position) + GAP;
    const gaps = [...(state?.gaps ?? []), { after, upTo }].slice(-GAPS_MAX);
    this.#state = {
      epoch: this.#epoch,
      revision: Math.max(own, revision),
      ...{ generation, position: upTo, acknowledged, dropped, droppedAt, gaps },
    };
    const isUnreported = (at: number) =>
      at > after || gaps.some((gap) => at > gap.after && at <= gap.upTo);
    return { position: after, given: state?.given ?? [], isUnreported };
  }

  /** After a fault: the store is read again. */
  forget(): void {
    this.#state = null;
  }

  /** Of another stream under this name: what its client knows is no longer of use. */
  begin({ orgId, generation }: { readonly orgId: string; readonly generation: number }): void {
    this.#orgId = orgId;
    // Dropped before the stream's first connection has read.
    const isFirst = this.generation === 0;
    this.#change({ generation, dropped: isFirst ? this.dropped : 0 });
  }

  next(): number {
    this.#change({ position: this.position + 1 });
    return this.position;
  }

  /** The position of the first one; the others follow. */
  give(deliveryIds: readonly string[]): number {
    const first = this.position + 1;
    this.#change({ position: this.position + deliveryIds.length, given: deliveryIds });
    return first;
  }

  /** False where it was acknowledged before. */
  acknowledge(position: number): boolean {
    const upTo = Math.min(position, this.position);
    if (upTo <= this.acknowledged) return false;
    const isKnown = this.dropped > 0 && upTo > (this.#state?.droppedAt ?? 0);
    this.#change({ acknowledged: upTo, ...(isKnown ? { dropped: 0 } : {}) });
    return true;
  }

  drop(count: number): void {
    this.#change({ dropped: this.dropped + count, droppedAt: this.position });
  }

  /** The write of the present state. */
  write(): Write {
    const partition = shelfFor('subscription', this.#streamId);
    const named = this.#orgId === undefined ? {} : { orgId: this.#orgId };
    const latest = this.#state ? { $max: { state: this.#state } } : {};
    const change = { ...latest, $set: { partition, ...named } };
    return { update: 'streams', filter: { _id: this.#streamId }, change, upsert: true };
  }

  #change(next: Partial<CursorState>): void {
    const state = this.#state;
    if (!state) throw new Error('the cursor of a stream was not loaded');
    this.#state = { ...state, given: [], ...next, revision: state.revision + 1 };
    this.#written = this.#state;
  }
}
