/**
 * Every item of a list, page after page.
 *
 * 1. An item that a change moves to a later page meanwhile comes once.
 * 2. An item that a change moves to an earlier page meanwhile may be missed.
 */
export interface Page<Item> {
  readonly data: readonly Item[];
  readonly page: number;
  readonly limit: number;
  readonly total: number;
}

const LIMIT = 200;

export interface Paging {
  /** The first page; 1 unless given. */
  readonly page?: number;
  /** Items per page; 200 unless given. */
  readonly limit?: number;
}

export async function* everyItem<Item extends { readonly id: string }>(
  read: (paging: Required<Paging>) => Promise<Page<Item>>,
  { page: first = 1, limit = LIMIT }: Paging = {},
): AsyncGenerator<Item, undefined> {
  const seen = new Set<string>();
  for (let page = first; ; page += 1) {
    const { data, total } = await read({ page, limit });
    for (const item of data) {
      if (seen.has(item.id)) continue;
      seen.add(item.id);
      yield item;
    }
    if (data.length === 0 || page * limit >= total) return;
  }
}
