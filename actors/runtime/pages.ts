/**
 * Pages of an agenda, oldest first, each read after the last document of the page before: by a time
 * and, among documents of one time, by id. What has moved on meanwhile shifts no page.
 */
import type { Document, Filter, FindOptions, Store } from '../../shared/ports.ts';

export interface Paged {
  readonly collection: string;
  /** Asked anew for each page: it may find less by then. */
  readonly filter: () => Filter;
  /** The time that the agenda is ordered by. */
  readonly by: { readonly path: string; readonly of: (document: Document) => unknown };
  readonly size: number;
  readonly project?: FindOptions['project'];
}

/** At least one page, empty or not; the last one is not full. */
export async function* pagesOf<T extends Document>(
  store: Pick<Store, 'find'>,
  { collection, filter, by, size, project }: Paged,
): AsyncGenerator<readonly T[], undefined> {
  const options = { sort: { [by.path]: 1, _id: 1 } as const, ...(project ? { project } : {}) };
  const read = (asked: Filter, limit: number): Promise<T[]> =>
    store.find<T>(collection, asked, { ...options, limit });
  const readAfter = async (last: T): Promise<readonly T[]> => {
    const asked = filter();
    const at = by.of(last);
    // A day's work may all be due at one moment.
    const same = await read({ ...asked, [by.path]: at, _id: { $gt: last._id } }, size);
    if (same.length === size) return same;
    const later = { ...asked, [by.path]: { ...Object(asked[by.path]), $gt: at } };
    return [...same, ...(await read(later, size - same.length))];
  };
  let page: readonly T[] = await read(filter(), size);
  for (;;) {
    yield page;
    const last = page.at(-1);
    if (!last || page.length < size) return;
    page = await readAfter(last);
  }
}
