/** Proves of a rule that it finds every fault, and accepts correct code. */
import assert from 'node:assert/strict';
import { parse, type Rule, report, type TextFile } from './source.ts';

/** Path and text. */
type Sample = readonly [path: string, text: string];

export interface Samples {
  readonly bad: readonly Sample[];
  readonly good: readonly Sample[];
}

function check<T extends TextFile>(rule: Rule<T>, bad: readonly T[], good: readonly T[]): void {
  for (const file of bad) {
    assert.notDeepEqual(rule(file), [], `lets pass in ${file.path}: ${file.text}`);
  }
  for (const file of good) {
    assert.deepEqual(rule(file), [], `finds fault in ${file.path}: ${file.text}`);
  }
}

const toText = ([path, text]: Sample): TextFile => ({ path, text });

export function provesToBite(rule: Rule, { bad, good }: Samples): void {
  const sources = parse([...bad, ...good].map(toText));
  check(rule, sources.slice(0, bad.length), sources.slice(bad.length));
}

export function provesToBiteText(rule: Rule<TextFile>, { bad, good }: Samples): void {
  check(rule, bad.map(toText), good.map(toText));
}

export function keptBy<T extends TextFile>(files: readonly T[], rule: Rule<T>): void {
  assert.deepEqual(report(files.flatMap((file) => rule(file))), []);
}
