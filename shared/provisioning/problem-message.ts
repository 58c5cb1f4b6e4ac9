/** The schema's messages are texts: a problem goes through them as JSON. */
import type { Problem, ProblemCode, ProblemParams } from '../problems/provisioning.ts';

const BEGINNING = '{"code":';

/** Message of a schema for the problem. */
export function messageFor<Code extends ProblemCode>(
  code: Code,
  params: ProblemParams[Code],
): string {
  return JSON.stringify({ code, params });
}

/** The problem of a message; a message of the library's own is `foreign`. */
export function problemOf(message: string): Problem {
  if (!message.startsWith(BEGINNING)) return { code: 'foreign', params: { text: message } };
  const problem: Problem = JSON.parse(message);
  return problem;
}
