/**
 * History of a run, as JSON lines: every call with its start and end, every fault, all
 * observations, and the final reads. Observations are those of the network and the subscriber.
 * 1. A process makes one call at a time.
 * 2. `ok` and `refused` are answers of the service. An `info` is a 5xx, a time-out or a broken
 *    connection: the call may take effect at any later time, or never.
 * 3. An observation (the network took a message, a delivery came) is an `ok` without an `invoke`.
 */
import * as v from 'valibot';

export const RecordedSchema = v.object({
  process: v.string(),
  op: v.string(),
  type: v.picklist(['invoke', 'ok', 'refused', 'info']),
  /** Epoch milliseconds, with fractions. */
  t: v.number(),
  body: v.unknown(),
});
export type Recorded = v.InferOutput<typeof RecordedSchema>;
export type History = readonly Recorded[];

export type Outcome = Exclude<Recorded['type'], 'invoke'>;

export interface Call<Request, Answer> {
  readonly process: string;
  readonly request: Request;
  readonly outcome: Outcome;
  /** Of an `ok`. */
  readonly answer: Answer | null;
  readonly startedAt: number;
  /** Infinite for `info`: it may happen at any time after it was made. */
  readonly endedAt: number;
}

export interface CallShape<Request extends v.GenericSchema, Answer extends v.GenericSchema> {
  readonly request: Request;
  readonly answer: Answer;
}

/** The calls of one operation, in the order in which they were made. */
export function callsOf<Request extends v.GenericSchema, Answer extends v.GenericSchema>(
  history: History,
  op: string,
  shape: CallShape<Request, Answer>,
): Call<v.InferOutput<Request>, v.InferOutput<Answer>>[] {
  const calls: Call<v.InferOutput<Request>, v.InferOutput<Answer>>[] = [];
  const open = new Map<string, number>();
  for (const { process, op: found, type, t, body } of history) {
    if (found !== op) continue;
    if (type === 'invoke') {
      open.set(process, calls.length);
      const request = v.parse(shape.request, body);
      const unanswered = { outcome: 'info', answer: null, endedAt: Number.POSITIVE_INFINITY };
      calls.push({ process, request, startedAt: t, ...unanswered, outcome: 'info' });
      continue;
    }
    const index = open.get(process);
    const made = index === undefined ? undefined : calls[index];
    if (index === undefined || made === undefined || type === 'info') continue;
    open.delete(process);
    const answer = type === 'ok' ? v.parse(shape.answer, body) : null;
    calls[index] = { ...made, outcome: type, answer, endedAt: t };
  }
  return calls;
}

export type Seen<Body> = Body & { readonly t: number };

/** Observations under one name, in order. */
export function seenOf<Body extends v.GenericSchema<unknown, object>>(
  history: History,
  op: string,
  schema: Body,
): Seen<v.InferOutput<Body>>[] {
  return history
    .filter((recorded) => recorded.op === op && recorded.type === 'ok')
    .map(({ t, body }) => ({ ...v.parse(schema, body), t }));
}

export function historyFrom(lines: string): Recorded[] {
  return lines
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => v.parse(RecordedSchema, JSON.parse(line)));
}
