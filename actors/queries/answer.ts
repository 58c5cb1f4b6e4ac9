/** Answers of queries: the response's bytes, which the gateway passes on unparsed. */
import { type Failure, renderFailure } from '../../shared/failures.ts';
import type { Answer } from '../../shared/ports/bus.ts';
import type { Environment } from '../environment.ts';

export type Query<P> = (environment: Environment, payload: P) => Promise<Answer>;

export function found(body: unknown): Answer {
  return { status: 200, body: JSON.stringify(body) };
}

export function refused(refusal: Failure): Answer {
  return renderFailure(refusal);
}

/** Number of items before the page. */
export function skipOf({ page, limit }: { readonly page: number; readonly limit: number }): number {
  return (page - 1) * limit;
}
