/** Events for a hundred subscribers at once: tasks, which cost one small document each. */
import { type Call, runOpenLoop } from '../open-loop.ts';
import { tokenOf } from '../organization.ts';
import { quantile } from '../rounds.ts';
import type { BenchService } from '../service.ts';
import type { Arrival, Subscribers } from '../subscribers.ts';
import type { Context } from '../suite.ts';

const CONNECTIONS = 64;
const POLL_MS = 20;
const TIMEOUT_MS = 90_000;

export interface Stage {
  readonly context: Context;
  readonly service: BenchService;
  readonly subscribers: Subscribers;
}

export interface Pace {
  readonly perSecond: number;
  readonly seconds: number;
}

export interface Delivered {
  readonly calls: readonly Call[];
  readonly arrivals: readonly Arrival[];
}

/** Makes tasks of the organization and waits until `prompt` subscribers have received each. */
export async function deliver(
  { context, service, subscribers }: Stage,
  { ref, prompt }: { readonly ref: string; readonly prompt: number },
  { perSecond, seconds }: Pace,
): Promise<Delivered> {
  await subscribers.take();
  const calls = await runOpenLoop(context.children, {
    port: Number(new URL(service.run().baseUrl).port),
    perSecond,
    seconds,
    connections: CONNECTIONS,
    path: '/api/v1/tasks',
    token: tokenOf(ref),
    bodies: [JSON.stringify({ title: 'Tarefa de número {n}', notes: 'x'.repeat(200) })],
    phones: 1,
  });
  const refused = calls.filter(({ status }) => status !== 201);
  if (refused.length > 0) throw new Error(`${refused.length} tasks were refused`);
  const startedAt = performance.now();
  while ((await subscribers.count()) < calls.length * prompt) {
    if (performance.now() - startedAt > TIMEOUT_MS) throw new Error('deliveries are missing');
    await new Promise((resume) => setTimeout(resume, POLL_MS));
  }
  return { calls, arrivals: await subscribers.take() };
}

/** Deliveries per second while there was a backlog: between the first and the last tenth. */
export function ratePerSecond({ arrivals }: Delivered): number {
  const times = arrivals.map(({ at }) => at).toSorted((a, b) => a - b);
  return (0.8 * times.length * 1000) / (quantile(times, 0.9) - quantile(times, 0.1));
}

/** From when the event's call was due to the subscriber's first byte, sorted; some ports only. */
export function latencies(
  { calls, arrivals }: Delivered,
  ports: ReadonlySet<number>,
): readonly number[] {
  const dueAt = new Map(calls.map((call) => [call.id, call.dueAt]));
  return arrivals
    .filter(({ port }) => ports.has(port))
    .map(({ id, at }) => at - (dueAt.get(id) ?? Number.NaN))
    .toSorted((a, b) => a - b);
}
