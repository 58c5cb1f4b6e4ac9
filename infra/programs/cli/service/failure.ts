/** Failures of an operator's command, and their exit codes. */
import type { Issue } from '../../../../shared/failures.ts';
import type { ProblemAt } from '../../../../shared/problems/provisioning.ts';
import { tell } from './problem-sentences.ts';

/** The input cannot be accepted: exit 2, every problem with its path; nothing was stored. */
export class BadInput extends Error {
  readonly issues: readonly Issue[];

  constructor(issues: readonly Issue[]) {
    super(issues.map(describeIssue).join('\n'));
    this.name = 'BadInput';
    this.issues = issues;
  }
}

/** Problems with what is to be provisioned, by their codes. */
export class RefusedProblems extends BadInput {
  readonly problems: readonly ProblemAt[];

  constructor(problems: readonly ProblemAt[]) {
    super(problems.map(({ path, problem }) => ({ path, message: tell(problem) })));
    this.problems = problems;
  }
}

/** The service is not there, or gave no result: exit 1. */
export class ServiceFailed extends Error {
  constructor(sentence: string, options?: ErrorOptions) {
    super(sentence, options);
    this.name = 'ServiceFailed';
  }
}

/** `orgs.0.keys.1.token: must be …`; a problem of the whole input has no path. */
function describeIssue({ path, message }: Issue): string {
  return path === '' ? message : `${path}: ${message}`;
}

export function problemsOf(refused: BadInput): readonly ProblemAt[] {
  if (refused instanceof RefusedProblems) return refused.problems;
  return refused.issues.map(({ path, message: text }) => {
    return { path, problem: { code: 'foreign', params: { text } } };
  });
}

/** A one-sentence refusal of one argument or option. */
export function badInput(path: string, message: string): BadInput {
  return new BadInput([{ path, message }]);
}
