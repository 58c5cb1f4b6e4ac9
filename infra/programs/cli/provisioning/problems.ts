/** The problems of a provisioning file as its writer reads them: sentence, nearest name, place. */
import type { Problem, ProblemAt } from '../../../../shared/problems/provisioning.ts';
import { BadInput } from '../service/failure.ts';
import { tell } from '../service/problem-sentences.ts';
import { innermost, suggestionsFor } from './known-names.ts';
import type { ParsedText, Position } from './parser.ts';
import type { Source } from './source.ts';

/** Sorts problems in the order of the file. */
function byPosition(a: Position | null, b: Position | null): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  return a.line - b.line || a.column - b.column;
}

/** With `did you mean …?` where a name is near. */
export interface LocatedProblem extends ProblemAt {
  readonly position: Position | null;
}

/** In the order of the text. */
export function locateProblems(
  { raw, locate }: ParsedText,
  issues: readonly ProblemAt[],
): readonly LocatedProblem[] {
  const suggest = suggestionsFor(raw);
  const located = issues.map(({ path, problem }): LocatedProblem => {
    const isUnknown = innermost(problem).code === 'unknownProperty';
    const position = locate(path, isUnknown ? 'key' : 'value');
    const hint = suggestsItself(problem) ? null : suggest(path, problem);
    if (hint === null) return { path, position, problem };
    return { path, position, problem: { code: 'hinted', params: { problem, hint } } };
  });
  return located.toSorted((a, b) => byPosition(a.position, b.position));
}

function suggestsItself(problem: Problem): boolean {
  const { params } = innermost(problem);
  return 'meant' in params && params.meant !== null;
}

/** Each with its place in the file: `(loja.yaml, line 3, column 5)`. */
export function problemsIn(source: Source, issues: readonly ProblemAt[]): BadInput {
  const sentences = locateProblems(source, issues).map(({ position, path, problem }) => {
    const place = position ? `, line ${position.line}, column ${position.column}` : '';
    return { path, message: `${tell(problem)} (${source.name}${place})` };
  });
  return new BadInput(sentences);
}
