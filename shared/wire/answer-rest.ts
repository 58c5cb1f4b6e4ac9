import type { Resource } from './query-map.ts';

/** The query that returns the rest of a body. */
export interface AnswerRest {
  readonly resource: Resource;
  readonly payload: object;
}
