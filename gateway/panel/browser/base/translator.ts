/**
 * Sentences that programs of the service write for a terminal, in the language of the page. The
 * English sentence is the key of its translation. Pure.
 *
 * 1. A hole is a value: `{}` any text, `{w}` one word. A sentence in `{+}` must have a translation,
 *    and one in `{?}` may have none. `{1}` puts the first hole into the translation.
 * 2. Sentences that are joined by `; ` are translated one by one.
 */

export type Sentences = readonly (readonly [english: string, own: string])[];

/** Null where the text has no translation. */
export type Translate = (text: string) => string | null;

const HOLE = /\{([w+?]?)\}/g;
const JOINT = '; ';
/** A longer text is no sentence of ours. */
const PIECES_MAX = 12;

interface Pattern {
  readonly form: RegExp;
  /** Of each hole. */
  readonly kinds: readonly string[];
  readonly own: string;
}

export function translator(sentences: Sentences): Translate {
  const whole = new Map(sentences);
  const patterns = sentences.filter(([english]) => /\{[w+?]?\}/.test(english)).map(patternOf);
  const translate = (text: string): string | null => joined(text, single);
  const single = (text: string): string | null =>
    whole.get(text) ?? byPattern(text, patterns, translate);
  return translate;
}

function patternOf([english, own]: Sentences[number]): Pattern {
  const kinds = [...english.matchAll(HOLE)].map(([, kind = '']) => kind);
  const parts = english.split(/\{[w+?]?\}/).map(escaped);
  const form = parts.reduce((before, part, index) => {
    return `${before}${kinds[index - 1] === 'w' ? '([\\w.-]+)' : '(.*?)'}${part}`;
  });
  return { form: new RegExp(`^${form}$`, 's'), kinds, own };
}

/** `RegExp.escape` is missing in browsers of two years ago. */
function escaped(text: string): string {
  return text.replace(/[\^$.*+?()[\]{}|]/g, '\\$&');
}

/** A value may have a joint too: pieces that have no translation are tried together. */
function joined(text: string, single: Translate): string | null {
  const pieces = text.split(JOINT);
  if (pieces.length > PIECES_MAX) return null;
  /** By the number of pieces from the begin on. */
  const told: (string | null)[] = [''];
  for (let end = 1; end <= pieces.length; end++) {
    let found: string | null = null;
    for (let start = end - 1; start >= 0 && found === null; start--) {
      const before = told[start] ?? null;
      if (before === null) continue;
      const own = single(pieces.slice(start, end).join(JOINT));
      if (own !== null) found = start === 0 ? own : before + JOINT + own;
    }
    told.push(found);
  }
  return told.at(-1) ?? null;
}

function byPattern(
  text: string,
  patterns: readonly Pattern[],
  translate: Translate,
): string | null {
  for (const { form, kinds, own } of patterns) {
    const found = form.exec(text)?.slice(1);
    const values = found?.map((value, index) => inHole(value, kinds[index], translate));
    if (!values?.every((value) => value !== null)) continue;
    return own.replace(/\{(\d)\}/g, (_, place: string) => values[Number(place) - 1] ?? '');
  }
  return null;
}

function inHole(value: string, kind: string | undefined, translate: Translate): string | null {
  if (kind === '+') return translate(value);
  return kind === '?' ? (translate(value) ?? value) : value;
}
