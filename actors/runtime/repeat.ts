/**
 * Repeats of work: waits between tries, serial runs, and tries until one succeeds.
 *
 * Waits: a policy gives the delay, and a sleep lasts it or is aborted. A timer wakes once, at the
 * time that was set last.
 *
 * Asks are repeated until their owner acknowledges them. Every repeat has the command's one id: an
 * owner that ran it before answers as it did then. A refusal acknowledges too: the other actor has
 * decided, and a repeat changes nothing.
 */
import { ASK_DEADLINE_MS } from '../../shared/limits.ts';
import type { Address, AnswerOf, BodyOf, Bus, CommandOf } from '../../shared/ports/bus.ts';
import type { Clock } from '../../shared/ports/clock.ts';
import type { Log } from '../../shared/ports/log.ts';
import type { ActorKind } from '../../shared/vocabulary.ts';
import type { Environment } from '../environment.ts';
import { describe } from './describe-fault.ts';

export interface WaitPolicy {
  readonly firstMs: number;
  /** Factor from one wait to the next; 1 where absent. */
  readonly growth?: number;
  readonly maxMs?: number;
}

/** Milliseconds to wait after so many waits before. Any policy reaches its maximum before 30. */
export function delayMs({ firstMs, growth = 1, maxMs = Infinity }: WaitPolicy, waits: number) {
  return Math.min(firstMs * growth ** Math.min(waits, 30), maxMs);
}

/** Resolves after `ms`, or as `abort` does if that is earlier. */
export async function sleep(clock: Pick<Clock, 'after'>, ms: number, abort?: Promise<unknown>) {
  const { promise, resolve } = Promise.withResolvers<void>();
  const cancel = clock.after(ms, resolve);
  await (abort ? Promise.race([promise, abort]).finally(cancel) : promise);
}

/** Resolves when `isDone` holds, or after `maxMs`. */
export async function sleepUntil(
  clock: Pick<Clock, 'after' | 'monotonic'>,
  isDone: () => boolean,
  { everyMs, maxMs }: { readonly everyMs: number; readonly maxMs: number },
): Promise<void> {
  const until = clock.monotonic() + maxMs;
  while (!isDone() && clock.monotonic() < until) await sleep(clock, everyMs);
}

/** A timer with a much longer wait would fire at once. */
const LONGEST_MS = 60 * 60 * 1000;

export class WakeTimer {
  readonly #clock: Pick<Clock, 'after'>;
  readonly #run: () => void;
  #cancel: (() => void) | null = null;
  #ended = false;

  constructor(clock: Pick<Clock, 'after'>, run: () => void) {
    this.#clock = clock;
    this.#run = run;
  }

  /** Runs after `ms`, or after an hour if that is earlier. */
  wakeIn(ms: number): void {
    this.#cancel?.();
    if (!this.#ended) this.#cancel = this.#clock.after(Math.min(ms, LONGEST_MS), this.#run);
  }

  end(): void {
    this.#ended = true;
    this.#cancel?.();
  }
}

/**
 * Serial runs of one piece of work. States: `idle` → `running` ⇄ `requested` → `idle`.
 *
 * 1. Two runs never overlap.
 * 2. Requests during a run cause one more run, which begins after it.
 * 3. A run that fails ends like any other: it hides no request that was made during it.
 */
export class RunAgain {
  readonly #run: () => Promise<void>;
  readonly #onFault: (fault: unknown) => void;
  #state: 'idle' | 'running' | 'requested' = 'idle';

  constructor(run: () => Promise<void>, onFault: (fault: unknown) => void) {
    this.#run = run;
    this.#onFault = onFault;
  }

  get isRunning(): boolean {
    return this.#state !== 'idle';
  }

  /** Resolves when the runs that it began have ended; during another run, at once. */
  async request(): Promise<void> {
    const begins = this.#state === 'idle';
    this.#state = 'requested';
    if (!begins) return;
    while (this.#state === 'requested') {
      this.#state = 'running';
      try {
        await this.#run();
      } catch (fault) {
        this.#onFault(fault);
      }
    }
    this.#state = 'idle';
  }
}

/**
 * Serial runs of one piece of work for which callers wait. A run that began before a call may miss
 * what the call is for: all calls during a run share the next one.
 */
export class SharedRuns {
  readonly #run: () => Promise<void>;
  #last: Promise<void> = Promise.resolve();
  /** Begins when the last one has ended. */
  #next: Promise<void> | null = null;

  constructor(run: () => Promise<void>) {
    this.#run = run;
  }

  /** Resolves, or rejects, as a run does that begins after this call. */
  request(): Promise<void> {
    if (this.#next) return this.#next;
    const begin = () => {
      this.#next = null;
      return this.#run();
    };
    this.#next = this.#last.then(begin, begin);
    this.#last = this.#next;
    return this.#next;
  }
}

export interface Retry {
  /** Asked before each try. */
  readonly mayAct: () => boolean;
  readonly wait: WaitPolicy;
  /** The log line of a failed try, with its fields. */
  readonly failedMessage: string;
  readonly fields?: Readonly<Record<string, unknown>>;
}

/** The work's result; null where this process may not act any more. */
export async function retryWhile<T>(
  { clock, log }: { readonly clock: Pick<Clock, 'after'>; readonly log: Pick<Log, 'warn'> },
  { mayAct, wait, failedMessage, fields }: Retry,
  work: () => Promise<T>,
): Promise<T | null> {
  for (let tries = 0; mayAct(); tries++) {
    try {
      return await work();
    } catch (cause) {
      log.warn({ ...fields, error: describe(cause) }, failedMessage);
    }
    await sleep(clock, delayMs(wait, tries));
  }
  return null;
}

const RETRY = { firstMs: 200 };

export interface RepeatedAsk<Kind extends ActorKind, Sent extends CommandOf<Kind>>
  extends Omit<Retry, 'wait' | 'fields'> {
  readonly wait?: WaitPolicy;
  readonly to: Address<Kind>;
  readonly command: Sent;
}

/** The answer, below 500; null where this process may not act any more. */
export function askUntilAcknowledged<Kind extends ActorKind, Sent extends CommandOf<Kind>>(
  environment: Pick<Environment, 'clock' | 'log'> & { readonly bus: Pick<Bus, 'ask'> },
  { to, command, wait = RETRY, ...retry }: RepeatedAsk<Kind, Sent>,
): Promise<AnswerOf<BodyOf<Kind, Sent['type']>> | null> {
  const fields = { kind: to.kind, key: to.key, command: command.type };
  return retryWhile(environment, { ...retry, wait, fields }, async () => {
    const deadline = environment.clock.now() + ASK_DEADLINE_MS;
    const answer = await environment.bus.ask(to, command, { deadline });
    if (answer.status >= 500) throw new Error(`answered ${answer.status}`);
    return answer;
  });
}
