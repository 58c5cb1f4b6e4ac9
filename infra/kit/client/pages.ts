/**
 * Every item of a list, page after page. Lists begin with what is new or was changed last.
 *
 * 1. Each item comes once.
 * 2. An unread item that moves to the front meanwhile shifts the others: the next page repeats
 *    items. The list is then read again, so that the moved item comes too.
 * 3. A list that shifts all the time is read three times: what moved each time may be missed.
 */
export interface Page<Item> {
  readonly data: readonly Item[];
  readonly page: number;
  readonly limit: number;
  readonly total: number;
}

/** The longest that the service takes: a page counts as one call. */
const LIMIT = 200;
const PASSES_MAX = 3;

export interface Paging {
  readonly page: number;
  /** Items per page. */
  readonly limit: number;
}

export async function* everyItem<Item extends { readonly id: string }>(
  read: (paging: Paging) => Promise<Page<Item>>,
  limit = LIMIT,
): AsyncGenerator<Item, undefined> {
  const given = new Set<string>();
  for (let pass = 1; pass <= PASSES_MAX; pass += 1) {
    const met = new Set<string>();
    let shifted = false;
    for (let page = 1; ; page += 1) {
      const { data, total } = await read({ page, limit });
      for (const item of data) {
        shifted ||= met.has(item.id);
        met.add(item.id);
        if (given.has(item.id)) continue;
        given.add(item.id);
        yield item;
      }
      if (data.length === 0 || page * limit >= total) break;
    }
    if (!shifted) return;
  }
}
