/** Problems of a refused text, by line: pure. */
import type { FlowProblem } from '../../../../shared/panel/flow-text.ts';
import type { Refused } from '../base/call.ts';
import { translator } from '../base/translator.ts';
import { PROBLEM_SENTENCES, YAML_SENTENCES } from '../sentences/problems.ts';

/** In the order of the text; those outside of it come first. */
export function problemsOf(refused: Refused | null): readonly FlowProblem[] {
  const problems = (refused?.issues ?? []).map((issue) => {
    return { ...issue, line: numberIn(issue, 'line'), column: numberIn(issue, 'column') };
  });
  return problems.toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0));
}

function numberIn(issue: object, name: string): number | null {
  const value: unknown = Reflect.get(issue, name);
  return typeof value === 'number' ? value : null;
}

const translate = translator(PROBLEM_SENTENCES);
const codes: Readonly<Record<string, string | undefined>> = YAML_SENTENCES;
const ENDS = 'the file ends there: is it whole?';

/** In the page's language; null for a sentence that it does not know. */
export function sentenceOf({
  message,
  code,
}: Pick<FlowProblem, 'message' | 'code'>): string | null {
  const known = code === undefined ? undefined : codes[code];
  if (known === undefined) return translate(message);
  return message.endsWith(ENDS) ? `${known}; ${translate(ENDS)}` : known;
}

/** Of the first character of a line, from 1 on. */
export function lineStart(text: string, line: number): number {
  const before = text.split('\n').slice(0, line - 1);
  return before.reduce((sum, each) => sum + each.length + 1, 0);
}
