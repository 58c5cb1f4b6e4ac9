/**
 * Acts of a bridge of its own accord. It restricts a number to contacts who have written, and
 * reports so or not. After a restart it reports messages sent through it as if typed on the phone.
 */
import type { SendOutcome } from '../../../../shared/ports/network.ts';
import type { NetworkEvent, Restriction } from '../../../../shared/ports/network-event.ts';
import { CLOCK_OFF_MAX_MS } from '../world/clock-jumps.ts';
import type { FaultInjector } from '../world/fault-injector.ts';
import { EPOCH_MS } from '../world/machine.ts';
import type { Scheduler } from '../world/scheduler.ts';

const RESTRICTED_CODE = '463';
const ECHO_AFTER_MS = 300;
/**
 * The reported end is later than the real one: at the reported end, on any clock, no send is
 * refused.
 */
const REPORTED_LATER_MS = 6_000;

/** The parts of a transmission that it needs; `restricted` is noted on it. */
interface Sent {
  restricted: boolean;
  readonly channelId: string;
  readonly to: string;
  readonly text: string;
}

interface BridgeParts {
  readonly scheduler: Scheduler;
  readonly faults: FaultInjector;
  readonly hasClockJumps: boolean;
}

export class BridgeBehaviour {
  readonly #scheduler: Scheduler;
  readonly #faults: FaultInjector;
  readonly #reportedLaterMs: number;
  /** By channel, virtual milliseconds. */
  readonly #restrictedUntil = new Map<string, number>();
  /** The author, as `channel phone`. */
  readonly #wrote = new Set<string>();

  constructor({ scheduler, faults, hasClockJumps }: BridgeParts) {
    this.#scheduler = scheduler;
    this.#faults = faults;
    this.#reportedLaterMs = hasClockJumps
      ? CLOCK_OFF_MAX_MS + REPORTED_LATER_MS
      : REPORTED_LATER_MS;
  }

  /** Until then only contacts who wrote are reached. */
  restrict(channelId: string, ms: number): NetworkEvent {
    const until = this.#scheduler.now + ms;
    this.#restrictedUntil.set(channelId, until);
    return { type: 'restriction', restriction: this.#reported(until) };
  }

  observe(channelId: string, events: readonly NetworkEvent[]): void {
    for (const event of events) {
      if (event.type === 'message') this.#wrote.add(`${channelId} ${event.phone}`);
    }
  }

  /** Null for who may be written to. */
  refusal(transmission: Sent): SendOutcome | null {
    const { channelId, to } = transmission;
    const until = this.#restrictedUntil.get(channelId) ?? 0;
    if (until <= this.#scheduler.now || this.#wrote.has(`${channelId} ${to}`)) return null;
    transmission.restricted = true;
    const reason = 'O número não pode iniciar conversas.';
    return {
      outcome: 'refused',
      code: RESTRICTED_CODE,
      reason,
      restriction: this.#reported(until),
    };
  }

  /** The message as it is told by a bridge that has forgotten where it came from. */
  forget(
    { to, text }: Sent,
    externalId: string,
    report: (events: readonly NetworkEvent[]) => void,
  ): void {
    if (!this.#faults.injects('bridge-forgets', 0.3)) return;
    this.#scheduler.after(this.#faults.random.around(ECHO_AFTER_MS), () => {
      const at = Math.floor(EPOCH_MS + this.#scheduler.now);
      const who = { phone: to, networkId: to };
      report([{ type: 'echo', externalId, ...who, at, kind: 'text', text }]);
    });
  }

  #reported(until: number): Restriction {
    return { until: Math.ceil(EPOCH_MS + until + this.#reportedLaterMs) };
  }

  heal(): void {
    this.#restrictedUntil.clear();
  }
}
