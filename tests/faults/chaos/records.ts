/**
 * Records of a run, as JSON lines: every call with its start and end, every fault, all
 * observations, and the final reads. Observations are those of the network and the subscriber.
 * 1. A process makes one call at a time.
 * 2. `ok` and `refused` are answers of the service. An `info` is a 5xx, a time-out or a broken
 *    connection.
 * 3. An observation (the network took a message, a delivery came) is an `ok` without an `invoke`.
 */
import * as v from 'valibot';

const RecordedSchema = v.object({
  process: v.string(),
  op: v.string(),
  type: v.picklist(['invoke', 'ok', 'refused', 'info']),
  /** Epoch milliseconds, with fractions. */
  t: v.number(),
  body: v.unknown(),
});
export type Recorded = v.InferOutput<typeof RecordedSchema>;

export type Outcome = Exclude<Recorded['type'], 'invoke'>;

export type Seen<Body> = Body & { readonly t: number };

/** Observations under one name, in order. */
export function seenOf<Body extends v.GenericSchema<unknown, object>>(
  records: readonly Recorded[],
  op: string,
  schema: Body,
): Seen<v.InferOutput<Body>>[] {
  return records
    .filter((recorded) => recorded.op === op && recorded.type === 'ok')
    .map(({ t, body }) => ({ ...v.parse(schema, body), t }));
}

export function recordsFrom(lines: string): Recorded[] {
  return lines
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => v.parse(RecordedSchema, JSON.parse(line)));
}
