/**
 * The known name nearest to a mistyped one, by Damerau's edit distance (optimal string alignment).
 * It ignores case and allows at most a third of the letters to be wrong.
 */
import type { NameKind, Problem } from '../problems/provisioning.ts';

/** A word may have one mistake per so many letters; shorter words match nothing. */
const LETTERS_PER_MISTAKE = 3;
const WORD_MIN_CHARS = 2;
/** Names of the file are shorter; a longer word is no typo of one. */
const WORD_MAX_CHARS = 200;
/** Known names that an error text lists. */
const NAMES_SHOWN = 12;

/** Number of letters to insert, remove, replace or swap with their neighbour. */
function distance(a: string, b: string): number {
  const before: number[][] = [Array.from({ length: b.length + 1 }, (_, column) => column)];
  for (let row = 1; row <= a.length; row++) {
    const line = [row];
    for (let column = 1; column <= b.length; column++) {
      const same = a[row - 1] === b[column - 1];
      const swapped = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      line[column] = Math.min(
        at(before, row - 1, column) + 1,
        at([line], 0, column - 1) + 1,
        at(before, row - 1, column - 1) + (same ? 0 : 1),
        swapped ? at(before, row - 2, column - 2) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    before.push(line);
  }
  return at(before, a.length, b.length);
}

function at(lines: readonly (readonly number[])[], row: number, column: number): number {
  return lines[row]?.[column] ?? Number.POSITIVE_INFINITY;
}

/** Null where none of `known` is near; among equally near ones the first. */
export function nearest(word: string, known: readonly string[]): string | null {
  if (word.length < WORD_MIN_CHARS || word.length > WORD_MAX_CHARS) return null;
  const folded = word.toLowerCase();
  let best: { name: string; mistakes: number } | null = null;
  for (const name of known) {
    const allowed = Math.ceil(Math.max(name.length, word.length) / LETTERS_PER_MISTAKE);
    if (Math.abs(name.length - word.length) > allowed) continue;
    const mistakes = distance(folded, name.toLowerCase());
    if (mistakes <= allowed && mistakes < (best?.mistakes ?? Number.POSITIVE_INFINITY)) {
      best = { name, mistakes };
    }
  }
  return best?.name ?? null;
}

/** `names no stage "x"; there are: a, b; did you mean "a"?` */
export function unknownName(kind: NameKind, name: string, known: readonly string[]): Problem {
  const more = Math.max(0, known.length - NAMES_SHOWN);
  const shown = known.slice(0, NAMES_SHOWN);
  const params = { kind, name, known: shown, more, meant: nearest(name, known) };
  return { code: 'unknownName', params };
}
