/**
 * The steps of a flow, one schema per `do` (docs/flows.md). Unknown properties are problems, so
 * that a typo never passes silently.
 */
import * as v from 'valibot';
import { TAG_MAX_CHARS, WEBHOOK_FIELD_KEY_MAX_CHARS } from '../limits.ts';
import { WEEKDAYS } from '../time/local-time.ts';
import { parseDuration } from './duration.ts';
import { conditionSchema, isTooDeep } from './flow-conditions.ts';
import { send } from './flow-send.ts';
import {
  answerName,
  debounceDuration,
  pointer,
  shortText,
  step,
  stepDuration,
  stepMessage,
  template,
  templatesBy,
  timeOfDay,
} from './flow-values.ts';
import { messageFor } from './problem-message.ts';
import { NOT_TEXT, text, wholeNumber } from './values.ts';

const CENTS_MAX = 100_000_000_000;
/** The network shows for so long that an answer is being written. */
const TYPING_MAX_MS = 25_000;
const tags = v.pipe(
  v.array(text(TAG_MAX_CHARS), messageFor('notTags', {})),
  v.minLength(1, messageFor('noTags', {})),
  v.maxLength(20, messageFor('tooManyTagsNamed', { most: 20 })),
);

const wait = v.pipe(
  step('wait', {
    timeout: v.exactOptional(stepDuration),
    saveAs: v.exactOptional(answerName),
    debounce: v.exactOptional(debounceDuration),
    next: pointer,
    onTimeout: v.exactOptional(pointer),
  }),
  v.check(
    (each) => each.onTimeout === undefined || each.timeout !== undefined,
    messageFor('timeoutNeeded', {}),
  ),
);

const choose = step('choose', {
  cases: v.pipe(
    v.array(
      v.strictObject(
        {
          // Before it is read: a schema calls itself for each level.
          when: v.pipe(
            v.unknown(),
            v.check((when) => !isTooDeep(when), messageFor('tooDeep', {})),
            conditionSchema,
          ),
          next: pointer,
        },
        stepMessage,
      ),
      messageFor('notCases', {}),
    ),
    v.minLength(1, messageFor('noCases', {})),
    v.maxLength(50, messageFor('tooManyCases', { most: 50 })),
  ),
  else: pointer,
});

function isShown(duration: string | undefined): boolean {
  return duration !== undefined && (parseDuration(duration) ?? 0) <= TYPING_MAX_MS;
}

const delay = v.pipe(
  step('delay', {
    for: v.exactOptional(stepDuration),
    until: v.exactOptional(timeOfDay),
    weekdays: v.exactOptional(
      v.pipe(
        v.array(
          v.picklist(WEEKDAYS, messageFor('notOneOf', { names: WEEKDAYS })),
          messageFor('notList', {}),
        ),
        v.minLength(1, messageFor('noDays', {})),
      ),
    ),
    /** Whether the contact sees that an answer is being written. */
    typing: v.exactOptional(v.boolean(messageFor('notFlag', {}))),
    next: pointer,
  }),
  v.check(
    (each) => (each.for === undefined) !== (each.until === undefined),
    messageFor('forOrUntil', {}),
  ),
  v.check(
    (each) => each.typing !== true || isShown(each.for),
    messageFor('typingTooLong', { seconds: TYPING_MAX_MS / 1_000 }),
  ),
);

const fieldKey = text(WEBHOOK_FIELD_KEY_MAX_CHARS);
const set = step('set', {
  fields: templatesBy(fieldKey),
  next: pointer,
});
const tag = step('tag', { tags, next: pointer });
const untag = step('untag', { tags, next: pointer });

/** An opt-out stops every flow, this one too: nothing comes after it (D20). */
const opt = v.pipe(
  step('opt', { optIn: v.boolean(messageFor('notFlag', {})), next: v.exactOptional(pointer) }),
  v.check((each) => each.optIn === (each.next !== undefined), messageFor('optNext', {})),
);

const member = v.pipe(v.string(NOT_TEXT), v.title("a member's ref"));
const assign = step('assign', { member: v.nullable(member), next: pointer });

const deal = v.pipe(
  step('deal', {
    action: v.picklist(
      ['create', 'move', 'close'],
      messageFor('notOneOf', { names: ['create', 'move', 'close'] }),
    ),
    title: v.exactOptional(template),
    valueCents: v.exactOptional(wholeNumber(0, CENTS_MAX)),
    /** A stage's name or id. */
    stage: v.exactOptional(shortText),
    status: v.exactOptional(
      v.picklist(['won', 'lost'], messageFor('notOneOf', { names: ['won', 'lost'] })),
    ),
    lostReason: v.exactOptional(text(80)),
    next: pointer,
  }),
  v.check(
    (each) => each.action !== 'create' || each.title !== undefined,
    messageFor('titleNeeded', {}),
  ),
  v.check(
    (each) => each.action !== 'move' || each.stage !== undefined,
    messageFor('stageNeeded', {}),
  ),
  v.check(
    (each) => each.action !== 'close' || each.status !== undefined,
    messageFor('statusNeeded', {}),
  ),
  v.check(
    (each) => (each.status === 'lost') === (each.lostReason !== undefined),
    messageFor('lostReasonAlone', {}),
  ),
);

const task = v.pipe(
  step('task', {
    title: template,
    notes: v.exactOptional(template),
    assignee: v.exactOptional(member),
    /** Days from the day on which the step runs. */
    dueInDays: v.exactOptional(wholeNumber(0, 730)),
    dueTime: v.exactOptional(timeOfDay),
    next: pointer,
  }),
  v.check(
    (each) => each.dueTime === undefined || each.dueInDays !== undefined,
    messageFor('dueInDaysNeeded', {}),
  ),
);

const headerName = v.pipe(
  v.string(),
  v.regex(/^[A-Za-z][A-Za-z0-9-]{0,60}$/, messageFor('notHeaderName', {})),
);
const http = step('http', {
  method: v.exactOptional(
    v.picklist(
      ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
      messageFor('notOneOf', { names: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] }),
    ),
  ),
  url: template,
  headers: v.exactOptional(templatesBy(headerName)),
  body: v.exactOptional(template),
  saveAs: v.exactOptional(answerName),
  next: pointer,
  onError: v.exactOptional(pointer),
});

/** The run goes over into the other flow: there is no way back. */
const start = step('start', { flow: v.pipe(v.string(NOT_TEXT), v.title("a flow's ref")) });

const handoff = step('handoff', {
  member: v.exactOptional(member),
  note: v.exactOptional(template),
  pause: v.exactOptional(stepDuration),
});

const end = step('end', {
  status: v.exactOptional(
    v.picklist(['open', 'resolved'], messageFor('notOneOf', { names: ['open', 'resolved'] })),
  ),
});

export const STEP_SCHEMAS = {
  send,
  wait,
  choose,
  delay,
  set,
  tag,
  untag,
  opt,
  assign,
  deal,
  task,
  http,
  start,
  handoff,
  end,
} as const;

export type StepAction = keyof typeof STEP_SCHEMAS;
export const STEP_ACTIONS: readonly string[] = Object.keys(STEP_SCHEMAS);

export type FlowStep = { [A in StepAction]: v.InferOutput<(typeof STEP_SCHEMAS)[A]> }[StepAction];
export type StepOf<A extends StepAction> = Extract<FlowStep, { readonly do: A }>;

export function isStepAction(action: unknown): action is StepAction {
  return typeof action === 'string' && Object.hasOwn(STEP_SCHEMAS, action);
}

/** Reads steps that were checked when they were applied. @throws {v.ValiError} on any others */
export function readSteps(steps: readonly unknown[]): readonly FlowStep[] {
  return steps.map((raw) => {
    const action = typeof raw === 'object' && raw !== null && 'do' in raw ? raw.do : null;
    if (!isStepAction(action)) throw new TypeError(`no step does ${String(action)}`);
    return v.parse<v.GenericSchema<unknown, FlowStep>>(STEP_SCHEMAS[action], raw);
  });
}
