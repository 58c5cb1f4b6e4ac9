/**
 * An open-loop load in a separate process: calls are due at a steady rate, independent of the calls
 * before. A latency counts from the due time of its call, not from the time of a free connection.
 * So the latencies include the waits that a stalled service causes.
 */
import * as v from 'valibot';
import type { ChildProcesses } from './child-processes.ts';

const OpenLoopSchema = v.object({
  port: v.number(),
  perSecond: v.number(),
  seconds: v.number(),
  /** Kept open; a call that finds none free waits for one. */
  connections: v.number(),
  path: v.string(),
  /** One, or one per body. */
  token: v.union([v.string(), v.array(v.string())]),
  /**
   * JSON, one per call in turn; `{n}`: the call's number, `{phone}`: one of the phones. A GET
   * where there is none.
   */
  bodies: v.array(v.string()),
  phones: v.number(),
  /** The first call's number, so that phones go on where a load before ended. */
  from: v.optional(v.number(), 0),
});
export type OpenLoopPlan = v.InferInput<typeof OpenLoopSchema>;

const CallSchema = v.object({
  /** Of what the call created; null when it was refused. */
  id: v.nullable(v.string()),
  status: v.number(),
  /** Milliseconds of the machine's clock (`machine-clock`). */
  dueAt: v.number(),
  answeredAt: v.number(),
});
/** One call and its answer. */
export type Call = v.InferOutput<typeof CallSchema>;

export function parseOpenLoopPlan(text: string): v.InferOutput<typeof OpenLoopSchema> {
  return v.parse(OpenLoopSchema, JSON.parse(text));
}

/**
 * Runs the load and resolves with every call, in the order in which they were due.
 * @param signal ends it before its time: no further call is due
 */
export async function runOpenLoop(
  children: ChildProcesses,
  plan: OpenLoopPlan,
  signal?: AbortSignal,
): Promise<readonly Call[]> {
  const input = JSON.stringify(plan);
  const printed = await children.run(['infra/bench/open-loop-process.ts'], { input, signal });
  return v.parse(v.array(CallSchema), JSON.parse(printed));
}
