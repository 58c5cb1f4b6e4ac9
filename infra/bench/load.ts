/**
 * A closed-loop load in a process of its own: so many connections, each with one request under way.
 * What is measured shares the machine with it, so it costs as little as it can: raw sockets.
 */
import * as v from 'valibot';
import type { ChildProcesses } from './child-processes.ts';

const LoadSchema = v.object({
  port: v.number(),
  connections: v.number(),
  seconds: v.number(),
  path: v.string(),
  token: v.string(),
  /** JSON; `{n}` stands for the request's number, `{phone}` for one of the phones. */
  body: v.string(),
  phones: v.number(),
  /** Ends earlier after so many requests. */
  most: v.optional(v.number()),
});
export type LoadPlan = v.InferOutput<typeof LoadSchema>;

const LoadedSchema = v.object({
  accepted: v.number(),
  /** Answers other than 201, by status. */
  refused: v.record(v.string(), v.number()),
  perSecond: v.number(),
  p50Ms: v.number(),
  p99Ms: v.number(),
  p999Ms: v.number(),
});
export type Loaded = v.InferOutput<typeof LoadedSchema>;

export function parseLoadPlan(text: string): LoadPlan {
  return v.parse(LoadSchema, JSON.parse(text));
}

/** Runs the load and resolves with what the answers were. */
export async function runLoad(children: ChildProcesses, plan: LoadPlan): Promise<Loaded> {
  const printed = await children.run(['infra/bench/load-process.ts', JSON.stringify(plan)]);
  return v.parse(LoadedSchema, JSON.parse(printed));
}
