/**
 * Whom the number of a session may write to: the network may forbid it to begin conversations for
 * a while. The contacts who wrote stay within reach.
 */
import type { JsonRecord } from '../../../adapters/network/webhook-body.ts';
import { dropOldest } from './session-messages.ts';

const RETAINED_PEOPLE = 20_000;

export interface BridgeRestriction {
  /** Epoch milliseconds; null without a known end. */
  readonly until: number | null;
  readonly enforcementType: string;
  /** Whether the session reports it. */
  readonly told: boolean;
}

export class Reach {
  /** The last one, which may have ended. */
  restriction: BridgeRestriction | null = null;
  #cancelEnd: () => void = () => undefined;
  readonly #wrote = new Set<string>();

  /** The contact wrote: a chat that is not cold any more. */
  recordContact(person: string): void {
    this.#wrote.add(person);
    dropOldest(this.#wrote, RETAINED_PEOPLE);
  }

  hasContact(person: string): boolean {
    return this.#wrote.has(person);
  }

  /** `cancel` of the timer that reports the end of the restriction; one runs at most. */
  awaitEnd(cancel: () => void): void {
    this.#cancelEnd();
    this.#cancelEnd = cancel;
  }

  restrictedAt(now: number): BridgeRestriction | null {
    const until = this.restriction?.until;
    if (typeof until === 'number' && until <= now) return null;
    return this.restriction;
  }

  /** As a session that reports it shows it; null where none was ever reported. */
  timelock(now: number): JsonRecord | null {
    const { restriction } = this;
    if (restriction === null || !restriction.told) return null;
    const { until, enforcementType } = restriction;
    const isActive = this.restrictedAt(now) !== null;
    const timeEnforcementEnds = until === null ? null : Math.floor(until / 1000);
    return { enforcementType, isActive, timeEnforcementEnds };
  }
}
