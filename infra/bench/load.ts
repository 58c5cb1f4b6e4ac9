/**
 * A closed-loop load in a separate process: a fixed number of connections, each with one request in
 * flight. The measured service shares the machine with it, so it uses raw sockets to cost little.
 */
import * as v from 'valibot';
import type { ChildProcesses } from './child-processes.ts';

const LoadSchema = v.object({
  port: v.number(),
  connections: v.number(),
  seconds: v.number(),
  /** `{phone}` is replaced by the phone's digits. */
  path: v.string(),
  token: v.string(),
  /**
   * JSON, one per call in turn; `{n}` is replaced by the request's number, `{phone}` by one of the
   * phones.
   */
  bodies: v.pipe(v.array(v.string()), v.readonly()),
  phones: v.number(),
  /** The first of the phones; 0 where nothing is said. */
  firstPhone: v.optional(v.number()),
  /** Ends earlier after so many requests. */
  most: v.optional(v.number()),
  /** The status of an accepted call; 201 where nothing is said. */
  acceptedStatus: v.optional(v.number()),
  /** Each call gets an `Idempotency-Key` of its own, which begins so. */
  keyPrefix: v.optional(v.string()),
});
export type LoadPlan = v.InferOutput<typeof LoadSchema>;

const LoadedSchema = v.object({
  accepted: v.number(),
  /** Answers of other statuses, by status. */
  refused: v.record(v.string(), v.number()),
  /** The numbers of these requests. */
  refusedNumbers: v.array(v.number()),
  perSecond: v.number(),
  p50Ms: v.number(),
  p99Ms: v.number(),
  p999Ms: v.number(),
});
export type Loaded = v.InferOutput<typeof LoadedSchema>;

export function parseLoadPlan(text: string): LoadPlan {
  return v.parse(LoadSchema, JSON.parse(text));
}

/** Runs the load and resolves with the counts of the answers. */
export async function runLoad(children: ChildProcesses, plan: LoadPlan): Promise<Loaded> {
  const printed = await children.run(['infra/bench/load-process.ts', JSON.stringify(plan)]);
  return v.parse(LoadedSchema, JSON.parse(printed));
}
