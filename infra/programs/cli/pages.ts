/** The newest rows of a list of the API, read page by page. */
import * as v from 'valibot';
import { readAnswer } from './answer.ts';
import type { Listed } from './lists.ts';
import type { Service } from './service.ts';

/** As many as the API answers at once. */
const PAGE = 200;

const pageSchema = v.looseObject({
  data: v.array(v.looseObject({ id: v.string() })),
  total: v.number(),
});

/** Rows that come meanwhile push others to the next page: each is given once. */
export async function readPages(
  service: Service,
  resource: string,
  { limit, ...filter }: { readonly limit: number; readonly [name: string]: unknown },
): Promise<Listed & { readonly total: number }> {
  const rows = new Map<string, Readonly<Record<string, unknown>>>();
  const size = Math.min(limit, PAGE);
  for (let page = 1; ; page++) {
    const answer = await service.query(resource, { ...filter, page, limit: size });
    const { data, total } = readAnswer(pageSchema, answer);
    for (const row of data) rows.set(row.id, row);
    if (rows.size >= limit || data.length < size || page * size >= total) {
      return { data: [...rows.values()].slice(0, limit), total };
    }
  }
}
