/** The problems of a provisioning file as its writer reads them: sentence, nearest name, place. */
import type { Issue } from '../../../shared/failures.ts';
import { BadInput } from './failure.ts';
import { suggestionsFor } from './known-names.ts';
import type { ParsedText, Position } from './provisioning-text.ts';
import type { Source } from './source.ts';

/** Sorts problems in the order of the file. */
function byPosition(a: Position | null, b: Position | null): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  return a.line - b.line || a.column - b.column;
}

export interface LocatedProblem {
  readonly position: Position | null;
  /** With `did you mean …?` where a name is near. */
  readonly issue: Issue;
}

/** In the order of the text. */
export function locateProblems(
  { raw, locate }: ParsedText,
  issues: readonly Issue[],
): readonly LocatedProblem[] {
  const suggest = suggestionsFor(raw);
  const told = issues.map(({ path, message }) => {
    const isUnknown = message.endsWith('is not a known property');
    const position = locate(path, isUnknown ? 'key' : 'value');
    // A sentence that makes its own suggestion needs none.
    const hint = message.includes('did you mean') ? '' : suggest(path, message);
    return { position, issue: { path, message: `${message}${hint}` } };
  });
  return told.toSorted((a, b) => byPosition(a.position, b.position));
}

/** Each with its place in the file: `(loja.yaml, line 3, column 5)`. */
export function problemsIn(source: Source, issues: readonly Issue[]): BadInput {
  const told = locateProblems(source, issues).map(({ position, issue: { path, message } }) => {
    const place = position ? `, line ${position.line}, column ${position.column}` : '';
    return { path, message: `${message} (${source.name}${place})` };
  });
  return new BadInput(told);
}
