/**
 * Numbers that a network does not serve for a while: it says so itself, cannot be reached, is
 * behind a proxy that answers everything with an error, or works as another number.
 */

import { networkFault, serverFault } from '../../../../shared/network-fault.ts';
import type { SendOutcome, SentLookup } from '../../../../shared/ports/network.ts';
import type { Readiness } from '../../../../shared/ports/network-event.ts';
import type { Scheduler } from '../world/scheduler.ts';

const DISCONNECTED = 'O número está desconectado.';
const OTHER_NUMBER = {
  ready: false,
  reason: 'A sessão está conectada a outro número.',
  otherNumber: true,
} as const;
/** Nobody knows what is behind it. */
const PROXIED = { cause: 'status 502', fault: serverFault(502) };
const UNREACHABLE = { cause: 'ECONNREFUSED', fault: networkFault('refused') };

export class Outages {
  readonly #scheduler: Scheduler;
  readonly #turnedAwayUntil = new Map<string, number>();
  readonly #unreachableUntil = new Map<string, number>();
  readonly #proxiedUntil = new Map<string, number>();
  readonly #otherNumberUntil = new Map<string, number>();

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

  /** A proxy answers 502 to all that is asked of a channel's bridge for a while. */
  proxy(channelId: string, ms: number): void {
    this.#proxiedUntil.set(channelId, this.#scheduler.now + ms);
  }

  /** Another phone is connected to the channel's session for a while. */
  reconnect(channelId: string, ms: number): void {
    this.#otherNumberUntil.set(channelId, this.#scheduler.now + ms);
  }

  isOtherNumber(channelId: string): boolean {
    return this.#lasts(this.#otherNumberUntil, channelId);
  }

  heal(): void {
    this.#turnedAwayUntil.clear();
    this.#unreachableUntil.clear();
    this.#proxiedUntil.clear();
    this.#otherNumberUntil.clear();
  }

  status(channelId: string): Readiness {
    if (this.#lasts(this.#unreachableUntil, channelId)) return { ready: 'unknown', ...UNREACHABLE };
    if (this.#lasts(this.#proxiedUntil, channelId)) return { ready: 'unknown', ...PROXIED };
    if (this.isOtherNumber(channelId)) return OTHER_NUMBER;
    const isAway = this.#lasts(this.#turnedAwayUntil, channelId);
    return isAway ? { ready: false, reason: DISCONNECTED } : { ready: true };
  }

  /** The outcome of a send; null: the network serves the channel. */
  ofSend(channelId: string): SendOutcome | null {
    if (this.#lasts(this.#unreachableUntil, channelId)) {
      return { outcome: 'later', waitMs: 1_000, scope: 'number', ...UNREACHABLE };
    }
    if (this.#lasts(this.#proxiedUntil, channelId)) return { outcome: 'unknown', ...PROXIED };
    if (!this.#lasts(this.#turnedAwayUntil, channelId)) return null;
    return { outcome: 'later', waitMs: 1_000, scope: 'account', channelReason: DISCONNECTED };
  }

  /** The answer to a look-up; null: the network has one. */
  ofLookup(channelId: string): SentLookup | null {
    if (this.isOtherNumber(channelId)) return { found: 'unknown', cause: OTHER_NUMBER.reason };
    const isProxied = this.#lasts(this.#proxiedUntil, channelId);
    return isProxied ? { found: 'unknown', cause: PROXIED.cause } : null;
  }

  #lasts(until: ReadonlyMap<string, number>, channelId: string): boolean {
    return (until.get(channelId) ?? 0) > this.#scheduler.now;
  }
}
