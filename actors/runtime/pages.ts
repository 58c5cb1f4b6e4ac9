/**
 * Keyset pagination of an agenda, oldest first: by a time and, among documents of one time, by id.
 * Each page is read after the last document of the page before. Changes meanwhile shift no page.
 */
import type { Found } from '../../shared/ports/store-paths.ts';
import type {
  DocumentOf,
  FieldOf,
  Filter,
  FindOptions,
  Name,
  Order,
  PathOf,
  Store,
} from '../model/collections.ts';
import { orderBy, where } from './computed.ts';

export interface Paged<Of extends Name, At extends FieldOf<Of>> {
  readonly collection: Of;
  /** Called for each page: it may match less by then. */
  readonly filter: () => Filter<Of>;
  /** The time that orders the agenda. */
  readonly by: {
    readonly path: PathOf<Of>;
    readonly of: (document: Found<DocumentOf<Of>, At>) => unknown;
  };
  readonly size: number;
  /** The agenda's own index, which ends in the id. */
  readonly index: Order<Of>;
  readonly project?: { readonly [_ in At]: 1 };
}

/** At least one page, empty or not; the last one is not full. */
export async function* pagesOf<Of extends Name, At extends FieldOf<Of> = never>(
  store: Pick<Store, 'find'>,
  { collection, filter, by, size, index, project }: Paged<Of, At>,
): AsyncGenerator<readonly Found<DocumentOf<Of>, At>[], undefined> {
  type Page = readonly Found<DocumentOf<Of>, At>[];
  const order = { sort: orderBy<Of>([by.path, '_id'], 1) };
  // Sorted by both, the server would sort all of that time. Without the index it would scan by id.
  const orderOfOneTime = { sort: orderBy<Of>(['_id'], 1), index };
  const read = (asked: Filter<Of>, options: FindOptions<Of, At>): Promise<Page> =>
    store.find<Of, At>(collection, asked, { ...options, ...(project ? { project } : {}) });
  const readAfter = async (last: Page[number]): Promise<Page> => {
    const asked = filter();
    const at = by.of(last);
    // All work of a day may be due at one moment.
    const ofOneTime = {
      ...asked,
      ...where<Of>(by.path, at),
      ...where<Of>('_id', { $gt: last._id }),
    };
    const same = await read(ofOneTime, { ...orderOfOneTime, limit: size });
    if (same.length === size) return same;
    const after = { ...Object(Reflect.get(asked, by.path)), $gt: at };
    const later = { ...asked, ...where<Of>(by.path, after) };
    return [...same, ...(await read(later, { ...order, limit: size - same.length }))];
  };
  let page: Page = await read(filter(), { ...order, limit: size });
  for (;;) {
    yield page;
    const last = page.at(-1);
    if (!last || page.length < size) return;
    page = await readAfter(last);
  }
}
