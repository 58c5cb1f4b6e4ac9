/**
 * Election of the tab that holds the event stream, by heartbeats between tabs. It needs no locks,
 * which browsers withhold over plain HTTP. Two leaders for a moment do no harm.
 *
 * 1. A tab that has heard no beat for `SILENCE_MS` claims the lead.
 * 2. The newest claim wins: an earlier leader steps down when it hears one.
 * 3. Of two beats by leaders the one with the smaller id wins.
 */

export const BEAT_MS = 2_000;
const SILENCE_MS = 5_000;

export interface Tab {
  readonly id: string;
  readonly leads: boolean;
  /** Epoch milliseconds of the last sign of a leader. */
  readonly heardAt: number;
}

export type Signal =
  | { readonly type: 'beat'; readonly from: string }
  | { readonly type: 'claim'; readonly from: string }
  /** The leader's tab closes. */
  | { readonly type: 'leave'; readonly from: string };

/** The tab after a signal of another one. */
export function heard(tab: Tab, { type, from }: Signal, at: number): Tab {
  if (from === tab.id) return tab;
  if (type === 'leave') return { ...tab, heardAt: 0 };
  if (type === 'claim') return { ...tab, leads: false, heardAt: at };
  return { ...tab, leads: tab.leads && tab.id < from, heardAt: at };
}

/** The tab after a tick of its clock, and the signal that it sends. */
export function ticked(tab: Tab, at: number): { readonly tab: Tab; readonly send: Signal | null } {
  if (tab.leads) return { tab: { ...tab, heardAt: at }, send: { type: 'beat', from: tab.id } };
  if (at - tab.heardAt < SILENCE_MS) return { tab, send: null };
  return { tab: { ...tab, leads: true, heardAt: at }, send: { type: 'claim', from: tab.id } };
}
