/**
 * History of joined conversations: several logs, merged by the time of their messages. Each log
 * keeps its own order (D142). A later page costs more time, unlike a single log's, but never more
 * memory.
 */
import { PAGE_LIMIT_MAX } from '../../../shared/limits.ts';
import type { SizedDocument } from '../../../shared/ports/sized-document.ts';
import type { ListMessages } from '../../../shared/wire/queries.ts';
import type { Filter, Store } from '../../model/collections.ts';
import type { EntryDocument } from '../../model/conversation.ts';
import { skipOf } from './answer.ts';
import { rowsOf } from './parts.ts';

/**
 * One page, newest first.
 * @param logs filter of each log's entries
 */
export async function readJoined(
  store: Store,
  logs: readonly Filter<'entries'>[],
  { shown, query }: { readonly shown: Filter<'entries'>; readonly query: ListMessages },
): Promise<readonly SizedDocument<EntryDocument>[]> {
  const ids: string[] = [];
  let skip = skipOf(query);
  for await (const { id } of mergeNewest(logs.map((log) => newestFirst(store, log, shown)))) {
    if (skip-- > 0) continue;
    ids.push(id);
    if (ids.length === query.limit) break;
  }
  return rowsOf(store, 'entries', ids);
}

type Shown = Pick<EntryDocument, '_id' | 'seq' | 'message'>;

interface TimedEntry {
  readonly id: string;
  readonly at: number;
}

async function* newestFirst(
  store: Store,
  log: Filter<'entries'>,
  shown: Filter<'entries'>,
): AsyncGenerator<TimedEntry> {
  let before: Filter<'entries'> = {};
  for (;;) {
    const page: readonly Shown[] = await store.find(
      'entries',
      { ...log, ...before, ...shown },
      { sort: { seq: -1 }, limit: PAGE_LIMIT_MAX, project: { seq: 1, message: 1 } },
    );
    for (const { _id, message } of page) yield { id: _id, at: message?.createdAt ?? 0 };
    const last = page.at(-1);
    if (!last || page.length < PAGE_LIMIT_MAX) return;
    before = { seq: { $lt: last.seq } };
  }
}

/** K-way merge: yields the newest of the logs' next entries. */
async function* mergeNewest(
  logs: readonly AsyncIterator<TimedEntry>[],
): AsyncGenerator<TimedEntry> {
  const heads = await Promise.all(logs.map((log) => log.next()));
  for (;;) {
    let newest: { readonly entry: TimedEntry; readonly log: number } | null = null;
    for (const [log, head] of heads.entries()) {
      if (head.done === true) continue;
      if (newest === null || head.value.at > newest.entry.at) newest = { entry: head.value, log };
    }
    const log = newest && logs[newest.log];
    if (!newest || !log) return;
    yield newest.entry;
    heads[newest.log] = await log.next();
  }
}
