/** Due timers as they are in the log: read page by page, and put off when they cannot move. */
import type { Document, Filter, FindOptions, Store } from '../../shared/ports.ts';
import { describe } from '../runtime/mailbox.ts';
import type { World } from '../world.ts';
import type { DueEntry } from './timers-in-hand.ts';

const PAGE = 1_000;
const PUT_OFF_FIRST_MS = 1_000;
const PUT_OFF_MAX_MS = 60_000;
const GROWTH = 2;

interface TimedEntry extends Document {
  readonly conversationId: string;
  readonly orgId: string;
  readonly seq: number;
  readonly timer: { readonly at: number };
}

const ORDER: FindOptions = {
  sort: { 'timer.at': 1, _id: 1 },
  project: { conversationId: 1, orgId: 1, seq: 1, 'timer.at': 1 },
};

/**
 * Pages of what the filter finds, oldest first, each after the last of the page before. The filter
 * is asked anew for each page, and may find less.
 */
export async function* readTimers(
  store: Pick<Store, 'find'>,
  filter: () => Filter,
): AsyncGenerator<readonly DueEntry[], undefined> {
  let last: TimedEntry | undefined;
  for (;;) {
    const page: readonly TimedEntry[] = last
      ? await readAfter(store, filter(), last)
      : await store.find<TimedEntry>('entries', filter(), { ...ORDER, limit: PAGE });
    yield page.map(({ conversationId, orgId, seq, timer }) => {
      return { conversationId, orgId, seq, at: timer.at };
    });
    if (page.length < PAGE) return;
    last = page.at(-1);
  }
}

/** A day's runs may all be due at one moment: within it the order goes on by id. */
async function readAfter(
  store: Pick<Store, 'find'>,
  filter: Filter,
  { _id: id, timer: { at } }: TimedEntry,
): Promise<readonly TimedEntry[]> {
  const until = filter['timer.at'];
  const sameTime = { ...filter, 'timer.at': at, _id: { $gt: id } };
  const same = await store.find<TimedEntry>('entries', sameTime, { ...ORDER, limit: PAGE });
  if (same.length === PAGE) return same;
  const later = { ...filter, 'timer.at': { ...Object(until), $gt: at } };
  const more = await store.find<TimedEntry>('entries', later, {
    ...ORDER,
    limit: PAGE - same.length,
  });
  return [...same, ...more];
}

interface Tried extends Document {
  readonly timer?: { readonly at: number; readonly tries?: number };
}

/**
 * Puts a timer off that could not move: out of the way of the others in the store, whoever owns it.
 * Where the store cannot say, the next reading finds it as it was.
 */
export async function putOff(
  { store, clock, log }: Pick<World, 'store' | 'clock' | 'log'>,
  { conversationId, seq, at }: DueEntry,
): Promise<void> {
  try {
    const place = { conversationId, seq };
    const tried = await store.findOne<Tried>('entries', place, { project: { timer: 1 } });
    if (tried?.timer?.at !== at) return;
    const tries = tried.timer.tries ?? 0;
    const waitMs = Math.min(PUT_OFF_FIRST_MS * GROWTH ** Math.min(tries, 20), PUT_OFF_MAX_MS);
    await store.commit([
      {
        update: 'entries',
        filter: { ...place, 'timer.at': at },
        change: { $set: { 'timer.at': clock.now() + waitMs }, $inc: { 'timer.tries': 1 } },
      },
    ]);
  } catch (cause) {
    log.warn({ conversationId, error: describe(cause) }, 'timer of a flow was not put off');
  }
}
