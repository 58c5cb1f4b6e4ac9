/**
 * Subscribers in a separate process, each at an origin of its own, as real ones are. Some answer at
 * once, others accept a delivery and never answer.
 */
import * as v from 'valibot';
import { freePort } from '../programs/service/supervisor/ports.ts';
import type { ChildProcesses } from './child-processes.ts';

const SubscribersSchema = v.object({
  /** Port of the report of the deliveries that arrived. */
  reportPort: v.number(),
  prompt: v.array(v.number()),
  hanging: v.array(v.number()),
});
type SubscribersPlan = v.InferOutput<typeof SubscribersSchema>;

const ArrivalSchema = v.object({
  port: v.number(),
  event: v.string(),
  /** Of the message, task … that the event is about. */
  id: v.string(),
  /** Of a message, as far as it has no quotation mark. */
  text: v.string(),
  delivery: v.string(),
  /** Milliseconds of the machine's clock, at the first bytes of the request. */
  at: v.number(),
});
export type Arrival = v.InferOutput<typeof ArrivalSchema>;

export interface Subscribers {
  /** `http://127.0.0.1:port/`, one per subscriber. */
  readonly prompt: readonly string[];
  readonly hanging: readonly string[];
  /** Number of deliveries that the prompt ones received since the last `take`. */
  count(): Promise<number>;
  /** The deliveries that the prompt ones received since the last `take`. */
  take(): Promise<readonly Arrival[]>;
}

export function parseSubscribersPlan(text: string): SubscribersPlan {
  return v.parse(SubscribersSchema, JSON.parse(text));
}

export async function startSubscribers(
  children: ChildProcesses,
  wanted: { readonly prompt: number; readonly hanging: number },
): Promise<Subscribers> {
  const [reportPort = 0, ...ports] = await freePorts(1 + wanted.prompt + wanted.hanging);
  const prompt = ports.slice(0, wanted.prompt);
  const hanging = ports.slice(wanted.prompt);
  const plan: SubscribersPlan = { reportPort, prompt, hanging };
  const args = ['infra/bench/subscribers-process.ts', JSON.stringify(plan)];
  await children.start({ args, readyOutput: 'listening' });
  const ask = async (path: string): Promise<unknown> =>
    (await fetch(`http://127.0.0.1:${reportPort}${path}`)).json();
  const urlOf = (port: number): string => `http://127.0.0.1:${port}/`;
  return {
    prompt: prompt.map(urlOf),
    hanging: hanging.map(urlOf),
    count: async () => v.parse(v.number(), await ask('/count')),
    take: async () => v.parse(v.array(ArrivalSchema), await ask('/take')),
  };
}

/** Different ones: a free port is not held. */
export async function freePorts(count: number): Promise<readonly number[]> {
  const ports = new Set<number>();
  while (ports.size < count) ports.add(await freePort('127.0.0.1'));
  return [...ports];
}
