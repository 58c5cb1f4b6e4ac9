/**
 * One life of one process: it runs, is paused (its timers and arriving messages wait), or is dead
 * (nothing of it happens any more). A process that starts again is another machine.
 */
import type { Clock } from '../../../../shared/ports/clock.ts';
import type { Scheduler } from './scheduler.ts';

/** The wall clock when a world begins: a Friday noon. */
export const EPOCH_MS = Date.UTC(2026, 10, 20, 12);
/** A turn takes no longer: then it is given up, or its lease has ended. */
const TURN_MS = 10_000;

export class Machine {
  readonly name: string;
  readonly clock: Clock;
  readonly #scheduler: Scheduler;
  #state: 'up' | 'paused' | 'dead' = 'up';
  #waiting: (() => void)[] = [];
  readonly #onDeath: (() => void)[] = [];
  #skewMs: number;
  /** When the clock jumped, by the world's time, and how far. */
  #jumped = { at: Number.NEGATIVE_INFINITY, ms: 0 };

  constructor(name: string, scheduler: Scheduler, skewMs: number) {
    this.name = name;
    this.#scheduler = scheduler;
    this.#skewMs = skewMs;
    this.clock = {
      now: () => Math.floor(EPOCH_MS + scheduler.now + this.#skewMs),
      monotonic: () => scheduler.now,
      after: (ms, run) => scheduler.after(ms, () => this.reach(run)),
    };
  }

  /** Moves the wall clock, and no timer. */
  jump(ms: number): void {
    this.#skewMs += ms;
    this.#jumped = { at: this.#scheduler.now, ms };
  }

  get hasJumped(): boolean {
    return this.#jumped.ms !== 0;
  }

  /** What a turn that ends now may have read as the time: before a jump back it was later. */
  latestRead(): number {
    const { at, ms } = this.#jumped;
    const isWithinTurn = this.#scheduler.now - at < TURN_MS;
    return this.clock.now() + (isWithinTurn ? Math.max(0, -ms) : 0);
  }

  /** The earliest that a turn may have read which began its write at `begunAt`. */
  earliestRead(begunAt: number): number {
    const { at, ms } = this.#jumped;
    const isWithinTurn = at > begunAt - TURN_MS;
    const now = EPOCH_MS + begunAt + this.#skewMs;
    return Math.floor(now) - TURN_MS - (isWithinTurn ? Math.max(0, ms) : 0);
  }

  get dead(): boolean {
    return this.#state === 'dead';
  }

  get up(): boolean {
    return this.#state === 'up';
  }

  /** A message arrives: now, when the machine is no longer paused, or never. */
  reach(run: () => void): void {
    if (this.#state === 'dead') return;
    if (this.#state === 'paused') this.#waiting.push(run);
    else run();
  }

  kill(): void {
    this.#state = 'dead';
    this.#waiting = [];
    for (const run of this.#onDeath.splice(0)) run();
  }

  /** For those who are connected to it: they see the end of their connections. */
  onDeath(run: () => void): void {
    this.#onDeath.push(run);
  }

  stop(): void {
    if (this.#state === 'up') this.#state = 'paused';
  }

  goOn(): void {
    if (this.#state !== 'paused') return;
    this.#state = 'up';
    // One after the other, as an event loop would find them.
    for (const run of this.#waiting.splice(0)) {
      this.#scheduler.after(0, () => this.reach(run));
    }
  }
}
