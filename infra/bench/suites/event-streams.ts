/** Event streams: the delay of an event with ten and with a thousand of them, and their memory. */
import { setTimeout as sleep } from 'node:timers/promises';
import { openReaders } from '../event-streams/readers.ts';
import { residentMemory } from '../growth/memory.ts';
import { machineMs } from '../machine-clock.ts';
import { tokenOf } from '../organization.ts';
import { inTurns, quantile, round } from '../rounds.ts';
import { type BenchService, startService } from '../service.ts';
import type { Cell, Column, Context, Result, Suite } from '../suite.ts';

const ORGANIZATIONS = 20;
const KEYS = 5;
/** Streams of a key, with a thousand of them and with ten. */
const [MANY, FEW] = [10, 2];
const PER_SECOND = 5;
const ARRIVE_WITHIN_MS = 30_000;
const SETTLE_MS = 15_000;

export const eventStreams: Suite = {
  name: 'event-streams',
  about: 'delay of an event with 10 and with 1,000 streams in one gateway, memory of an idle one',
  run,
};

interface Delays {
  readonly streams: number;
  readonly delays: readonly number[];
}

async function run(context: Context): Promise<Result> {
  const service = await startService(context, { name: 'streams' });
  const { rounds: times } = context.options;
  const all = (times + 1) * ORGANIZATIONS + times;
  await service.apply({ orgs: Array.from({ length: all }, (_, n) => organization(n)) });
  let next = 0;
  // Streams are kept after their connection: each round has organizations of its own.
  const side = (name: string, organizations: number, names: number) => ({
    name,
    measure: () => {
      const first = next;
      next += organizations;
      return measure(context, service, { first, organizations, names });
    },
  });
  const sides = [side('few', 1, FEW), side('many', ORGANIZATIONS, MANY)];
  const rounds = await inTurns(sides, times);
  const rows = ['few', 'many'].map((name) => rowOf(rounds.get(name) ?? []));
  const weight = await weightOf(context, service, next);
  return {
    tables: [
      { title: 'From the call to the arrival', columns: COLUMNS, rows },
      { title: 'Memory of the gateway', columns: MEMORY, rows: [weight] },
    ],
    notes: [
      `${PER_SECOND} events a second, each of the next organization, ${context.options.seconds} s a round`,
    ],
  };
}

const COLUMNS: Column[] = [
  { name: 'streams', unit: '' },
  { name: 'arrivals', unit: '' },
  { name: 'p50', unit: 'ms' },
  { name: 'p99', unit: 'ms' },
  { name: 'max', unit: 'ms' },
];

const MEMORY: Column[] = [
  { name: 'streams', unit: '' },
  { name: 'without', unit: 'MB' },
  { name: 'with', unit: 'MB' },
  { name: 'a stream', unit: 'KiB' },
];

function keyRef(organizationNumber: number, key: number): string {
  return `streams-${organizationNumber}-${key}`;
}

function organization(number: number): object {
  const keys = Array.from({ length: KEYS }, (_, key) => {
    const ref = keyRef(number, key);
    return { ref, name: ref, scope: 'account', token: tokenOf(ref) };
  });
  const limits = { perKey: 1e9, perOrg: 1e9 };
  return {
    ref: `streams-${number}`,
    name: 'Streams',
    timeZone: 'UTC',
    country: 'BR',
    limits,
    keys,
  };
}

interface Wanted {
  /** Number of the first organization. */
  readonly first: number;
  readonly organizations: number;
  readonly names: number;
}

function readersOf(
  { first, organizations, names }: Wanted,
  { baseUrl }: { readonly baseUrl: string },
) {
  const tokens = Array.from({ length: organizations }, (_, number) =>
    Array.from({ length: KEYS }, (__, key) => tokenOf(keyRef(first + number, key))),
  ).flat();
  return { port: Number(new URL(baseUrl).port), tokens, names };
}

async function measure(context: Context, service: BenchService, wanted: Wanted): Promise<Delays> {
  const { baseUrl } = service.run();
  const plan = readersOf(wanted, { baseUrl });
  const readers = await openReaders(context.children, plan);
  const events = PER_SECOND * context.options.seconds;
  for (let n = 0; n < events; n++) {
    await Promise.all([
      createTask(baseUrl, tokenOf(keyRef(wanted.first + (n % wanted.organizations), 0))),
      sleep(1_000 / PER_SECOND),
    ]);
  }
  const expected = events * KEYS * wanted.names;
  const until = performance.now() + ARRIVE_WITHIN_MS;
  for (;;) {
    const { delays, open } = await readers.arrived();
    if (delays.length >= expected) {
      await readers.close();
      return { streams: open, delays };
    }
    if (performance.now() > until) throw new Error(`only ${delays.length} of ${expected} arrived`);
    await sleep(100);
  }
}

/** The title is the time: it comes back in the event. */
async function createTask(baseUrl: string, token: string): Promise<void> {
  const response = await fetch(`${baseUrl}/api/v1/tasks`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ title: String(machineMs()) }),
  });
  if (response.status !== 201) throw new Error(`a task was answered ${response.status}`);
  await response.text();
}

function rowOf(rounds: readonly Delays[]): Cell[] {
  const all = rounds.flatMap(({ delays }) => delays).toSorted((a, b) => a - b);
  const [first] = rounds;
  const at = (share: number): number => round(quantile(all, share));
  return [first?.streams ?? null, all.length, at(0.5), at(0.99), round(all.at(-1) ?? 0)];
}

/** Idle streams: opened, and read once. */
async function weightOf(context: Context, service: BenchService, first: number): Promise<Cell[]> {
  await sleep(SETTLE_MS);
  const before = residentMemory(service).gateway ?? 0;
  const wanted = { first, organizations: ORGANIZATIONS, names: MANY };
  const readers = await openReaders(context.children, readersOf(wanted, service.run()));
  await sleep(SETTLE_MS);
  const after = residentMemory(service).gateway ?? 0;
  const { open } = await readers.arrived();
  await readers.close();
  return [open, before, after, round(((after - before) * 1_024) / open)];
}
