/** The newest rows of a list of the API, read page by page. */
import * as v from 'valibot';
import type { Answer } from '../../../../shared/ports/bus.ts';
import type { Page } from '../../../../shared/wire/queries.ts';
import { readAnswer } from '../service/answer.ts';
import type { Listed } from './lists.ts';

/** As many as the API answers at once. */
const PAGE = 200;

const pageSchema = v.looseObject({
  data: v.array(v.looseObject({ id: v.string() })),
  total: v.number(),
});

/** Rows that come meanwhile push others to the next page: each is given once. */
export async function readPages(
  read: (page: Page) => Promise<Answer>,
  limit: number,
): Promise<Listed & { readonly total: number }> {
  const rows = new Map<string, Readonly<Record<string, unknown>>>();
  const size = Math.min(limit, PAGE);
  for (let page = 1; ; page++) {
    const { data, total } = readAnswer(pageSchema, await read({ page, limit: size }));
    for (const row of data) rows.set(row.id, row);
    if (rows.size >= limit || data.length < size || page * size >= total) {
      return { data: [...rows.values()].slice(0, limit), total };
    }
  }
}
