/**
 * Mailbox of one actor: asks wait here in order of arrival, one turn at a time.
 *
 * 1. At most one turn of an actor is under way.
 * 2. A turn that met stale state, or got no answer of the store, runs again on fresh state, as a
 *    repeat. That ends at the ask's deadline or with the lease.
 * 3. A write that the store refuses, and would refuse again, is answered at once.
 * 4. Every ask is answered once: with its answer, or with null when it must be asked elsewhere.
 * 5. An answer may wait for more than its turn (`answersAfter`): the next turn begins meanwhile.
 * 6. A turn that ends after the mailbox closed answers null. The next owner may have the ask
 *    already, and lists wait for that one. A shared handler answers null only if the lease was
 *    lost. After a release it still answers: its answer depends on no present owner.
 */
import { renderFailure } from '../../shared/failures.ts';
import { ASK_DEADLINE_MS } from '../../shared/limits.ts';
import { LOG_EVENT } from '../../shared/log-events.ts';
import type { Answer, IncomingAsk } from '../../shared/ports/bus.ts';
import type { Clock } from '../../shared/ports/clock.ts';
import type { Log } from '../../shared/ports/log.ts';
import { describe } from './describe-fault.ts';
import { type Actor, StaleState, type TurnContext } from './kind.ts';
import { delayMs, sleep } from './repeat.ts';
import { Forwarded, isForwardedRepeat, Overloaded, WriteRefused } from './turn.ts';

const RETRY = { firstMs: 5, growth: 2, maxMs: 250 };
/** Of a programming error: three tries separate a transient fault from a bug. */
const FAULT_TRIES = 3;

/** `orgId`: where the actor's state tells it. */
type OnTurn = (ask: IncomingAsk, answer: Answer, ms: number, orgId: string | undefined) => void;

/** One object for all mailboxes of a partition. */
export interface MailboxSettings {
  readonly clock: Clock;
  readonly log: Log;
  readonly epoch: number;
  readonly leaseHeld: () => boolean;
  readonly open: (key: string, stale: boolean) => Actor;
  readonly onTurn: OnTurn;
  /** Another actor answers; this mailbox does not wait for it. */
  readonly forward: (ask: IncomingAsk, forwarded: Forwarded, repeat: boolean) => void;
  readonly journalBarrier: () => Promise<void>;
  /** A turn of the actor failed and may have committed. */
  readonly onInDoubt: (key: string) => void;
  /** Nothing waits, and the actor has no state that a next turn would miss. */
  readonly onDisposable: (key: string) => void;
}

export class Mailbox {
  readonly #key: string;
  readonly #settings: MailboxSettings;
  /** Bounded by the open asks of the gateways: one at its deadline is answered null. */
  readonly #queue: IncomingAsk[] = [];
  #actor: Actor | null = null;
  #working = false;
  #stale = false;
  closed = false;
  #lost = false;
  usedAt: number;

  constructor(key: string, settings: MailboxSettings) {
    this.#key = key;
    this.#settings = settings;
    this.usedAt = settings.clock.monotonic();
  }

  get depth(): number {
    return this.#queue.length + (this.#working ? 1 : 0);
  }

  get idle(): boolean {
    return !this.#working && this.#queue.length === 0 && !this.#actor?.busy?.();
  }

  post(ask: IncomingAsk): void {
    if (this.closed || !this.#settings.leaseHeld()) return ask.answer(null);
    this.usedAt = this.#settings.clock.monotonic();
    if (this.#answerShared(ask)) return;
    this.#queue.push(ask);
    if (!this.#working) void this.#work();
  }

  async flush(): Promise<void> {
    await this.#actor?.flush?.();
  }

  /** Runs no more turns; waiting asks are answered null. `lost`: all work under way is too. */
  close({ lost }: { readonly lost: boolean } = { lost: false }): void {
    this.closed = true;
    this.#lost = lost;
    for (const ask of this.#queue.splice(0)) ask.answer(null);
    this.#forget();
  }

  #forget(): void {
    this.#actor?.close?.();
    this.#actor = null;
  }

  #open(): Actor {
    this.#actor ??= this.#settings.open(this.#key, this.#stale);
    this.#stale = false;
    return this.#actor;
  }

  #contextOf(ask: IncomingAsk, repeat: boolean): TurnContext {
    const { deadline, requestId } = ask;
    return { deadline, requestId, repeat, epoch: this.#settings.epoch };
  }

  #answerShared(ask: IncomingAsk): boolean {
    const answer = this.#open().sharedHandler?.(ask.command, this.#contextOf(ask, ask.repeat));
    if (answer === undefined) return false;
    if (answer instanceof Promise) {
      const mayAnswer = (): boolean => !this.#lost && this.#settings.leaseHeld();
      answer.then(
        (resolved) => ask.answer(mayAnswer() ? resolved : null),
        (fault: unknown) => {
          this.#logFault(ask, fault);
          ask.answer(mayAnswer() ? renderFailure({ kind: 'fault' }) : null);
        },
      );
    } else {
      ask.answer(answer);
    }
    return true;
  }

  async #work(): Promise<void> {
    this.#working = true;
    for (let ask = this.#queue.shift(); ask !== undefined; ask = this.#queue.shift()) {
      await this.#runTurns(ask);
    }
    this.#working = false;
    if (this.#actor?.disposable) this.#settings.onDisposable(this.#key);
  }

  async #runTurns(ask: IncomingAsk): Promise<void> {
    const { clock, leaseHeld, onTurn, journalBarrier } = this.#settings;
    const started = clock.monotonic();
    for (let tries = 1; ; tries++) {
      if (this.closed || !leaseHeld()) return ask.answer(null);
      // The caller no longer waits.
      if (clock.now() >= ask.deadline) return ask.answer(null);
      const repeat = ask.repeat || tries > 1 || isForwardedRepeat(ask.command);
      try {
        const actor = this.#open();
        const answer = await actor.turn(ask.command, this.#contextOf(ask, repeat));
        const waitsFor = actor.answersAfter?.() ?? null;
        // The turn may have read its answer on record before that record is journaled (I1).
        if (repeat) await journalBarrier();
        // A decision without a lease may conflict with one of another owner.
        if (this.closed || !leaseHeld()) return ask.answer(null);
        if (waitsFor) void this.#answerAfter(waitsFor, ask, answer);
        else ask.answer(answer);
        onTurn(ask, answer, clock.monotonic() - started, actor.orgId);
        return;
      } catch (fault) {
        const isForwarded = fault instanceof Forwarded;
        if (isForwarded && (await this.#forward(ask, fault, repeat))) return;
        if (fault instanceof Overloaded) return ask.answer(renderFailure({ kind: 'overloaded' }));
        this.#forget();
        this.#stale = fault instanceof StaleState;
        if (!(fault instanceof StaleState || isForwarded)) this.#logFault(ask, fault);
        if (fault instanceof WriteRefused) return ask.answer(renderFailure({ kind: 'not_stored' }));
        if (!(fault instanceof StaleState)) this.#settings.onInDoubt(this.#key);
        if (isBug(fault) && tries >= FAULT_TRIES) {
          return ask.answer(renderFailure({ kind: 'fault' }));
        }
      }
      await sleep(clock, delayMs(RETRY, tries - 1));
    }
  }

  async #answerAfter(waitsFor: Promise<unknown>, ask: IncomingAsk, answer: Answer): Promise<void> {
    try {
      await waitsFor;
      ask.answer(!this.#lost && this.#settings.leaseHeld() ? answer : null);
    } catch (fault) {
      this.#logFault(ask, fault);
      ask.answer(null);
    }
  }

  /** False where the store does not answer: the turn is made again. */
  async #forward(ask: IncomingAsk, forwarded: Forwarded, repeat: boolean): Promise<boolean> {
    const { leaseHeld, forward, journalBarrier } = this.#settings;
    try {
      // The forwarding record may have been read before it was journaled.
      await journalBarrier();
    } catch (fault) {
      this.#logFault(ask, fault);
      return false;
    }
    if (this.closed || !leaseHeld()) ask.answer(null);
    else forward(ask, forwarded, repeat);
    return true;
  }

  #logFault(ask: IncomingAsk, fault: unknown): void {
    const { address, command, requestId } = ask;
    const { kind, key } = address;
    const fields = { kind, key, command: command.type, requestId, error: describe(fault) };
    this.#settings.log.error(fields, LOG_EVENT.turnFailed);
  }
}

/** Programming errors do not disappear on another try; a store or a peer may recover. */
function isBug(fault: unknown): boolean {
  return [TypeError, RangeError, ReferenceError].some((error) => fault instanceof error);
}

/** Callers repeat until the deadline. */
const RETENTION_MS = ASK_DEADLINE_MS + 2_000;
/** A record outlives its time by one slice at most. */
const SLICE_MS = 1_000;

interface Slice {
  /** Monotonic milliseconds. */
  readonly since: number;
  readonly answers: Map<string, Answer>;
}

export class CompletionRecords {
  readonly #clock: Clock;
  /** The youngest first. */
  #slices: readonly Slice[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  find(commandId: string): Answer | null {
    for (const { answers } of this.#slices) {
      const answer = answers.get(commandId);
      if (answer) return answer;
    }
    return null;
  }

  keep(commandId: string, answer: Answer): void {
    this.#slice().answers.set(commandId, answer);
  }

  #slice(): Slice {
    const now = this.#clock.monotonic();
    const [youngest] = this.#slices;
    if (youngest && now - youngest.since < SLICE_MS) return youngest;
    const slice = { since: now, answers: new Map() };
    this.#evictExpired();
    this.#slices = [slice, ...this.#slices];
    if (this.#slices.length === 1) this.#scheduleEviction();
    return slice;
  }

  #evictExpired(): void {
    const before = this.#clock.monotonic() - RETENTION_MS - SLICE_MS;
    this.#slices = this.#slices.filter(({ since }) => since > before);
  }

  /** Runs after the last record too: a process at rest keeps none. */
  #scheduleEviction(): void {
    this.#clock.after(RETENTION_MS + SLICE_MS, () => {
      this.#evictExpired();
      if (this.#slices.length > 0) this.#scheduleEviction();
    });
  }
}
