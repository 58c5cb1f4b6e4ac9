/** Numbers that a network does not serve for a while: it says so itself, or cannot be reached. */

import { networkFault } from '../../../../shared/network-fault.ts';
import type { SendOutcome } from '../../../../shared/ports/network.ts';
import type { Readiness } from '../../../../shared/ports/network-event.ts';
import type { Scheduler } from '../world/scheduler.ts';

const DISCONNECTED = 'O número está desconectado.';
const UNREACHABLE = { cause: 'ECONNREFUSED', fault: networkFault('refused') };

export class Outages {
  readonly #scheduler: Scheduler;
  readonly #turnedAwayUntil = new Map<string, number>();
  readonly #unreachableUntil = new Map<string, number>();

  constructor(scheduler: Scheduler) {
    this.#scheduler = scheduler;
  }

  /** The network stops taking a channel's messages for a while. */
  turnAway(channelId: string, ms: number): void {
    this.#turnedAwayUntil.set(channelId, this.#scheduler.now + ms);
  }

  /** Nothing reaches the network of a channel for a while. */
  cutOff(channelId: string, ms: number): void {
    this.#unreachableUntil.set(channelId, this.#scheduler.now + ms);
  }

  heal(): void {
    this.#turnedAwayUntil.clear();
    this.#unreachableUntil.clear();
  }

  status(channelId: string): Readiness {
    if (this.#lasts(this.#unreachableUntil, channelId)) return { ready: 'unknown', ...UNREACHABLE };
    const isAway = this.#lasts(this.#turnedAwayUntil, channelId);
    return isAway ? { ready: false, reason: DISCONNECTED } : { ready: true };
  }

  /** The outcome of a send; null: the network serves the channel. */
  ofSend(channelId: string): SendOutcome | null {
    if (this.#lasts(this.#unreachableUntil, channelId)) {
      return { outcome: 'later', waitMs: 1_000, scope: 'number', ...UNREACHABLE };
    }
    if (!this.#lasts(this.#turnedAwayUntil, channelId)) return null;
    return { outcome: 'later', waitMs: 1_000, scope: 'account', channelReason: DISCONNECTED };
  }

  #lasts(until: ReadonlyMap<string, number>, channelId: string): boolean {
    return (until.get(channelId) ?? 0) > this.#scheduler.now;
  }
}
