/** Bodies of answers: written and parsed here alone. The gateway copies them out unparsed. */
import type { AnswerOf } from '../ports/bus.ts';
import type { Acknowledged } from './command-map.ts';

/** The status says all. */
export const DONE: AnswerOf<Acknowledged> = { status: 200, body: '{}' };

export function answerOf<Body>(body: Body, status = 200): AnswerOf<Body> {
  return { status, body: JSON.stringify(body) };
}

/** The body of a successful answer. */
export function bodyOf<Body>({ body }: AnswerOf<Body>): Body {
  return JSON.parse(body);
}

/** @throws {Error} with the sentence and the status, unless the answer is 200 */
export function bodyOfSuccess<Body>(answer: AnswerOf<Body>, otherwise: string): Body {
  if (answer.status !== 200) throw new Error(`${otherwise}: ${answer.status}`);
  return bodyOf(answer);
}
