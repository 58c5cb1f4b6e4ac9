/** Reads an answer of the service: a value, a refusal of the input, or a failure of the service. */
import * as v from 'valibot';
import type { Answer } from '../../../../shared/ports/bus.ts';
import type { Problem } from '../../../../shared/problems/provisioning.ts';
import { BadInput, badInput, RefusedProblems, ServiceFailed } from './failure.ts';
import { isProblem } from './problem-sentences.ts';

const refusalSchema = v.object({
  error: v.optional(v.string(), 'The input was refused.'),
  issues: v.optional(v.array(v.object({ path: v.string(), message: v.string() })), []),
  problems: v.optional(
    v.array(v.object({ path: v.string(), problem: v.custom<Problem>(isProblem) })),
    [],
  ),
});

function jsonOf({ body, status }: Answer): unknown {
  try {
    return JSON.parse(body);
  } catch (cause) {
    throw new ServiceFailed(`The service answered ${status} without JSON.`, { cause });
  }
}

/**
 * The answer's value, as `schema` has it.
 * @throws {BadInput} on 4xx
 * @throws {ServiceFailed} on anything else that is not a success
 */
export function readAnswer<S extends v.GenericSchema>(schema: S, answer: Answer): v.InferOutput<S> {
  const json = jsonOf(answer);
  if (answer.status >= 200 && answer.status < 300) {
    const read = v.safeParse(schema, json);
    if (read.success) return read.output;
    throw new ServiceFailed('The service answered in a way that this version does not understand.');
  }
  const refusal = v.safeParse(refusalSchema, json);
  const { error, issues, problems } = refusal.success
    ? refusal.output
    : { error: 'no reason given', issues: [], problems: [] };
  if (answer.status >= 400 && answer.status < 500) {
    if (problems.length > 0) throw new RefusedProblems(problems);
    throw issues.length > 0 ? new BadInput(issues) : badInput('', error);
  }
  throw new ServiceFailed(`The service answered ${answer.status}: ${error}`);
}

/** `{data: […]}` of objects, passed on as they are. */
export const listSchema = v.looseObject({
  data: v.array(v.record(v.string(), v.unknown())),
});
