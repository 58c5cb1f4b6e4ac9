/**
 * The agenda of flows: what runs wait for is in the log, on the last entry of their conversation,
 * and is posted to the conversation as a command when it is due.
 *
 * 1. Nothing is lost with a process: whoever owns a partition reads every 5 s what is due there, or
 *    will be before the next look.
 * 2. Memory holds only what is due within half a minute: runs may wait for months.
 * 3. A run is not moved on before what its last step asked of other actors has been handed on.
 * 4. A timer that comes twice, or late, does nothing: its turn looks whether the run still waits.
 */
import { ASK_DEADLINE_MS } from '../../shared/limits.ts';
import type { Document, Filter } from '../../shared/ports.ts';
import { partitionOf } from '../../shared/subjects.ts';
import { LOOK_EVERY_MS, type Lookout } from '../runtime/lookout.ts';
import { describe } from '../runtime/mailbox.ts';
import type { World } from '../world.ts';
import type { FlowTimer } from './commands.ts';

const POST_AGAIN_MS = 1_000;
/** Partitions are taken many at a time: one look serves them all. */
const LOOK_SOON_MS = 20;
const AGENDA_PAGE = 1_000;
const NEAR_MS = 30_000;
const NEAR_MAX = 20_000;

export interface DueEntry {
  readonly conversationId: string;
  readonly seq: number;
  /** Epoch milliseconds. */
  readonly at: number;
}

interface Near extends DueEntry {
  readonly cancel: () => void;
}

interface TimedEntry extends Document {
  readonly conversationId: string;
  readonly seq: number;
  readonly timer: { readonly at: number };
}

type TimersWorld = Pick<World, 'bus' | 'store' | 'clock' | 'log' | 'alive'>;

export class FlowTimers {
  readonly #world: TimersWorld;
  readonly #partitions = new Set<number>();
  readonly #near = new Map<string, Near>();
  /** Seq of the entry whose timer is being posted. */
  readonly #posting = new Map<string, number>();
  readonly #held = new Map<string, number>();
  #cancelLook: (() => void) | null = null;
  #looking = false;
  /** Partitions were taken while a look was under way: it has not seen them. */
  #lookAgain = false;

  constructor(world: TimersWorld, lookout: Pick<Lookout, 'watch'>) {
    this.#world = world;
    lookout.watch({
      question: () =>
        this.#partitions.size > 0 ? { collection: 'entries', filter: this.#due() } : null,
      look: () => this.#lookIn(LOOK_SOON_MS),
    });
  }

  take(partition: number): void {
    this.#partitions.add(partition);
    if (this.#looking) this.#lookAgain = true;
    else this.#lookIn(LOOK_SOON_MS);
  }

  giveUp(partition: number): void {
    this.#partitions.delete(partition);
    for (const [conversationId, near] of this.#near) {
      if (partitionOf('conversation', conversationId) !== partition) continue;
      near.cancel();
      this.#near.delete(conversationId);
    }
  }

  /** The run of that entry is looked at when it is due. */
  add(due: DueEntry): void {
    const { conversationId, seq, at } = due;
    const { clock } = this.#world;
    if (!this.#partitions.has(partitionOf('conversation', conversationId))) return;
    const inMs = at - clock.now();
    const known = this.#near.get(conversationId);
    if (known && (known.seq > seq || (known.seq === seq && known.at === at))) return;
    if (this.#posting.get(conversationId) === seq) return;
    known?.cancel();
    this.#near.delete(conversationId);
    if (inMs > NEAR_MS || this.#near.size >= NEAR_MAX) return;
    const fire = () => this.#fire(conversationId);
    const cancel = inMs > 0 ? clock.after(inMs, fire) : () => undefined;
    this.#near.set(conversationId, { ...due, cancel });
    if (inMs <= 0) fire();
  }

  /** Until the returned function is called, the conversation's run is not moved on. */
  hold(conversationId: string): () => void {
    this.#held.set(conversationId, (this.#held.get(conversationId) ?? 0) + 1);
    return () => {
      const left = (this.#held.get(conversationId) ?? 1) - 1;
      if (left > 0) this.#held.set(conversationId, left);
      else this.#held.delete(conversationId);
      this.#fire(conversationId);
    };
  }

  #fire(conversationId: string): void {
    const due = this.#near.get(conversationId);
    if (!due) return;
    const { clock } = this.#world;
    const earlyMs = due.at - clock.now();
    // A timer may come a millisecond before the wall clock says so: it is set again, never dropped.
    if (earlyMs > 0) {
      due.cancel();
      const cancel = clock.after(earlyMs, () => this.#fire(conversationId));
      this.#near.set(conversationId, { ...due, cancel });
      return;
    }
    if (this.#held.has(conversationId) || this.#posting.has(conversationId)) return;
    this.#near.delete(conversationId);
    this.#posting.set(conversationId, due.seq);
    void this.#post(due).finally(() => {
      this.#posting.delete(conversationId);
      this.#fire(conversationId);
    });
  }

  /** One that does not arrive is posted again, by whoever owns the partition then. */
  async #post(due: DueEntry): Promise<void> {
    const { conversationId, seq } = due;
    const { bus, clock, log } = this.#world;
    const command: FlowTimer = { id: `${conversationId}.${seq}.timer`, type: 'flow-timer', seq };
    try {
      const deadline = clock.now() + ASK_DEADLINE_MS;
      await bus.ask({ kind: 'conversation', key: conversationId }, command, { deadline });
    } catch (cause) {
      log.warn({ conversationId, error: describe(cause) }, 'a flow was not moved on');
      clock.after(POST_AGAIN_MS, () => this.add(due));
    }
  }

  #lookIn(ms: number): void {
    this.#cancelLook?.();
    this.#cancelLook = this.#world.clock.after(ms, () => void this.#look());
  }

  async #look(): Promise<void> {
    this.#looking = true;
    this.#lookAgain = false;
    try {
      if (this.#partitions.size > 0 && this.#world.alive()) await this.#readDue();
    } catch (cause) {
      this.#world.log.warn({ error: describe(cause) }, 'could not read the agenda of flows');
    }
    this.#looking = false;
    if (this.#lookAgain) this.#lookIn(LOOK_SOON_MS);
  }

  /** Until the next look. */
  #due(): Filter {
    return {
      timer: { $exists: true },
      'timer.partition': { $in: [...this.#partitions] },
      'timer.at': { $lte: this.#world.clock.now() + LOOK_EVERY_MS },
    };
  }

  async #readDue(): Promise<void> {
    const due = await this.#world.store.find<TimedEntry>('entries', this.#due(), {
      sort: { 'timer.at': 1 },
      limit: AGENDA_PAGE,
      project: { conversationId: 1, seq: 1, 'timer.at': 1 },
    });
    for (const { conversationId, seq, timer } of due) {
      this.add({ conversationId, seq, at: timer.at });
    }
  }
}
