/**
 * The agenda of flows: what runs wait for is in the log, on the last entry of their conversation,
 * and is posted to the conversation as a command when it is due.
 *
 * 1. Nothing is lost with a process: the owner of a partition reads every 5 s what is due there, or
 *    will be before the next poll, page by page to the end; at once while there is more.
 * 2. Memory is bounded: what is due within half a minute, of an organization at most so many. One
 *    with enough in hand is left out of the reading, so that its backlog hides no other's.
 * 3. Organizations take turns, and at most so many posts are under way.
 * 4. A timer that cannot move is put off in the store, each time for longer.
 * 5. A run is not moved on before what its last step asked of other actors has been published.
 * 6. A timer that comes twice, or late, does nothing: its turn looks whether the run still waits.
 */

import { GenerationalCache } from '../../shared/generational-cache.ts';
import { ASK_DEADLINE_MS } from '../../shared/limits.ts';
import type { Filter } from '../../shared/ports.ts';
import { partitionOf } from '../../shared/subjects.ts';
import { type DuePoller, POLL_EVERY_MS } from '../runtime/due-poller.ts';
import { FairTurns, type Turn } from '../runtime/fair-turns.ts';
import { Foreground } from '../runtime/foreground.ts';
import { describe } from '../runtime/mailbox.ts';
import type { World } from '../world.ts';
import type { FlowTimer } from './commands.ts';
import { putOff, readTimers } from './timer-pages.ts';
import { type DueEntry, type InHand, TimersInHand } from './timers-in-hand.ts';

/** Partitions are taken many at a time: one look serves them all. */
const LOOK_SOON_MS = 20;
const NEAR_MS = 30_000;
/**
 * Under way. Posts wait for journaled commits, which gather: 64 of an organization drained half as
 * fast as its runs were started. One whose runs cannot move holds its share for 8 s each.
 */
const POSTS = { perOrganization: 256, perProcess: 2_048, besideCalls: 1 };
/**
 * A posted timer may still be on the agenda, since its entry is cleared behind the next one.
 * Shorter than between two polls: a call that was lost is found by the next.
 */
const RESTS_MS = POLL_EVERY_MS - 500;
const RESTING_MAX = 20_000;

type TimersWorld = Pick<World, 'bus' | 'store' | 'clock' | 'log' | 'leaseHeld'>;

export class FlowTimers {
  readonly #world: TimersWorld;
  readonly #partitions = new Set<number>();
  readonly #inHand = new TimersInHand();
  readonly #turns: FairTurns;
  /** The entry whose timer is being posted. */
  readonly #posting = new Map<string, DueEntry>();
  /** Seq of the entry whose timer was posted, until when it rests. */
  readonly #resting = new GenerationalCache<
    string,
    { readonly seq: number; readonly until: number }
  >(RESTING_MAX);
  readonly #held = new Map<string, number>();
  #cancelLook: (() => void) | null = null;
  #looking = false;
  /** Asked for while a look was under way: it may not have seen what there is. */
  #lookAgain = false;

  constructor(
    world: TimersWorld,
    duePoller: Pick<DuePoller, 'add'>,
    foreground: Pick<Foreground, 'isBeside'> = new Foreground(world.clock),
  ) {
    this.#world = world;
    const start = (conversationId: string) => this.#start(conversationId);
    this.#turns = new FairTurns(POSTS, start, (orgId) => foreground.isBeside(orgId));
    duePoller.add({
      question: () =>
        this.#partitions.size > 0
          ? { collection: 'entries', filter: this.#due(this.#inHand.withEnough()) }
          : null,
      poll: () => this.#lookSoon(),
    });
  }

  take(partition: number): void {
    this.#partitions.add(partition);
    this.#lookSoon();
  }

  giveUp(partition: number): void {
    this.#partitions.delete(partition);
    for (const timer of this.#inHand.values()) {
      if (partitionOf('conversation', timer.conversationId) === partition) this.#drop(timer);
    }
  }

  /** The run of that entry is looked at when it is due. */
  add(due: DueEntry, { fresh = true } = {}): void {
    const { conversationId, seq, at } = due;
    if (!this.#partitions.has(partitionOf('conversation', conversationId))) return;
    const known = this.#inHand.get(conversationId);
    if (known && (known.seq > seq || (known.seq === seq && known.at === at))) return;
    if (this.#posting.get(conversationId)?.seq === seq || this.#isResting(due)) return;
    if (known) this.#drop(known);
    const inMs = at - this.#world.clock.now();
    if (inMs > NEAR_MS) return;
    const kind = { due: inMs <= 0, fresh };
    if (this.#inHand.hasRoom(due, kind)) this.#keep(due, inMs);
    else this.#inHand.leave(due, kind);
  }

  /** Of the entry whose timer is being posted: changed by its id it costs the store a third. */
  entryIdOf(conversationId: string, seq: number): string | undefined {
    const posting = this.#posting.get(conversationId);
    return posting?.seq === seq ? posting.entryId : undefined;
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

  #isResting({ conversationId, seq }: DueEntry): boolean {
    const rests = this.#resting.get(conversationId);
    return rests?.seq === seq && rests.until > this.#world.clock.monotonic();
  }

  #drop({ orgId, conversationId }: DueEntry): void {
    this.#turns.withdraw(orgId, conversationId);
    this.#inHand.remove(conversationId);
  }

  #keep(due: DueEntry, inMs: number): void {
    const { conversationId } = due;
    const fire = () => this.#fire(conversationId);
    const cancel = inMs > 0 ? this.#world.clock.after(inMs, fire) : () => undefined;
    this.#inHand.put({ ...due, due: inMs <= 0, cancel });
    if (inMs <= 0) fire();
  }

  #fire(conversationId: string): void {
    const timer = this.#inHand.get(conversationId);
    if (!timer) return;
    const earlyMs = timer.at - this.#world.clock.now();
    // A timer may come a millisecond before the wall clock says so: it is set again, never dropped.
    if (earlyMs > 0) return this.#keep(timer, earlyMs);
    if (!timer.due) return this.#keep(timer, 0);
    if (this.#isBlocked(conversationId)) return;
    this.#turns.offer(timer.orgId, conversationId);
  }

  #isBlocked(conversationId: string): boolean {
    return this.#held.has(conversationId) || this.#posting.has(conversationId);
  }

  /** Its turn has come. */
  #start(conversationId: string): Turn | null {
    const timer = this.#inHand.get(conversationId);
    if (!timer?.due || this.#isBlocked(conversationId)) return null;
    this.#inHand.remove(conversationId);
    this.#posting.set(conversationId, timer);
    const ended = this.#post(timer).finally(() => {
      this.#posting.delete(conversationId);
      this.#fire(conversationId);
      if (this.#inHand.wantsMore()) this.#lookSoon();
    });
    return { ended };
  }

  /** Never rejects. */
  async #post(timer: InHand): Promise<void> {
    const { conversationId, seq } = timer;
    const { bus, clock, log } = this.#world;
    const command: FlowTimer = { id: `${conversationId}.${seq}.timer`, type: 'flow-timer', seq };
    try {
      const deadline = clock.now() + ASK_DEADLINE_MS;
      const { status } = await bus.ask({ kind: 'conversation', key: conversationId }, command, {
        deadline,
      });
      if (status < 500) {
        this.#resting.set(conversationId, { seq, until: clock.monotonic() + RESTS_MS });
        return;
      }
      log.warn({ conversationId, status }, 'timer of a flow was not taken');
    } catch (cause) {
      log.warn({ conversationId, error: describe(cause) }, 'timer of a flow was not taken');
    }
    await putOff(this.#world, timer);
  }

  #lookSoon(): void {
    this.#lookAgain = this.#looking;
    if (this.#looking) return;
    this.#cancelLook ??= this.#world.clock.after(LOOK_SOON_MS, () => void this.#look());
  }

  async #look(): Promise<void> {
    this.#cancelLook = null;
    this.#looking = true;
    this.#lookAgain = false;
    try {
      await this.#readDue();
    } catch (cause) {
      this.#world.log.warn({ error: describe(cause) }, 'could not read the agenda of flows');
    }
    this.#looking = false;
    if (this.#lookAgain) this.#lookSoon();
  }

  /** Until the next poll, but for organizations with enough in hand. */
  #due(leftOut: readonly string[]): Filter {
    return {
      timer: { $exists: true },
      'timer.partition': { $in: [...this.#partitions] },
      'timer.at': { $lte: this.#world.clock.now() + POLL_EVERY_MS },
      ...(leftOut.length > 0 ? { 'timer.orgId': { $nin: leftOut } } : {}),
    };
  }

  async #readDue(): Promise<void> {
    this.#inHand.beginReading();
    const goesOn = (): boolean =>
      this.#partitions.size > 0 && this.#world.leaseHeld() && !this.#inHand.full;
    const pages = readTimers(this.#world.store, () => this.#due(this.#inHand.leaveOut()));
    while (goesOn()) {
      const { value: page, done } = await pages.next();
      if (done) return;
      for (const { _id: entryId, conversationId, orgId, seq, timer } of page) {
        this.add({ entryId, conversationId, orgId, seq, at: timer.at }, { fresh: false });
      }
    }
    this.#inHand.leaveRest();
  }
}
