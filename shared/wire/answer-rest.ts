/** The query that answers what is left of a body. */
export interface AnswerRest {
  readonly resource: string;
  readonly payload: object;
}
