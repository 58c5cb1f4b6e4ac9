/** What an answer has to be: its status, and the schema that its body follows. */
import assert from 'node:assert/strict';
import * as v from 'valibot';

/** Of the API or of the panel. */
interface Answered {
  readonly status: number;
  readonly text: string;
  readonly json: unknown;
}

/** The body tells why, where it is another. */
export function assertStatus({ status, text }: Answered, expected: number): void {
  assert.equal(status, expected, text);
}

export function parseAnswer<S extends v.GenericSchema>(
  answer: Answered,
  schema: S,
  expected = 200,
): v.InferOutput<S> {
  assertStatus(answer, expected);
  return v.parse(schema, answer.json);
}
