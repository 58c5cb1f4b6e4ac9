/**
 * Citations of the contract (`C…`), the invariants (`I…`) and the decisions (`D…`).
 * 1. An anchor opens a line: a heading, a bold word, or the first cell of a row.
 * 2. Comments are read as one text, so a citation may run over the end of a line.
 * 3. Titles of tests are not read: they address the reader of a report.
 */

import {
  type Finding,
  lineOf,
  type Rule,
  type Source,
  type TextFile,
} from '../../infra/tools/source.ts';
import { commentsOf } from './comments.ts';

/** The pages that hold the anchors, each with the letter of its own. */
export const PAGES: Readonly<Record<string, string>> = {
  C: 'docs/contract.md',
  I: 'docs/invariants.md',
  D: 'docs/decisions.md',
};

const ANCHOR = /^(?:#+ |\| ?|\*\*)([CID]\d+(?:\.\d+)*)\b/gm;
const CITATION = /(?<![\w.%/:-])(?:C\d+(?:\.\d+)*|[ID]\d+)(?![\w-])/g;

/** Forms of a citation without an anchor. `decisions: D5` has one. */
const UNANCHORED = [
  /\bcontract(?:['’]s)?[,:]? \(?sections? \d/gi,
  /\b[Cc]ontract:? (?:\d|(?:GET|POST) )/g,
  /(?<!\bRFC \d+, )\bsections? \d/gi,
  /\binvariants? \d/gi,
  /\b(?:design|interfaces)[,:] /gi,
  /\b[Dd]ecisions[,:] +(?!D\d)[A-Z]/g,
  /\(decisions[,:] (?!D\d)/g,
];

/** Text of a file, with everything but prose blanked out, at the same lines. */
interface Prose {
  readonly text: string;
  /** 1-based line of a position in the text. */
  lineAt(position: number): number;
}

const blank = (text: string): string => text.replace(/[^\n]/g, ' ');

function proseOfPage(file: TextFile): Prose {
  const text = file.text.replace(/^```[\s\S]*?^```/gm, blank).replace(/`[^`\n]*`/g, blank);
  return { text, lineAt: (position) => lineOf({ ...file, text }, position) };
}

function proseOfComments(source: Source): Prose {
  const lines = commentsOf(source)
    .flat()
    .map(({ line, text }) => ({ line, text: text.trim() }));
  const starts: number[] = [];
  let text = '';
  for (const each of lines) {
    starts.push(text.length);
    text += `${each.text.replace(/`[^`]*`/g, blank)} `;
  }
  const lineAt = (position: number) => {
    const index = starts.findLastIndex((start) => start <= position);
    return lines[index]?.line ?? 1;
  };
  return { text, lineAt };
}

export function anchorsOf(pages: readonly TextFile[]): readonly string[] {
  return pages.flatMap(({ path, text }) =>
    [...text.matchAll(ANCHOR)].flatMap(([, anchor = '']) =>
      PAGES[anchor.charAt(0)] === path ? [anchor] : [],
    ),
  );
}

function unresolvedIn(path: string, prose: Prose, anchors: ReadonlySet<string>): Finding[] {
  return [...prose.text.matchAll(CITATION)]
    .filter(([citation]) => !anchors.has(citation))
    .map(({ 0: citation, index }) => {
      const page = PAGES[citation.charAt(0)] ?? '';
      return { path, line: prose.lineAt(index), message: `${page} has no ${citation}` };
    });
}

/** In comments of code. */
export function unresolved(anchors: ReadonlySet<string>): Rule {
  return (source) => unresolvedIn(source.path, proseOfComments(source), anchors);
}

/** In pages. */
export function unresolvedOnPage(anchors: ReadonlySet<string>): Rule<TextFile> {
  return (file) => unresolvedIn(file.path, proseOfPage(file), anchors);
}

function unanchoredIn(path: string, prose: Prose): Finding[] {
  const found = new Map<number, Finding>();
  for (const pattern of UNANCHORED) {
    for (const { 0: cited, index } of prose.text.matchAll(pattern)) {
      const line = prose.lineAt(index);
      found.set(line, { path, line, message: `cite C…, I… or D…: ${cited}` });
    }
  }
  return [...found.values()];
}

/** In comments of code. */
export const unanchored: Rule = (source) => unanchoredIn(source.path, proseOfComments(source));

/** In pages. */
export const unanchoredOnPage: Rule<TextFile> = (file) => {
  const prose = proseOfPage(file);
  return unanchoredIn(file.path, { ...prose, text: prose.text.replace(/\n/g, ' ') });
};

/** Each row of an invariant names tests, and each of them is a file. */
export function untested(files: ReadonlySet<string>): Rule<TextFile> {
  return ({ path, text }) =>
    text.split('\n').flatMap((row, index) => {
      const [, invariant] = /^\| (I\d+) \|/.exec(row) ?? [];
      if (invariant === undefined) return [];
      const named = [...row.matchAll(/`(tests\/[^`]+)`/g)].map(([, name = '']) => name);
      const line = index + 1;
      if (named.length === 0) return [{ path, line, message: `${invariant} names no test` }];
      return named
        .filter((name) => !/\.tests?\.ts$/.test(name) || !files.has(name))
        .map((name) => ({ path, line, message: `${invariant} names no test: ${name}` }));
    });
}
