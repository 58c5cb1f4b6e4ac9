/** Problems as the command line tells them. */
import { tell } from '../../../infra/programs/cli/service/problem-sentences.ts';
import type { Issue } from '../../../shared/failures.ts';
import type { ProblemAt } from '../../../shared/problems/provisioning.ts';

export function inEnglish(problems: readonly ProblemAt[]): Issue[] {
  return problems.map(({ path, problem }) => ({ path, message: tell(problem) }));
}
