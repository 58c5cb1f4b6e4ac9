/** Conditions of a `choose` step: one subject, and for a text one comparison with it. */
import * as v from 'valibot';
import { INTERACTIVE } from '../interactive-limits.ts';
import { FLOW_CONDITION_DEPTH_MAX, TAG_MAX_CHARS } from '../limits.ts';
import { isLocalTime, WEEKDAYS } from '../time/local-time.ts';
import { answerPath, shortText, stepMessage } from './flow-values.ts';
import { messageFor } from './problem-message.ts';
import { text } from './values.ts';

/** All of `all`, some of `any`, none of `not`; `hours` is `HH:MM-HH:MM` and may pass midnight. */
export interface Condition {
  readonly answer?: string;
  readonly field?: string;
  readonly tag?: string;
  readonly optIn?: boolean;
  readonly hours?: string;
  readonly weekday?: readonly (typeof WEEKDAYS)[number][];
  readonly window?: (typeof WINDOWS)[number];
  readonly all?: readonly Condition[];
  readonly any?: readonly Condition[];
  readonly not?: Condition;
  /** Id of the button or row that the contact pressed for the answer. */
  readonly chosen?: string;
  readonly equals?: string;
  readonly contains?: string;
  readonly starts?: string;
  readonly in?: readonly string[];
  readonly exists?: boolean;
  readonly above?: number;
  readonly below?: number;
}

/** The network takes free text while the window is open. */
export const WINDOWS = ['open', 'closed'] as const;

const SUBJECTS = [
  'answer',
  'field',
  'tag',
  'optIn',
  'hours',
  'weekday',
  'window',
  'all',
  'any',
  'not',
] as const;
const COMPARISONS = [
  ...['equals', 'contains', 'starts', 'in', 'exists', 'above', 'below'],
  'chosen',
] as const;
const TEXT_SUBJECTS: ReadonlySet<string> = new Set(['answer', 'field']);

function named(condition: object, names: readonly string[]): string[] {
  return names.filter((name) => Object.hasOwn(condition, name));
}

function subjectIsClear(condition: object): boolean {
  return named(condition, SUBJECTS).length === 1;
}

function comparisonFits(condition: object): boolean {
  const [subject = ''] = named(condition, SUBJECTS);
  return named(condition, COMPARISONS).length === (TEXT_SUBJECTS.has(subject) ? 1 : 0);
}

function chosenFits(condition: object): boolean {
  return !Object.hasOwn(condition, 'chosen') || !Object.hasOwn(condition, 'field');
}

function areHours(value: string): boolean {
  const times = value.split('-');
  return times.length === 2 && times.every(isLocalTime);
}

const lists = v.exactOptional(
  v.pipe(
    v.array(
      v.lazy(() => conditionSchema),
      messageFor('notConditions', {}),
    ),
    v.minLength(1, messageFor('noConditions', {})),
    v.maxLength(20, messageFor('tooManyConditions', { most: 20 })),
  ),
);

const ofText = {
  chosen: v.exactOptional(text(INTERACTIVE.BUTTON_ID_MAX_CHARS)),
  equals: v.exactOptional(shortText),
  contains: v.exactOptional(shortText),
  starts: v.exactOptional(shortText),
  in: v.exactOptional(
    v.pipe(
      v.array(shortText, messageFor('notTexts', {})),
      v.maxLength(100, messageFor('tooManyTexts', { most: 100 })),
    ),
  ),
  exists: v.exactOptional(v.boolean(messageFor('notFlag', {}))),
  above: v.exactOptional(v.number(messageFor('notNumber', {}))),
  below: v.exactOptional(v.number(messageFor('notNumber', {}))),
};

export const conditionSchema: v.GenericSchema<unknown, Condition> = v.pipe(
  v.strictObject(
    {
      answer: v.exactOptional(answerPath),
      field: v.exactOptional(shortText),
      tag: v.exactOptional(text(TAG_MAX_CHARS)),
      optIn: v.exactOptional(v.boolean(messageFor('notFlag', {}))),
      hours: v.exactOptional(
        v.pipe(
          v.string(messageFor('notText', {})),
          v.check(areHours, messageFor('notHours', {})),
          v.title('times of day'),
        ),
      ),
      weekday: v.exactOptional(
        v.array(
          v.picklist(WEEKDAYS, messageFor('notOneOf', { names: WEEKDAYS })),
          messageFor('notListOf', { names: WEEKDAYS }),
        ),
      ),
      window: v.exactOptional(
        v.picklist(WINDOWS, messageFor('notOneOf', { names: ['open', 'closed'] })),
      ),
      all: lists,
      any: lists,
      not: v.exactOptional(v.lazy(() => conditionSchema)),
      ...ofText,
    },
    stepMessage,
  ),
  v.check(subjectIsClear, messageFor('unclearSubject', { names: SUBJECTS })),
  v.check(
    (condition) => !subjectIsClear(condition) || comparisonFits(condition),
    messageFor('unfitComparison', { names: COMPARISONS }),
  ),
  v.check(chosenFits, messageFor('chosenOfField', {})),
);

const NESTING = ['all', 'any', 'not'] as const;

/** Nesting depth of `all`, `any` and `not`, in a value that is not validated yet. */
export function isTooDeep(condition: unknown, depth = 0): boolean {
  if (depth > FLOW_CONDITION_DEPTH_MAX) return true;
  if (typeof condition !== 'object' || condition === null) return false;
  const inner: unknown[] = NESTING.map((name) => Reflect.get(condition, name));
  return inner.flat().some((each) => isTooDeep(each, depth + 1));
}
