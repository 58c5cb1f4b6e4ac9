/**
 * Entries of a conversation in the order in which its history is read: newest first
 * (`domain/conversation/history-order.ts`).
 *
 * 1. A log is two lists: its entries in the order of their arrival, and those with a place of their
 *    own. All lists of all logs are merged by time, the newest first.
 * 2. A list ends at a `seq` of its log: what follows it is not read, and an entry that got its place
 *    later stands where it was. So a page is of one moment.
 */
import { PAGE_LIMIT_MAX } from '../../../shared/limits.ts';
import type { ConversationState } from '../../domain/conversation/conversation.ts';
import { historyTime } from '../../domain/conversation/history-order.ts';
import type { Filter, Store } from '../../model/collections.ts';
import type { EntryDocument } from '../../model/conversation.ts';

export interface Reading {
  /** The entries that are read. */
  readonly shown: Filter<'entries'>;
  /** Number of entries of a single log that are passed by the store. */
  readonly passed: number;
  /** Number of entries that may be used. */
  readonly wanted: number;
}

/** A log up to an entry. */
interface Log {
  readonly conversationId: string;
  readonly end: number;
}

/** An entry in a list: the greater time is newer, then the greater `seq`. */
export interface Listed {
  readonly id: string;
  readonly at: number;
  readonly seq: number;
}

export async function* newestFirst(
  store: Store,
  { id, seq, joined = [] }: Pick<ConversationState, 'id' | 'seq' | 'joined'>,
  reading: Reading,
): AsyncGenerator<Listed> {
  const others = await Promise.all(joined.map((each) => logOf(store, each)));
  const own = { conversationId: id, end: seq };
  const lists = [own, ...others].flatMap((log) => [
    byArrival(store, log, reading),
    byPlace(store, log, reading),
  ]);
  yield* mergeNewest(lists);
}

/** A joined log grows no more but by the ends of its scheduled messages. */
async function logOf(store: Store, conversationId: string): Promise<Log> {
  const newest = { sort: { seq: -1 }, project: { seq: 1 } } as const;
  const last = await store.findOne('entries', { conversationId }, newest);
  return { conversationId, end: last?.seq ?? 0 };
}

const ARRIVAL_INDEX = { conversationId: 1, seq: -1 } as const;

type Arrived = Pick<EntryDocument, '_id' | 'seq' | 'message' | 'after'>;

async function* byArrival(
  store: Store,
  { conversationId, end }: Log,
  { shown, passed, wanted }: Reading,
): AsyncGenerator<Listed> {
  const limit = Math.min(PAGE_LIMIT_MAX, wanted);
  const elsewhere = { 'ownPlace.seq': { $not: { $lte: end } } };
  let before: Filter<'entries'> = { seq: { $lte: end } };
  let skip = passed;
  for (;;) {
    const page: readonly Arrived[] = await store.find(
      'entries',
      { conversationId, ...before, ...elsewhere, ...shown },
      {
        ...{ sort: { seq: -1 }, skip, limit, index: ARRIVAL_INDEX },
        project: { seq: 1, message: 1, after: 1 },
      },
    );
    for (const { _id, seq, message, after } of page) {
      // An earlier version did not record the time of a note in the state.
      yield { id: _id, at: Math.max(historyTime(after), message?.createdAt ?? 0), seq };
    }
    const last = page.at(-1);
    if (!last || page.length < limit) return;
    before = { seq: { $lt: last.seq } };
    skip = 0;
  }
}

const PLACE_INDEX = { conversationId: 1, 'ownPlace.at': -1, 'ownPlace.seq': -1 } as const;

type Placed = Pick<EntryDocument, '_id' | 'ownPlace'>;

async function* byPlace(
  store: Store,
  { conversationId, end }: Log,
  { shown, wanted }: Reading,
): AsyncGenerator<Listed> {
  const limit = Math.min(PAGE_LIMIT_MAX, wanted);
  for (let skip = 0; ; skip += limit) {
    const page: readonly Placed[] = await store.find(
      'entries',
      { conversationId, ownPlace: { $exists: true }, 'ownPlace.seq': { $lte: end }, ...shown },
      {
        ...{ sort: { 'ownPlace.at': -1, 'ownPlace.seq': -1 }, skip, limit, index: PLACE_INDEX },
        project: { ownPlace: 1 },
      },
    );
    for (const { _id: id, ownPlace } of page) if (ownPlace) yield { id, ...ownPlace };
    if (page.length < limit) return;
  }
}

/** Merges lists, each newest first; of equals, that of the first list is newer. */
export async function* mergeNewest(
  lists: readonly AsyncIterator<Listed>[],
): AsyncGenerator<Listed> {
  const heads = await Promise.all(lists.map((list) => list.next()));
  for (;;) {
    let newest: { readonly entry: Listed; readonly list: number } | null = null;
    for (const [list, head] of heads.entries()) {
      if (head.done === true) continue;
      if (newest === null || isNewer(head.value, newest.entry))
        newest = { entry: head.value, list };
    }
    const list = newest && lists[newest.list];
    if (!newest || !list) return;
    yield newest.entry;
    heads[newest.list] = await list.next();
  }
}

function isNewer(a: Listed, b: Listed): boolean {
  return a.at > b.at || (a.at === b.at && a.seq > b.seq);
}

const MESSAGES: Filter<'entries'> = {
  message: { $exists: true },
  'message.direction': { $ne: 'note' },
};

/**
 * The message that the history shows first, without its notes; null where it has none. The whole log
 * is read: a snapshot that a crash has left stale hides no message.
 */
export async function newestMessageId(
  store: Store,
  { id, joined = [] }: Pick<ConversationState, 'id' | 'joined'>,
): Promise<string | null> {
  const whole = { id, joined, seq: Number.MAX_SAFE_INTEGER };
  const newest = newestFirst(store, whole, { shown: MESSAGES, passed: 0, wanted: 1 });
  const first = await newest.next();
  await newest.return(undefined);
  return first.done === true ? null : first.value.id;
}
