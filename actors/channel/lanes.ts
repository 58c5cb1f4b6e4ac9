/**
 * A channel's queued messages in memory: one lane per conversation, in order of `seq`.
 *
 * 1. At most one message of a lane is under way (I2).
 * 2. What was done with first is remembered: a message whose forerunner nobody has told of is
 *    found out in time (`afterForerunner`).
 * 3. A lane that has to wait goes behind the others: one bad conversation holds nobody up.
 */
import { GenerationalCache } from '../../shared/generational-cache.ts';
import type { EntryDocument } from '../conversation/documents.ts';
import type { SendNudge } from './commands.ts';

export interface Queued {
  readonly entryId: string;
  readonly seq: number;
  /** As it was committed, until it is first taken. */
  readonly fresh?: EntryDocument;
}

export interface Lane {
  readonly conversationId: string;
  readonly queue: Queued[];
  busy: boolean;
  /** Monotonic milliseconds. */
  notBefore: number;
  /** Whether it waits because of the number, and not of this conversation. */
  heldByNumber: boolean;
  /** Whether it waits because the number may begin no conversations. */
  heldAsFirst: boolean;
  /** The contact has written since the lane is here. */
  wrote: boolean;
  /** Consecutive refusals of one kind: for this pair alone, or for the number. */
  backoffs: number;
  backoffsOfPair: boolean;
}

/** Of more lanes than these some message may well go now. */
const LANES_LOOKED_AT = 256;
/** Conversations of a process whose last sends are remembered. */
const SETTLED_MAX = 200_000;

/** `seq` up to which each conversation's messages are known to be done with. */
export type SettledSeqs = GenerationalCache<string, number>;

export const settledSeqs = (): SettledSeqs => new GenerationalCache(SETTLED_MAX);
/** Under a longer backlog a round reads many messages at once, and memory is spared. */
const FRESH_MAX = 64;

export class Lanes {
  readonly #lanes = new Map<string, Lane>();
  readonly #settled: SettledSeqs;
  #size = 0;

  constructor(settled: SettledSeqs = settledSeqs()) {
    this.#settled = settled;
  }

  get size(): number {
    return this.#size;
  }

  add(nudge: Pick<SendNudge, 'conversationId' | 'entryId' | 'seq' | 'entry'>): void {
    const { conversationId, entryId, seq, entry } = nudge;
    let lane = this.#lanes.get(conversationId);
    if (!lane) {
      lane = emptyLane(conversationId);
      this.#lanes.set(conversationId, lane);
    }
    const { queue } = lane;
    // The one under way stays in front: whoever sent it is done with the first.
    const first = lane.busy ? 1 : 0;
    let at = queue.length;
    while (at > first && (queue[at - 1]?.seq ?? 0) > seq) at--;
    if (queue[at - 1]?.seq === seq || queue[0]?.seq === seq) return;
    const fresh = entry && this.#size < FRESH_MAX ? { fresh: entry } : {};
    queue.splice(at, 0, { entryId, seq, ...fresh });
    this.#size++;
  }

  /**
   * Whether a new message of the conversation would be the next: nothing of it is here, and no
   * other lane's oldest message may go now.
   */
  isFree(conversationId: string, now: number): boolean {
    if (this.#lanes.has(conversationId) || this.#lanes.size >= LANES_LOOKED_AT) return false;
    for (const lane of this.#lanes.values()) {
      if (!lane.busy && lane.notBefore <= now) return false;
    }
    return true;
  }

  /** A message in a lane of its own, under way from the first; the lane was free. */
  reserve({ conversationId, entryId, seq }: Queued & { readonly conversationId: string }): Lane {
    const lane = emptyLane(conversationId);
    lane.busy = true;
    lane.queue.push({ entryId, seq });
    this.#lanes.set(conversationId, lane);
    this.#size++;
    return lane;
  }

  /** The message under way is not known to be there: what becomes of it is told anew. */
  release(lane: Lane): void {
    lane.busy = false;
    this.#remove(lane, 0);
  }

  /** The network has judged a message: it waits no more. */
  settle(conversationId: string, entryId: string): void {
    const lane = this.#lanes.get(conversationId);
    const at = lane?.queue.findIndex((queued) => queued.entryId === entryId) ?? -1;
    // The one under way is settled by whoever sent it.
    if (!lane || at < 0 || (at === 0 && lane.busy)) return;
    this.#remove(lane, at);
    if (at === 0) lane.notBefore = 0;
  }

  /** Up to `most` lanes whose oldest message may go now; they are busy until released. */
  take(most: number, now: number): { lane: Lane; queued: Queued }[] {
    const taken: { lane: Lane; queued: Queued }[] = [];
    const waiting: Lane[] = [];
    for (const lane of this.#lanes.values()) {
      if (taken.length >= most) break;
      const queued = lane.queue[0];
      if (lane.busy || !queued) continue;
      if (lane.notBefore > now) {
        waiting.push(lane);
        continue;
      }
      lane.busy = true;
      // Whoever looks at it again reads what has become of it.
      lane.queue[0] = { entryId: queued.entryId, seq: queued.seq };
      taken.push({ lane, queued });
    }
    for (const lane of waiting) this.#toTheEnd(lane);
    return taken;
  }

  /** Whether the message of that `seq`, and with it all before it, is known to be done with. */
  isSettled(conversationId: string, seq: number): boolean {
    return seq <= (this.#settled.get(conversationId) ?? 0);
  }

  /** Everything up to that `seq` has been found done with. */
  settledUpTo(conversationId: string, seq: number): void {
    if (this.isSettled(conversationId, seq)) return;
    this.#settled.set(conversationId, seq);
  }

  /** The lane's oldest message is done with. */
  done(lane: Lane): void {
    const [first] = lane.queue;
    if (first) this.settledUpTo(lane.conversationId, first.seq);
    lane.busy = false;
    lane.backoffs = 0;
    lane.notBefore = 0;
    this.#remove(lane, 0);
  }

  /** The lane's oldest message has to wait, and those behind it too. */
  wait(lane: Lane, notBefore: number, held: 'by number' | 'as first' | null = null): void {
    lane.busy = false;
    lane.notBefore = notBefore;
    lane.heldByNumber = held === 'by number';
    lane.heldAsFirst = held === 'as first';
    // One that came late may be older than the one which was under way.
    lane.queue.sort((a, b) => a.seq - b.seq);
    this.#toTheEnd(lane);
  }

  /** The number works again: who waited because of it need not wait any longer. */
  wakeHeldByNumber(): void {
    for (const lane of this.#lanes.values()) {
      if (lane.heldByNumber && !lane.busy) lane.notBefore = 0;
      lane.heldByNumber = false;
    }
  }

  /** First contacts need not wait any longer than this. */
  wakeFirstContacts(notBefore: number): void {
    for (const lane of this.#lanes.values()) {
      if (lane.heldAsFirst) lane.notBefore = Math.min(lane.notBefore, notBefore);
    }
  }

  /** The contact has written: theirs is a first contact no more. */
  wakeOf(conversationId: string): boolean {
    const lane = this.#lanes.get(conversationId);
    if (!lane) return false;
    lane.wrote = true;
    if (lane.heldAsFirst && !lane.busy) lane.notBefore = 0;
    return lane.heldAsFirst;
  }

  /** The message of the conversation that goes first, or is under way. */
  oldestOf(conversationId: string): string | undefined {
    return this.#lanes.get(conversationId)?.queue[0]?.entryId;
  }

  /** When the next lane that waits may go; null when none waits. */
  nextAt(): number | null {
    let next: number | null = null;
    for (const lane of this.#lanes.values()) {
      if (lane.busy || lane.queue.length === 0) continue;
      if (next === null || lane.notBefore < next) next = lane.notBefore;
    }
    return next;
  }

  #remove(lane: Lane, at: number): void {
    lane.queue.splice(at, 1);
    this.#size--;
    if (lane.queue.length === 0) this.#lanes.delete(lane.conversationId);
    else this.#toTheEnd(lane);
  }

  #toTheEnd(lane: Lane): void {
    if (this.#lanes.get(lane.conversationId) !== lane) return;
    this.#lanes.delete(lane.conversationId);
    this.#lanes.set(lane.conversationId, lane);
  }
}

function emptyLane(conversationId: string): Lane {
  const queue: Queued[] = [];
  return {
    conversationId,
    queue,
    busy: false,
    notBefore: 0,
    heldByNumber: false,
    heldAsFirst: false,
    wrote: false,
    backoffs: 0,
    backoffsOfPair: false,
  };
}
