/**
 * Admission of calls: is the key good, is there room (C5, C8, D34: rate
 * window).
 *
 * 1. Fixed windows of 60 s that open with the first call; only a call that is let in counts.
 * 2. A call counts against its key and its organization both, or against neither.
 */
import type { Rate } from '../../shared/caller.ts';
import { RATE_WINDOW_MS } from '../../shared/limits.ts';

export interface Window {
  /** Epoch milliseconds. */
  readonly openedAt: number;
  readonly calls: number;
}

export interface RoomDecision {
  readonly admitted: boolean;
  readonly key: Window;
  readonly org: Window;
  readonly rates: { readonly key: Rate; readonly org: Rate };
  /** Whole seconds until the fuller window closes; set when not admitted. */
  readonly retryAfterSeconds?: number;
}

export interface Room {
  readonly key: Window | undefined;
  readonly org: Window | undefined;
  readonly keyLimit: number;
  readonly orgLimit: number;
}

export function decideRoom(room: Room, now: number): RoomDecision {
  const key = current(room.key, now);
  const org = current(room.org, now);
  const keyFull = key.calls >= room.keyLimit;
  const orgFull = org.calls >= room.orgLimit;
  const admitted = !keyFull && !orgFull;
  const counted = admitted ? 1 : 0;
  const after = {
    key: { ...key, calls: key.calls + counted },
    org: { ...org, calls: org.calls + counted },
  };
  const rates = {
    key: rateOf(after.key, room.keyLimit, now),
    org: rateOf(after.org, room.orgLimit, now),
  };
  if (admitted) return { admitted, ...after, rates };
  const retryAfterSeconds = Math.max(
    keyFull ? rates.key.resetSeconds : 1,
    orgFull ? rates.org.resetSeconds : 1,
  );
  return { admitted, ...after, rates, retryAfterSeconds };
}

function current(window: Window | undefined, now: number): Window {
  // A clock that went back must not keep a window open for longer than its length.
  if (!window || Math.abs(now - window.openedAt) >= RATE_WINDOW_MS) {
    return { openedAt: now, calls: 0 };
  }
  // The owner before may have been ahead: its calls count all the same.
  return now < window.openedAt ? { ...window, openedAt: now } : window;
}

function rateOf(window: Window, limit: number, now: number): Rate {
  const resetSeconds = Math.ceil((window.openedAt + RATE_WINDOW_MS - now) / 1000);
  return {
    limit,
    remaining: Math.max(0, limit - window.calls),
    resetSeconds: Math.max(1, resetSeconds),
  };
}
