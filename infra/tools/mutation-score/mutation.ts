/** A small fault of one file of the source, and what became of it. */
export interface Mutation {
  /** From the project's root. */
  readonly file: string;
  /** Offsets in the file's text; `replacement` takes the place between them. */
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
  readonly operator: string;
}

/**
 * A mutation is `killed` by a test, or ends in a `timeout` by an endless loop. No test detects
 * `uncovered` and `survived` ones. The compiler refuses `invalid` ones, which are not counted.
 */
export type Status = 'killed' | 'timeout' | 'survived' | 'uncovered' | 'invalid';

export interface Verdict {
  readonly status: Status;
  /** The file and the title of the test that failed. */
  readonly by?: { readonly file: string; readonly title: string } | undefined;
}

export function mutated(text: string, { start, end, replacement }: Mutation): string {
  return text.slice(0, start) + replacement + text.slice(end);
}

/**
 * Name of a mutation in the list of equivalents, whatever its line number: the lines that it
 * changes, after the change, with single spaces. For a line that is all gone, its old text is
 * added.
 */
export function mutatedLines(text: string, mutation: Mutation): string {
  const { start, end, replacement } = mutation;
  const from = text.lastIndexOf('\n', start - 1) + 1;
  const newline = text.indexOf('\n', end);
  const to = newline === -1 ? text.length : newline;
  const lines = oneLine(text.slice(from, start) + replacement + text.slice(end, to));
  return /\w/.test(lines) ? lines : `${oneLine(text.slice(from, to))} => ${lines}`;
}

export function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
