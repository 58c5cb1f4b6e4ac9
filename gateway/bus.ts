/**
 * Bus of the gateway: a placeholder until the real one is connected, and load shedding. A call that
 * would wait too long is refused at once, before its body is read or an ask is sent (D78).
 *
 * 1. By Little's law the wait of one more ask is the number of open asks divided by the rate of
 *    answers. The bound on that wait is shorter than the pause before an ask is repeated. So
 *    overload creates no further load.
 * 2. `OPEN_ASKS_ALWAYS` asks may always be open. A burst on an idle service, or an owner's pause,
 *    sheds no call.
 * 3. Networks are refused last, because a webhook reports work that was already accepted. Calls
 *    without a key are refused first.
 * 4. At most `OPEN_ASKS_MAX` asks are open, so memory is bounded at any rate of answers.
 */
import {
  ASK_DEADLINE_MS,
  OPEN_ASKS_ALWAYS,
  OPEN_ASKS_MAX,
  SHED_WAIT_MS,
} from '../shared/limits.ts';
import type { Bus } from '../shared/ports/bus.ts';
import type { Clock } from '../shared/ports/clock.ts';

const WINDOW_MS = 250;
const SHARES = { open: 0.5, api: 1, mcp: 1, network: 2 } as const;
/** Weight of a new window in the moving average. */
const WEIGHT = 0.5;

/** How many asks may be open while so many are answered a second. */
export function openAsksAllowed(answeredPerSecond: number): number {
  const capacity = Math.floor((answeredPerSecond * SHED_WAIT_MS) / 1_000);
  return Math.min(OPEN_ASKS_MAX, Math.max(OPEN_ASKS_ALWAYS, capacity));
}

export class LoadShedder {
  readonly #clock: Clock;
  /** Asks that are answered as soon as there is room. */
  #open = 0;
  /** Asks that are slow by nature (a download): they indicate no queue. */
  #slow = 0;
  #answered = 0;
  #windowStart: number;
  #perSecond = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#windowStart = clock.monotonic();
  }

  /** Whether the next caller at that entrance is to be refused. */
  isOverloaded(entrance: keyof typeof SHARES): boolean {
    this.#updateRate();
    const share = SHARES[entrance];
    const allowed = openAsksAllowed(this.#perSecond) * share;
    return this.#open >= allowed || this.#open + this.#slow >= OPEN_ASKS_MAX * share;
  }

  async track<Answer>(deadline: number, asked: () => Promise<Answer>): Promise<Answer> {
    const slow = deadline - this.#clock.now() > ASK_DEADLINE_MS;
    if (slow) this.#slow += 1;
    else this.#open += 1;
    try {
      const answer = await asked();
      if (!slow) this.#answered += 1;
      return answer;
    } finally {
      if (slow) this.#slow -= 1;
      else this.#open -= 1;
    }
  }

  #updateRate(): void {
    const now = this.#clock.monotonic();
    const elapsedMs = now - this.#windowStart;
    if (elapsedMs < WINDOW_MS) return;
    const perSecond = (this.#answered * 1_000) / elapsedMs;
    this.#perSecond += WEIGHT * (perSecond - this.#perSecond);
    this.#answered = 0;
    this.#windowStart = now;
  }
}

/** The bus, with everything asked over it counted. */
export function trackedBus(bus: Bus, loadShedder: LoadShedder): Bus {
  return {
    ask: (address, command, options) =>
      loadShedder.track(options.deadline, () => bus.ask(address, command, options)),
    query: (resource, payload, options) =>
      loadShedder.track(options.deadline, () => bus.query(resource, payload, options)),
    nudge: (address, payload) => bus.nudge(address, payload),
    connected: () => bus.connected(),
  };
}

interface RealBus extends Bus {
  close(): Promise<void>;
}

/** Placeholder of the bus until the real one is connected. */
export class LazyBus implements Bus {
  #real: RealBus | null = null;

  connect(real: RealBus): void {
    this.#real = real;
  }

  readonly ask: Bus['ask'] = (...call) => this.#requireConnected().ask(...call);
  readonly query: Bus['query'] = (...call) => this.#requireConnected().query(...call);
  readonly nudge: Bus['nudge'] = (...call) => this.#real?.nudge(...call);

  connected(): boolean {
    return this.#real?.connected() ?? false;
  }

  async close(): Promise<void> {
    await this.#real?.close();
  }

  #requireConnected(): RealBus {
    if (!this.#real) throw new Error('the bus is not connected yet');
    return this.#real;
  }
}
