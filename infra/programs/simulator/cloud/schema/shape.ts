/**
 * Common parts of the schemas of Graph's requests, and the network's refusal of whatever does not
 * fit them.
 *
 * 1. A property that the documentation does not have is refused, as Graph does: code 100.
 * 2. A missing parameter is 131008, a value of the wrong type 100, any other wrong value 131009.
 * 3. Lengths are counted in code points. Meta's pages say characters without a definition.
 */
import * as v from 'valibot';
import { graphError, type Reply } from './errors.ts';

/** Codes of refusals, after "Error codes" of Meta's documentation (May 2026). */
const INVALID_PARAMETER = 100;
const MISSING_PARAMETER = 131008;
const INVALID_VALUE = 131009;

type Issue = v.BaseIssue<unknown>;

/**
 * The first problem of a request as Graph answers it.
 * @param parents the names under which the schema's value stands in the request
 */
export function refusalOf(issue: Issue, parents: readonly string[] = []): Reply {
  const { code, details } = problemOf(issue, parents);
  return graphError(code, details);
}

interface Problem {
  readonly code: number;
  readonly details: string;
}

function problemOf(issue: Issue, parents: readonly string[]): Problem {
  const keys = [...parents, ...(issue.path?.map(({ key }) => key) ?? [])];
  const name = parameterName(keys);
  if (issue.type === 'strict_object' && issue.expected === 'never') {
    const owner = keys.length < 2 ? 'the request' : `param "${parameterName(keys.slice(0, -1))}"`;
    const details = `Unexpected key "${String(keys.at(-1))}" on ${owner}.`;
    return { code: INVALID_PARAMETER, details };
  }
  if (issue.received === 'undefined') {
    return { code: MISSING_PARAMETER, details: `The parameter ${name} is required.` };
  }
  if (isTypeIssue(issue)) {
    const details = `Param ${name} must be ${issue.expected ?? 'of another type'}.`;
    return { code: INVALID_PARAMETER, details };
  }
  const [, code = INVALID_VALUE, words = issue.message] =
    /^#(\d+) (.*)$/s.exec(issue.message) ?? [];
  return { code: Number(code), details: `Param ${name} ${words}` };
}

function isTypeIssue({ kind, type }: Issue): boolean {
  return kind === 'schema' && type !== 'picklist' && type !== 'literal' && type !== 'variant';
}

/** As Graph writes it: `interactive['action']['buttons'][0]`. */
function parameterName(keys: readonly unknown[]): string {
  const [first, ...others] = keys;
  const rest = others.map((key) => (typeof key === 'number' ? `[${key}]` : `['${String(key)}']`));
  return `${String(first ?? 'body')}${rest.join('')}`;
}

export function countCharacters(text: string): number {
  return [...text].length;
}

/** A text that is not empty, of at most so many characters. */
export function textUpTo(most: number, code: number = INVALID_VALUE) {
  return v.pipe(
    v.string(),
    v.check((text) => text !== '', `#${MISSING_PARAMETER} is required.`),
    v.check(
      (text) => countCharacters(text) <= most,
      `#${code} must be at most ${most} characters long.`,
    ),
  );
}

/** A text without a limit of its own. */
export const someText = v.pipe(
  v.string(),
  v.check((text) => text !== '', `#${MISSING_PARAMETER} is required.`),
);

/** Meta fetches media and opens links over these two protocols alone. */
export const webAddress = v.pipe(
  someText,
  v.check((text) => /^https?:\/\/[^\s]+$/i.test(text), 'is not a valid URL.'),
);

/** Whether no two of the texts are the same. */
export function allDiffer(texts: readonly string[]): boolean {
  return new Set(texts).size === texts.length;
}

const EXACTLY_ONE = `#${MISSING_PARAMETER} takes either id or link.`;

function hasOneSource({ id, link }: { id?: string | undefined; link?: string | undefined }) {
  return (id === undefined) !== (link === undefined);
}

/** A media object: an upload's id or an address, with the properties that its kind has beside. */
export function mediaOf<E extends v.ObjectEntries>(entries: E) {
  return v.pipe(
    v.strictObject({ id: v.optional(someText), link: v.optional(webAddress), ...entries }),
    v.check((media) => hasOneSource(media), EXACTLY_ONE),
  );
}
