/** A query: any process with actors answers it, outside of the mailboxes. */
import type { AnswerOf } from '../../../shared/ports/bus.ts';
import type { PayloadOf, QueryMap, Resource } from '../../../shared/wire/query-map.ts';
import type { Environment } from '../../environment.ts';

/** The answer is the response's bytes, which the gateway passes on unparsed. */
export type Query<Each extends Resource> = (
  environment: Environment,
  payload: PayloadOf<Each>,
) => Promise<AnswerOf<QueryMap[Each]['answer']>>;

/** Number of items before the page. */
export function skipOf({ page, limit }: { readonly page: number; readonly limit: number }): number {
  return (page - 1) * limit;
}
