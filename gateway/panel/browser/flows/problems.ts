/** Problems of a refused text, by line: pure. */
import type { FlowProblem } from '../../../../shared/panel/flow-text.ts';
import type { Refused } from '../base/call.ts';

/** In the order of the text; those outside of it come first. */
export function problemsOf(refused: Refused | null): readonly FlowProblem[] {
  const problems = refused?.problems ?? [];
  return problems
    .map((each) => ({ line: null, column: null, ...each }))
    .toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0));
}

/** Of the first character of a line, from 1 on. */
export function lineStart(text: string, line: number): number {
  const before = text.split('\n').slice(0, line - 1);
  return before.reduce((sum, each) => sum + each.length + 1, 0);
}
