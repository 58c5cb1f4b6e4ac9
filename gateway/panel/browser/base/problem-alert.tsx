/** A refusal with its problems. Screens load it with their sentences, which the first load lacks. */
import type { Problem } from '../../../../shared/problems/provisioning.ts';
import { tell } from '../sentences/problems.ts';
import type { Refused } from './call.ts';
import { Alert } from './parts.tsx';

export function ProblemAlert({ refused }: { readonly refused: Refused | null }) {
  const problems = refused?.problems ?? [];
  return (
    <Alert refused={refused}>
      {problems.length === 0 ? null : (
        <ul>
          {problems.map(({ path, problem }) => (
            <li key={path}>
              <ProblemText problem={problem} />
            </li>
          ))}
        </ul>
      )}
    </Alert>
  );
}

/** Words of another program are marked as English. */
export function ProblemText({ problem }: { readonly problem: Problem }) {
  const text = tell(problem);
  return isForeign(problem) ? <span lang="en">{text}</span> : <span>{text}</span>;
}

function isForeign({ code, params }: Problem): boolean {
  if (code === 'inFlow' || code === 'hinted') return isForeign(params.problem);
  return code === 'foreign';
}
