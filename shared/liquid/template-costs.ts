/**
 * What Liquid does while it renders, in characters of the step's budget: `memoryLimit` counts them.
 *
 * 1. Whatever reads a list pays for all of it, lists within it too. A list may hold one other list
 *    many times, and that another one: what such a list holds doubles with each line of a template.
 * 2. A rendering compares its time with the limit between parts only. So no single part may be
 *    long: an expression that a filter reads for each item, a search for a long text.
 */
import {
  CaseTag,
  Context,
  defaultOperators,
  type Emitter,
  type Liquid,
  type Operators,
  toValue,
} from 'liquidjs';
import {
  FLOW_ARGUMENT_CHARS_PER_UNIT,
  FLOW_CHARS_PER_UNIT,
  FLOW_DATE_UNITS,
  FLOW_STEP_UNITS_MAX,
} from '../limits.ts';

export const DATE_FILTERS = [
  'date',
  'date_to_xmlschema',
  'date_to_rfc822',
  'date_to_string',
  'date_to_long_string',
];
const SEARCH_FILTERS = [
  'split',
  ...['replace', 'replace_first', 'replace_last'],
  ...['remove', 'remove_first', 'remove_last'],
];
const PATTERN_CHARS_AT_ONCE = 100;
const STEP_CHARS = FLOW_STEP_UNITS_MAX * FLOW_CHARS_PER_UNIT;

type Filter = Extract<Liquid['filters'][string], (...given: never[]) => unknown>;
export type Filtering = ThisParameterType<Filter>;

/** Counts a list that names a property: its text is made at each reading. */
export class MeteredContext extends Context {
  override readProperty(...[object, key]: Parameters<Context['readProperty']>): unknown {
    this.memoryLimit.use(charsInList(key));
    return super.readProperty(object, key);
  }

  override spawn(scope = {}): Context {
    const { opts, sync, liquid, memoryLimit, renderLimit } = this;
    return new MeteredContext(scope, opts, { sync }, { liquid, memoryLimit, renderLimit });
  }
}

/** Counts the list that each `when` is compared with. */
export class MeteredCase extends CaseTag {
  override *render(...[context, emitter]: Parameters<CaseTag['render']>) {
    const compared = this.branches.reduce((sum, { values }) => sum + values.length, 0);
    const value: unknown = yield this.value.value(context, false);
    context.memoryLimit.use(charsInList(value) * compared);
    yield* super.render(context, emitter);
  }
}

/** Counts the output, also that of a `capture`. */
export class MeteredEmitter implements Emitter {
  readonly #limit: Context['memoryLimit'];
  buffer = '';

  constructor({ memoryLimit }: Pick<Context, 'memoryLimit'>) {
    this.#limit = memoryLimit;
  }

  write(part: unknown): void {
    const value: unknown = toValue(part);
    if (Array.isArray(value)) {
      this.#limit.use(value.length * FLOW_CHARS_PER_UNIT);
      for (const each of value) this.write(each);
      return;
    }
    const text = typeof value === 'string' ? value : String(value ?? '');
    this.#limit.use(text.length);
    this.buffer += text;
  }
}

/** A comparison reads lists to their ends, and a search its text. */
export function meteredOperators(): Operators {
  const operators = { ...defaultOperators };
  for (const name of ['==', '!=', 'contains']) {
    const original = defaultOperators[name];
    if (!original) continue;
    operators[name] = (...given: [unknown, unknown, Context]) => {
      const [left, right, { memoryLimit }] = given;
      const searched = name === 'contains' ? charsOfSearch(left, right) : 0;
      memoryLimit.use(charsInList(left) + charsInList(right) + searched);
      return Reflect.apply(original, undefined, given);
    };
  }
  return operators;
}

/** A filter spends for all that it reads: some of Liquid's own count only what they make. */
export function withCost(liquid: Liquid, name: string): void {
  const original = liquid.filters[name];
  if (typeof original !== 'function') return;
  const ownChars = (DATE_FILTERS.includes(name) ? FLOW_DATE_UNITS : 1) * FLOW_CHARS_PER_UNIT;
  liquid.registerFilter(name, function (this: Filtering, ...given: [unknown, ...unknown[]]) {
    const read = given.reduce<number>((sum, each) => sum + charsOf(each), ownChars);
    const [value, first] = given;
    const searched = SEARCH_FILTERS.includes(name) ? charsOfSearch(value, first) : 0;
    this.context.memoryLimit.use(read + charsForItems(given) + searched);
    return original.call(this, ...given);
  });
}

/** A property's path, and an expression, is read for each item. */
function charsForItems([value, ...args]: readonly [unknown, ...unknown[]]): number {
  if (!Array.isArray(value)) return 0;
  const texts = args.filter((each) => typeof each === 'string').join('');
  return (value.length * texts.length * FLOW_CHARS_PER_UNIT) / FLOW_ARGUMENT_CHARS_PER_UNIT;
}

/** A long text is compared with much of a long pattern at each of its characters. */
function charsOfSearch(text: unknown, pattern: unknown): number {
  if (typeof text !== 'string' || typeof pattern !== 'string') return 0;
  return text.length * (1 + pattern.length / PATTERN_CHARS_AT_ONCE);
}

function charsInList(value: unknown): number {
  return Array.isArray(value) ? charsOf(value) : 0;
}

/**
 * An item of a list may cost a filter as much as a round of a loop, and its text is read too. A
 * list may hold another one many times, and so on: beyond the budget the rest is not counted.
 */
function charsOf(value: unknown, most = STEP_CHARS): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 0;
  const isList = Array.isArray(value);
  let chars = 0;
  for (const each of isList ? value : Object.values(value)) {
    if (isList) chars += FLOW_CHARS_PER_UNIT + charsOf(each, most - chars);
    else chars += 1 + (typeof each === 'string' ? 0 : charsOf(each, most - chars));
    if (chars > most) break;
  }
  return chars;
}
