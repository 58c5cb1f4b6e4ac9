/** Event streams: connecting to one, and acknowledging what it has written. */
import * as v from 'valibot';
import { CONTRACT_EVENTS, EVERY_CONTRACT_EVENT, EXTENSION_EVENTS } from '../events.ts';
import { EVENT_STREAM_NAME_MAX_CHARS, EVENT_STREAM_RESULTS_MAX } from '../limits.ts';
import { idText, listUpTo, requestObject, wholeBetween, wholeCount } from './fields.ts';
import { atLeast, atMost, oneOf, SENTENCES } from './sentences.ts';

/** The stream of a key whose connection names none. */
const DEFAULT_STREAM = 'default';

const DAY_MS = 24 * 60 * 60 * 1000;
const STATUS_MIN = 100;
const STATUS_MAX = 599;
const NAME = new RegExp(`^[a-z0-9-]{1,${EVENT_STREAM_NAME_MAX_CHARS}}$`);
const CHOICES: readonly string[] = [EVERY_CONTRACT_EVENT, ...CONTRACT_EVENTS, ...EXTENSION_EVENTS];
const name = v.optional(
  v.pipe(v.string(SENTENCES.textExpected), v.regex(NAME, SENTENCES.streamName)),
  DEFAULT_STREAM,
);

/** The names of a comma-separated list, each once. */
export function eventNames(list: string): readonly string[] {
  return [...new Set(list.split(','))];
}

export const StreamEventsQuery = requestObject({
  name,
  events: v.optional(
    v.pipe(
      v.string(SENTENCES.textExpected),
      v.check((list) => eventNames(list).every((each) => CHOICES.includes(each)), oneOf(CHOICES)),
    ),
    EVERY_CONTRACT_EVENT,
  ),
});

const result = requestObject({
  id: idText,
  status: v.nullable(wholeBetween(STATUS_MIN, STATUS_MAX)),
  ms: v.pipe(
    v.number(SENTENCES.numberExpected),
    v.minValue(0, atLeast(0)),
    v.maxValue(DAY_MS, atMost(DAY_MS)),
  ),
});

/** Rules across fields point at the field to add or drop (D5). */
export const AcknowledgeEventsBody = v.pipe(
  requestObject({
    name,
    id: v.optional(idText),
    results: v.optional(listUpTo(result, EVENT_STREAM_RESULTS_MAX)),
  }),
  v.forward(
    v.partialCheck(
      [['id'], ['results']],
      ({ id, results }) => id !== undefined || results !== undefined,
      SENTENCES.idOrResults,
    ),
    ['id'],
  ),
  v.forward(
    v.partialCheck(
      [['id'], ['results']],
      ({ id, results }) => id === undefined || results === undefined,
      SENTENCES.oneAcknowledgement,
    ),
    ['results'],
  ),
);

export const AcknowledgedEventsAnswer = v.object({
  data: v.object({ acknowledged: wholeCount }),
});
