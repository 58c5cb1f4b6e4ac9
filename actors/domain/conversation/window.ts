/**
 * The window in which a `cloud` contact may be written to freely (C2.3), by the network's clock.
 *
 * 1. The contact's messages and calls open it; each sets its end anew. Echoes, receipts, edits,
 *    deletions and templates do not (D289).
 * 2. Of a reaction the network is the judge, and so it is of a number that the contact has left.
 *    For as long as a window the state is `undecided`, and nothing is refused beforehand.
 */
import { WINDOW_MS } from '../../../shared/limits.ts';

/** The part of a conversation's state that the window rests on. */
export interface WindowFacts {
  /** Time of the contact's latest message by our clock; absent before the first. */
  readonly lastInboundAt?: number;
  /**
   * The network's time of the contact's latest message or call, in milliseconds of a whole second;
   * 0 for none. Absent where an earlier version wrote the state, or before the first event.
   */
  readonly windowFrom?: number;
  /** The same of the latest event of which only the network knows whether it opened the window. */
  readonly undecidedFrom?: number;
}

export type Window = 'open' | 'closed' | 'undecided';

/** Epoch milliseconds from which the window is closed; null: it was never open. */
export function windowExpiresAt(facts: WindowFacts): number | null {
  const from = openedAt(facts);
  return from === 0 ? null : from + WINDOW_MS;
}

export function windowOf(facts: WindowFacts, now: number): Window {
  if (now < openedAt(facts) + WINDOW_MS) return 'open';
  return now < (facts.undecidedFrom ?? 0) + WINDOW_MS ? 'undecided' : 'closed';
}

/** The verdict on a message that says what is to happen outside of the window. */
export function judgeWindow(
  facts: WindowFacts,
  message: { readonly outsideWindow?: 'send' | 'refuse'; readonly hasFallback: boolean },
  now: number,
): 'send' | 'refuse' | 'replace' {
  if (windowOf(facts, now) !== 'closed') return 'send';
  if (message.hasFallback) return 'replace';
  return message.outsideWindow === 'refuse' ? 'refuse' : 'send';
}

/** The facts after a message or a call of the contact. `at`: the network's time of it. */
export function openWindow(facts: WindowFacts, at: number): WindowFacts {
  return { windowFrom: Math.max(openedAt(facts), wholeSecond(at)) };
}

/** The facts after an event of the contact of which the network is the judge. */
export function leaveUndecided(facts: WindowFacts, at: number): WindowFacts {
  const undecidedFrom = Math.max(facts.undecidedFrom ?? 0, wholeSecond(at));
  return { windowFrom: openedAt(facts), undecidedFrom };
}

/** The contact has another number: the network alone knows of the window there. */
export function leaveNumber(facts: WindowFacts): WindowFacts {
  const undecidedFrom = Math.max(facts.undecidedFrom ?? 0, openedAt(facts));
  return undecidedFrom === 0 ? {} : { windowFrom: 0, undecidedFrom };
}

/** The later of both, for a conversation that another one has joined. */
export function laterWindow(one: WindowFacts, other: WindowFacts): WindowFacts {
  const undecidedFrom = Math.max(one.undecidedFrom ?? 0, other.undecidedFrom ?? 0);
  const windowFrom = Math.max(openedAt(one), openedAt(other));
  const isKnown = (one.windowFrom ?? other.windowFrom) !== undefined || windowFrom > 0;
  return {
    ...(isKnown ? { windowFrom } : {}),
    ...(undecidedFrom > 0 ? { undecidedFrom } : {}),
  };
}

function openedAt({ windowFrom, lastInboundAt = 0 }: WindowFacts): number {
  return windowFrom ?? wholeSecond(lastInboundAt);
}

function wholeSecond(at: number): number {
  return Math.floor(at / 1000) * 1000;
}
