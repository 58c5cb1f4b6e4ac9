/** Timers of flows in the store: the read of due ones, and the backoff of one that failed. */
import type { Document } from '../../../shared/ports/store.ts';
import type { Environment } from '../../environment.ts';
import type { Filter, Store } from '../../model/collections.ts';
import { describe } from '../../runtime/describe-fault.ts';
import { pagesOf } from '../../runtime/pages.ts';
import { delayMs } from '../../runtime/repeat.ts';

export interface DueEntry {
  readonly entryId: string;
  readonly conversationId: string;
  readonly orgId: string;
  readonly seq: number;
  /** Epoch milliseconds. */
  readonly at: number;
}

const PAGE = 1_000;
const BACKOFF = { firstMs: 1_000, growth: 2, maxMs: 60_000 };

export interface TimedEntry extends Document {
  readonly conversationId: string;
  readonly orgId: string;
  readonly seq: number;
  readonly timer?: { readonly at: number };
}

/** Pages of the timers that match the filter, oldest first. */
export function readTimers(store: Pick<Store, 'find'>, filter: () => Filter<'entries'>) {
  return pagesOf(store, {
    collection: 'entries',
    filter,
    by: { path: 'timer.at', of: ({ timer }) => timer?.at },
    size: PAGE,
    index: { 'timer.partition': 1, 'timer.at': 1, _id: 1, 'timer.orgId': 1, 'timer.place': 1 },
    project: { conversationId: 1, orgId: 1, seq: 1, 'timer.at': 1 },
  });
}

/**
 * Backs off a timer whose run could not advance. The store keeps its new time, so that it blocks no
 * other, whatever process owns it. If the store fails, the next read finds the timer unchanged.
 */
export async function backOffTimer(
  { store, clock, log }: Pick<Environment, 'store' | 'clock' | 'log'>,
  { conversationId, seq, at }: DueEntry,
): Promise<void> {
  try {
    const entryKey = { conversationId, seq };
    const tried = await store.findOne('entries', entryKey, { project: { timer: 1 } });
    if (tried?.timer?.at !== at) return;
    const next = clock.now() + delayMs(BACKOFF, tried.timer.tries ?? 0);
    const filter = { ...entryKey, 'timer.at': at };
    const change = { $set: { 'timer.at': next }, $inc: { 'timer.tries': 1 } };
    await store.commit([{ update: 'entries', filter, change }]);
  } catch (cause) {
    log.warn({ conversationId, error: describe(cause) }, 'backoff of a flow timer failed');
  }
}
