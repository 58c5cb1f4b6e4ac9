/** The problems of a provisioning file as its writer reads them: sentence, nearest name, place. */
import type { Issue } from '../../../shared/failures.ts';
import { BadInput } from './failure.ts';
import { suggestionsFor } from './known-names.ts';
import type { Position } from './provisioning-text.ts';
import type { Source } from './source.ts';

/** Sorts problems in the order of the file. */
function byPosition(a: Position | null, b: Position | null): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  return a.line - b.line || a.column - b.column;
}

/** Each with `did you mean …?` and `(loja.yaml, line 3, column 5)`, in the order of the file. */
export function problemsIn(source: Source, issues: readonly Issue[]): BadInput {
  const suggest = suggestionsFor(source.raw);
  const told = issues.map(({ path, message }) => {
    const isUnknown = message.endsWith('is not a known property');
    const position = source.locate(path, isUnknown ? 'key' : 'value');
    const place = position ? `, line ${position.line}, column ${position.column}` : '';
    // A sentence that makes its own suggestion needs none.
    const hint = message.includes('did you mean') ? '' : suggest(path, message);
    return { position, issue: { path, message: `${message}${hint} (${source.name}${place})` } };
  });
  const ordered = told.toSorted((a, b) => byPosition(a.position, b.position));
  return new BadInput(ordered.map(({ issue }) => issue));
}
