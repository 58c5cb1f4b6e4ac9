/**
 * Mailbox of one actor: asks wait here in order of arrival, one turn at a time.
 *
 * 1. At most one turn of an actor is under way.
 * 2. A turn that met stale state, or got no answer of the store, runs again on fresh state, as a
 *    repeat. That ends at the ask's deadline or with the lease.
 * 3. A write that the store refuses, and would refuse again, is answered at once.
 * 4. Every ask is answered once: with its answer, or with null when it must be asked elsewhere.
 * 5. A turn that ends after the mailbox closed answers null. The next owner may have the ask
 *    already, and lists wait for that one. A shared handler answers null only if the lease was
 *    lost. After a release it still answers: its answer depends on no present owner.
 */

import { renderFailure } from '../../shared/failures.ts';
import { LOG_EVENT } from '../../shared/log-events.ts';
import type { Answer, IncomingAsk } from '../../shared/ports/bus.ts';
import type { Clock } from '../../shared/ports/clock.ts';
import type { Log } from '../../shared/ports/log.ts';
import { type Actor, StaleState, type TurnContext } from './actor.ts';
import { Overloaded, WriteRefused } from './assert-committed.ts';
import { describe } from './describe-fault.ts';
import { Forwarded, isForwardedRepeat } from './forward-ask.ts';

const RETRY_FIRST_MS = 5;
const RETRY_MAX_MS = 250;
/** Of a programming error: three tries separate a transient fault from a bug. */
const FAULT_TRIES = 3;

/** Settings that all mailboxes of a partition share: one object for all of them. */
export interface MailboxSettings {
  readonly clock: Clock;
  readonly log: Log;
  readonly epoch: number;
  /** Whether this process may still act: its lease holds. */
  readonly leaseHeld: () => boolean;
  readonly open: (key: string, stale: boolean) => Actor;
  readonly onTurn: (ask: IncomingAsk, answer: Answer, ms: number) => void;
  /** Another actor answers; this mailbox does not wait for it. */
  readonly forward: (ask: IncomingAsk, forwarded: Forwarded, repeat: boolean) => void;
  /** Resolves when every write that was read is journaled. */
  readonly journalBarrier: () => Promise<void>;
  /** A turn of the actor failed and may have committed. */
  readonly onInDoubt: (key: string) => void;
  /** Nothing waits, and the actor has no state that a next turn would miss. */
  readonly onDisposable: (key: string) => void;
}

export class Mailbox {
  readonly #key: string;
  readonly #settings: MailboxSettings;
  readonly #queue: IncomingAsk[] = [];
  #actor: Actor | null = null;
  #working = false;
  #stale = false;
  #closed = false;
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

  get closed(): boolean {
    return this.#closed;
  }

  post(ask: IncomingAsk): void {
    if (this.#closed || !this.#settings.leaseHeld()) return ask.answer(null);
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
    this.#closed = true;
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
    const actor = this.#open();
    const answer = actor.sharedHandler?.(ask.command, this.#contextOf(ask, ask.repeat));
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
    let waitMs = RETRY_FIRST_MS;
    for (let tries = 1; ; tries++) {
      if (this.#closed || !leaseHeld()) return ask.answer(null);
      // The caller no longer waits.
      if (clock.now() >= ask.deadline) return ask.answer(null);
      const repeat = ask.repeat || tries > 1 || isForwardedRepeat(ask.command);
      try {
        const answer = await this.#open().turn(ask.command, this.#contextOf(ask, repeat));
        // The turn may have read its answer on record before that record is journaled (I1).
        if (repeat) await journalBarrier();
        // A decision without a lease may conflict with one of another owner.
        if (this.#closed || !leaseHeld()) return ask.answer(null);
        ask.answer(answer);
        onTurn(ask, answer, clock.monotonic() - started);
        return;
      } catch (fault) {
        if (fault instanceof Forwarded) return this.#forward(ask, fault, repeat);
        if (fault instanceof Overloaded) {
          return ask.answer(renderFailure({ kind: 'overloaded' }));
        }
        this.#forget();
        this.#stale = fault instanceof StaleState;
        if (!(fault instanceof StaleState)) this.#logFault(ask, fault);
        if (fault instanceof WriteRefused) return ask.answer(renderFailure({ kind: 'not_stored' }));
        if (!(fault instanceof StaleState)) this.#settings.onInDoubt(this.#key);
        if (isBug(fault) && tries >= FAULT_TRIES) {
          return ask.answer(renderFailure({ kind: 'fault' }));
        }
      }
      await new Promise<void>((resume) => clock.after(waitMs, resume));
      waitMs = Math.min(waitMs * 2, RETRY_MAX_MS);
    }
  }

  async #forward(ask: IncomingAsk, forwarded: Forwarded, repeat: boolean): Promise<void> {
    const { leaseHeld, forward, journalBarrier } = this.#settings;
    // The forwarding record may have been read before it was journaled.
    await journalBarrier();
    if (this.#closed || !leaseHeld()) return ask.answer(null);
    forward(ask, forwarded, repeat);
  }

  #logFault(ask: IncomingAsk, fault: unknown): void {
    const { kind, key } = ask.address;
    this.#settings.log.error(
      { kind, key, command: ask.command.type, requestId: ask.requestId, error: describe(fault) },
      LOG_EVENT.turnFailed,
    );
  }
}

/** Programming errors do not disappear on another try; a store or a peer may recover. */
function isBug(fault: unknown): boolean {
  return (
    fault instanceof TypeError || fault instanceof RangeError || fault instanceof ReferenceError
  );
}
