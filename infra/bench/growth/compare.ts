/** One call, measured on both organizations in turns: its latency and its processor time. */
import { type CpuByRole, cpuByRole, cpuSince } from '../cpu.ts';
import { median, quantile } from '../rounds.ts';
import type { BenchService } from '../service.ts';
import type { Call } from './calls.ts';
import { ask, type Side } from './sides.ts';

const WARM_UP_CALLS = 5;

interface Measured {
  readonly ms: readonly number[];
  /** Of all the service's processes, per call. */
  readonly cpuMs: number;
}

export interface Compared {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly cpuMs: number;
}

/** By the sides' order. */
export async function compare(
  service: BenchService,
  call: Call,
  { sides, rounds }: { readonly sides: readonly Side[]; readonly rounds: number },
): Promise<readonly Compared[]> {
  const measured = sides.map((): Measured[] => []);
  const counter = { n: 0 };
  for (const side of sides) await measure(service, side, { call, times: WARM_UP_CALLS, counter });
  for (let round = 0; round < rounds; round++) {
    for (const [at, side] of sides.entries()) {
      measured[at]?.push(await measure(service, side, { call, times: call.times, counter }));
    }
  }
  return measured.map(summed);
}

interface Effort {
  readonly call: Call;
  readonly times: number;
  /** No request of a call is like another. */
  readonly counter: { n: number };
}

async function measure(
  service: BenchService,
  side: Side,
  { call, times, counter }: Effort,
): Promise<Measured> {
  const before = cpuByRole(service.run().pids);
  const ms: number[] = [];
  for (let time = 0; time < times; time++) {
    const request = call.request({ ...side, n: counter.n++ });
    const startedAt = performance.now();
    const { status } = await ask(service, side, request);
    ms.push(performance.now() - startedAt);
    if (status >= 300) throw new Error(`${side.name} answered ${status}: ${call.name}`);
  }
  const used: CpuByRole = cpuSince(before, cpuByRole(service.run().pids));
  const seconds = Object.values(used).reduce((sum, each) => sum + each, 0);
  return { ms, cpuMs: (seconds * 1_000) / times };
}

function summed(rounds: readonly Measured[]): Compared {
  const all = rounds.flatMap(({ ms }) => ms).toSorted((a, b) => a - b);
  return {
    p50Ms: median(rounds.map(({ ms }) => median(ms))),
    p99Ms: quantile(all, 0.99),
    cpuMs: median(rounds.map(({ cpuMs }) => cpuMs)),
  };
}
