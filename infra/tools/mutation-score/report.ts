/** A score in lines of text, and whether it is well. */
import { lineOf, type TextFile } from '../source.ts';
import { type Mutation, mutatedLines, oneLine } from './mutation.ts';
import type { FileScore, Score } from './score.ts';
import { SCORE_MIN } from './targets.ts';

function percent(scores: readonly FileScore[]): number {
  const sum = (of: (score: FileScore) => number): number =>
    scores.reduce((total, each) => total + of(each), 0);
  const counted = sum((each) => each.counted);
  return counted === 0 ? 100 : (100 * sum((each) => each.killed)) / counted;
}

export function reportOf({ byFile, survivors, stale }: Score, files: readonly TextFile[]) {
  const total = percent(byFile);
  const lines = [
    ...byFile.map((each) => `${percent([each]).toFixed(1).padStart(6)} %  ${rowOf(each)}`),
    ...survivors.map((each) => `survived: ${describe(each, files)}`),
    ...stale.map(({ file, text }) => `names no survivor: ${file}: ${text}`),
    `${total.toFixed(1)} % of ${countOf(byFile)}`,
  ];
  return { lines, well: total >= SCORE_MIN && survivors.length === 0 && stale.length === 0 };
}

function rowOf({ file, killed, counted, equivalent, invalid }: FileScore): string {
  const aside = [
    equivalent > 0 ? `${equivalent} equivalent` : '',
    invalid > 0 ? `${invalid} refused by the compiler` : '',
  ].filter((each) => each !== '');
  return `${file}: ${killed} of ${counted}${aside.length > 0 ? `, ${aside.join(', ')}` : ''}`;
}

function countOf(byFile: readonly FileScore[]): string {
  const counted = byFile.reduce((sum, each) => sum + each.counted, 0);
  return `${counted} mutations of ${byFile.length} files`;
}

function describe(mutation: Mutation, files: readonly TextFile[]): string {
  const { file, start, end, replacement, operator } = mutation;
  const text = files.find(({ path }) => path === file)?.text ?? '';
  const line = lineOf({ path: file, text }, start);
  const was = oneLine(text.slice(start, end)).slice(0, 60);
  const lines = mutatedLines(text, mutation);
  return `${file}:${line} ${operator}: ${was} => ${oneLine(replacement).slice(0, 60)} | ${lines}`;
}
