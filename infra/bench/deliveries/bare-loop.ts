/**
 * Baseline of deliveries: a loop that signs and posts, without a database, retries or checks of the
 * address.
 */
import * as v from 'valibot';
import type { ChildProcesses } from '../child-processes.ts';

const BareSchema = v.object({
  urls: v.pipe(v.array(v.string()), v.readonly()),
  /** POSTs in flight at once, over all of them. */
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
