/**
 * What deliveries are compared with: a loop that signs and posts, and nothing else. No database, no
 * retries, no look at where an address leads.
 */
import * as v from 'valibot';
import type { ChildProcesses } from '../child-processes.ts';

const BareSchema = v.object({
  urls: v.pipe(v.array(v.string()), v.readonly()),
  /** POSTs under way at once, over all of them. */
  inFlight: v.number(),
  seconds: v.number(),
  body: v.string(),
});
export type BarePlan = v.InferOutput<typeof BareSchema>;

export function parseBarePlan(text: string): BarePlan {
  return v.parse(BareSchema, JSON.parse(text));
}

/** POSTs that were answered, per second. */
export async function runBareLoop(children: ChildProcesses, plan: BarePlan): Promise<number> {
  const printed = await children.run(['infra/bench/deliveries/bare-loop-process.ts'], {
    input: JSON.stringify(plan),
  });
  return v.parse(v.number(), JSON.parse(printed));
}
