/** Types of single properties of a flow's steps, with their error messages. */
import * as v from 'valibot';
import {
  FLOW_DEBOUNCE_MAX_MS,
  FLOW_DURATION_MAX_MS,
  FLOW_TEMPLATE_MAX_CHARS,
  MESSAGE_TEXT_MAX_CHARS,
} from '../limits.ts';
import { RESERVED_NAMES } from '../text/reserved-names.ts';
import { isLocalTime } from '../time/local-time.ts';
import { DURATION, parseDuration } from './duration.ts';
import { messageFor } from './problem-message.ts';
import { NOT_TEXT, objectMessage, text } from './values.ts';

/** The step that follows; null ends the flow there. A later check finds out whether it exists. */
export const pointer = v.nullable(
  v.pipe(v.string(messageFor('notPointer', {})), v.title("a step's id")),
);

export const shortText = text(500);

/** A Liquid template; a later check finds out whether it can be parsed. */
export const template = v.pipe(text(FLOW_TEMPLATE_MAX_CHARS), v.title('template'));
export const messageTemplate = v.pipe(
  text(Math.max(FLOW_TEMPLATE_MAX_CHARS, MESSAGE_TEXT_MAX_CHARS)),
  v.title('template'),
);

/** Whether a template has parts that are known only when it is rendered. */
export function isLiquid(source: string): boolean {
  return source.includes('{{') || source.includes('{%');
}

function namesNothingReserved(input: unknown): boolean {
  if (typeof input !== 'object' || input === null) return true;
  return !RESERVED_NAMES.some((name) => Object.hasOwn(input, name));
}

/** Templates by name. */
export function templatesBy(name: v.GenericSchema<string, string>) {
  return v.pipe(
    v.custom<unknown>(namesNothingReserved, messageFor('reservedNames', { names: RESERVED_NAMES })),
    v.record(name, template, messageFor('notObject', {})),
  );
}

/** A name that an answer is kept under. */
export const answerName = v.pipe(
  v.string(NOT_TEXT),
  v.regex(/^[A-Za-z_]\w{0,39}$/, messageFor('notAnswerName', {})),
  v.title('name of an answer'),
);

/** `answer`, or `order.status` inside the stored result of an http step. */
export const answerPath = v.pipe(
  v.string(NOT_TEXT),
  v.regex(/^[A-Za-z_]\w{0,39}(\.\w{1,60}){0,5}$/, messageFor('notAnswerPath', {})),
  v.title("an answer's name, or a path in it"),
);

function durationUpTo(maxMs: number, most: string) {
  return v.pipe(
    v.string(NOT_TEXT),
    v.regex(DURATION, messageFor('notLongDuration', {})),
    v.check((value) => (parseDuration(value) ?? 1) > 0, messageFor('noDuration', {})),
    v.check((value) => (parseDuration(value) ?? 0) <= maxMs, messageFor('tooLarge', { most })),
    v.title(`duration, at most ${most}`),
  );
}

export const stepDuration = durationUpTo(FLOW_DURATION_MAX_MS, '730d');
export const debounceDuration = durationUpTo(FLOW_DEBOUNCE_MAX_MS, '5m');

export const timeOfDay = v.pipe(
  v.string(NOT_TEXT),
  v.check(isLocalTime, messageFor('notTimeOfDay', {})),
  v.title('time of day'),
);

interface StepProblem {
  readonly expected: string | null;
  readonly received: string;
}

/** A step without `next` is a dead end; else as everywhere in the file. */
export function stepMessage(problem: StepProblem): string {
  const missing = problem.received === 'undefined' && problem.expected === '"next"';
  return missing ? messageFor('requiredNext', {}) : objectMessage(problem);
}

const id = v.pipe(v.string(), v.title("a step's id"));

/** The schema of a step: its id, its `do`, and what that takes. */
export function step<const Do extends string, Entries extends v.ObjectEntries>(
  action: Do,
  entries: Entries,
) {
  return v.strictObject({ id, do: v.literal(action), ...entries }, stepMessage);
}
