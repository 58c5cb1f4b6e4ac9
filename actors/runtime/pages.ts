/**
 * Keyset pagination of an agenda, oldest first: by a time and, among documents of one time, by id.
 * Each page is read after the last document of the page before. Changes meanwhile shift no page.
 */
import type { Document, Filter, FindOptions, IndexKeys, Store } from '../../shared/ports/store.ts';

export interface Paged<T extends Document> {
  readonly collection: string;
  /** Called for each page: it may match less by then. */
  readonly filter: () => Filter;
  /** The time that orders the agenda. */
  readonly by: { readonly path: string; readonly of: (document: T) => unknown };
  readonly size: number;
  /** The agenda's own index, which ends in the id. */
  readonly index: IndexKeys;
  readonly project?: FindOptions['project'];
}

/** At least one page, empty or not; the last one is not full. */
export async function* pagesOf<T extends Document>(
  store: Pick<Store, 'find'>,
  { collection, filter, by, size, index, project }: Paged<T>,
): AsyncGenerator<readonly T[], undefined> {
  const order: FindOptions = { sort: { [by.path]: 1, _id: 1 } };
  // Sorted by both, the server would sort all of that time. Without the index it would scan by id.
  const orderOfOneTime: FindOptions = { sort: { _id: 1 }, index };
  const read = (asked: Filter, options: FindOptions): Promise<T[]> =>
    store.find<T>(collection, asked, { ...options, ...(project ? { project } : {}) });
  const readAfter = async (last: T): Promise<readonly T[]> => {
    const asked = filter();
    const at = by.of(last);
    // All work of a day may be due at one moment.
    const ofOneTime = { ...asked, [by.path]: at, _id: { $gt: last._id } };
    const same = await read(ofOneTime, { ...orderOfOneTime, limit: size });
    if (same.length === size) return same;
    const later = { ...asked, [by.path]: { ...Object(asked[by.path]), $gt: at } };
    return [...same, ...(await read(later, { ...order, limit: size - same.length }))];
  };
  let page: readonly T[] = await read(filter(), { ...order, limit: size });
  for (;;) {
    yield page;
    const last = page.at(-1);
    if (!last || page.length < size) return;
    page = await readAfter(last);
  }
}
