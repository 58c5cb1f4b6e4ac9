/** The query that returns the rest of a body. */
export interface AnswerRest {
  readonly resource: string;
  readonly payload: object;
}
