/**
 * Rules on sentences of comments and of pages (docs/glossary.md, "Sentences"). Text in backticks
 * counts as one word.
 */
import type { Finding, Rule, Source, TextFile } from './source.ts';
import { commentsOf } from './words.ts';

const SENTENCE_WORDS_MAX = 25;
const RIDDLE = /^(What|Who|Whoever|Nobody|Somebody|Those)\b/;
const HISTORY = /\b(had been|since D\d+|formerly|as before D\d+)\b/;
const CODE = /\.(tsx?|mjs)$/;

interface Sentence {
  readonly line: number;
  readonly text: string;
}

/** Pages may ask what a reader asks; a comment states. */
export const nounSubject: Rule<TextFile> = (file) =>
  findings(file, ({ text }) => {
    if (text.endsWith('?')) return isSource(file) ? 'a comment states, it does not ask' : null;
    const word = RIDDLE.exec(text)?.[1];
    return word === undefined ? null : `a noun begins it, not ${word}`;
  });

export const sentenceLength: Rule<TextFile> = (file) =>
  findings(file, ({ text }) => {
    const words = wordsOf(text);
    return words > SENTENCE_WORDS_MAX ? `${words} words, at most ${SENTENCE_WORDS_MAX}` : null;
  });

/** The log of commits tells history, and the page of changes. */
export const presentOnly: Rule<TextFile> = (file) =>
  findings(file, ({ text }) => {
    const word = HISTORY.exec(text.replace(/`[^`]*`/g, 'code'))?.[0];
    return word === undefined ? null : `tells history: ${word}`;
  });

function findings(file: TextFile, messageOf: (sentence: Sentence) => string | null): Finding[] {
  return sentencesOf(file).flatMap((sentence) => {
    const message = messageOf(sentence);
    if (message === null) return [];
    return [{ path: file.path, line: sentence.line, message: `${message}: ${sentence.text}` }];
  });
}

function wordsOf(text: string): number {
  return text
    .replace(/`[^`]*`/g, 'code')
    .split(/\s+/)
    .filter((word) => /\w/.test(word)).length;
}

interface Paragraph {
  readonly line: number;
  readonly text: string;
}

export function sentencesOf(file: TextFile): readonly Sentence[] {
  const paragraphs = isSource(file) ? paragraphsOfCode(file) : paragraphsOfPage(file);
  return paragraphs.flatMap(({ line, text }) =>
    text
      .replace(/\s+/g, ' ')
      .trim()
      .split(/(?<=[.!?]["')»]?) (?=["'`(«]?[A-Z])/)
      .filter((sentence) => sentence !== '')
      .map((sentence) => ({ line, text: sentence })),
  );
}

function isSource(file: TextFile): file is Source {
  return 'tree' in file && CODE.test(file.path);
}

/** Lists and empty lines part a comment. */
function paragraphsOfCode(source: Source): readonly Paragraph[] {
  return commentsOf(source).flatMap((lines) => {
    const paragraphs: { line: number; text: string }[] = [];
    let open = false;
    for (const { line, text } of lines) {
      const item = /^\s*(\d+\.|[-*]|@\w+)\s+(.*)$/.exec(text);
      const words = item?.[2] ?? text;
      const last = paragraphs.at(-1);
      if (text.trim() === '') open = false;
      else if (open && item === null && last !== undefined) last.text += ` ${words}`;
      else {
        paragraphs.push({ line, text: words });
        open = true;
      }
    }
    return paragraphs;
  });
}

/** Paragraphs, items of lists and cells of tables, without code, quotes of it and headings. */
function paragraphsOfPage({ text }: TextFile): readonly Paragraph[] {
  const blank = (match: string) => match.replace(/[^\n]/g, ' ');
  const prose = text.replace(/^( *)```[\s\S]*?^\1```/gm, blank).replace(/<!--[\s\S]*?-->/g, blank);
  const paragraphs: { line: number; text: string }[] = [];
  let open = false;
  for (const [index, content] of prose.split('\n').entries()) {
    const line = index + 1;
    const item = /^\s*(?:>\s*)?(?:\d+\.|[-*])\s+(.*)$/.exec(content);
    const last = paragraphs.at(-1);
    if (/^\s*(#|$)/.test(content)) open = false;
    else if (/^\s*\|/.test(content)) {
      paragraphs.push(...content.split(/(?<!\\)\|/).map((cell) => ({ line, text: cell })));
      open = false;
    } else if (open && item === null && last !== undefined) last.text += ` ${content}`;
    else {
      paragraphs.push({ line, text: item?.[1] ?? content });
      open = true;
    }
  }
  return paragraphs;
}
