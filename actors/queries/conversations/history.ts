/**
 * Pages of a history that is not one log in its own order: conversations were joined, or entries
 * have places of their own (`domain/conversation/history-order.ts`).
 *
 * 1. A log is two lists: its entries in the order of their arrival, and those with a place of their
 *    own. All lists of all logs are merged by time, the newest first.
 * 2. A list ends at a `seq` of its log: what follows it is not read, and an entry that got its place
 *    later stands where it was. So a page is of one moment.
 * 3. A later page costs more time, never more memory. Of a single log, entries that certainly
 *    precede the page are passed by the store.
 */
import { PAGE_LIMIT_MAX } from '../../../shared/limits.ts';
import type { SizedDocument } from '../../../shared/ports/sized-document.ts';
import type { ListMessages } from '../../../shared/wire/queries.ts';
import type { ConversationState } from '../../domain/conversation/conversation.ts';
import { historyTime } from '../../domain/conversation/history-order.ts';
import type { Filter, Store } from '../../model/collections.ts';
import type { EntryDocument } from '../../model/conversation.ts';
import { skipOf } from '../lists/answer.ts';
import { rowsOf } from '../lists/parts.ts';

interface Asked {
  /** The entries that are shown. */
  readonly shown: Filter<'entries'>;
  readonly query: ListMessages;
}

/** A log up to an entry. */
interface Log {
  readonly conversationId: string;
  readonly end: number;
}

/** One page, newest first. */
export async function readHistory(
  store: Store,
  { id, seq, joined = [], ownPlaces = 0 }: ConversationState,
  { shown, query }: Asked,
): Promise<readonly SizedDocument<EntryDocument>[]> {
  const others = await Promise.all(joined.map((each) => logOf(store, each)));
  const own = { conversationId: id, end: seq };
  const skip = skipOf(query);
  // At most `ownPlaces` of the entries before the page are none of the log's own order.
  const passed = others.length > 0 ? 0 : Math.max(0, skip - ownPlaces);
  const wanted = skip - passed + query.limit;
  const lists = [own, ...others].flatMap((log) => [
    byArrival(store, log, { shown, passed, wanted }),
    byPlace(store, log, { shown, passed: 0, wanted }),
  ]);
  const ids: string[] = [];
  let before = skip - passed;
  for await (const { id: entryId } of mergeNewest(lists)) {
    if (before-- > 0) continue;
    ids.push(entryId);
    if (ids.length === query.limit) break;
  }
  return rowsOf(store, 'entries', ids);
}

/** A joined log grows no more but by the ends of its scheduled messages. */
async function logOf(store: Store, conversationId: string): Promise<Log> {
  const newest = { sort: { seq: -1 }, project: { seq: 1 } } as const;
  const last = await store.findOne('entries', { conversationId }, newest);
  return { conversationId, end: last?.seq ?? 0 };
}

/** An entry in a list: the greater time is newer, then the greater `seq`. */
export interface Listed {
  readonly id: string;
  readonly at: number;
  readonly seq: number;
}

interface Reading {
  readonly shown: Filter<'entries'>;
  /** Number of entries to be passed. */
  readonly passed: number;
  /** Number of entries that may be used. */
  readonly wanted: number;
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
