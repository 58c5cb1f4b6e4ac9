/** Failures of an operator's command, and their exit codes. */
import type { Issue } from '../../../shared/failures.ts';

/** The input cannot be accepted: exit 2, every problem with its path; nothing was stored. */
export class BadInput extends Error {
  readonly issues: readonly Issue[];

  constructor(issues: readonly Issue[]) {
    super(issues.map(describeIssue).join('\n'));
    this.name = 'BadInput';
    this.issues = issues;
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

/** A one-sentence refusal of one argument or option. */
export function badInput(path: string, message: string): BadInput {
  return new BadInput([{ path, message }]);
}
