/** One side of the comparison, and what is measured of it. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { cpuByRole, cpuSince } from '../cpu.ts';
import { type Loaded, type LoadPlan, runLoad } from '../load.ts';
import type { BenchService } from '../service.ts';
import type { Subscribers } from '../subscribers.ts';
import type { Context } from '../suite.ts';
import { until } from '../until.ts';
import { type Network, numberIn } from './network.ts';
import { type Verdict, verdictOf } from './verdict.ts';

export const REF = 'peers';
/** A multiple of the numbers: each contact writes to one of them. */
const CONVERSATIONS = 960;
const LONGEST_SECONDS = 600;
/** What a side does for a message after its event counts as its work. */
const AFTERWARDS_MS = 1_000;
/** An event that is missing so long after the last one is lost: no side waits longer. */
const GIVEN_UP_MS = 75_000;
const POLL_MS = 100;
/** So many of the events have arrived when the process is killed. */
const KILLED_AT = 1 / 3;

/** What all sides share. */
export interface Stage {
  readonly context: Context;
  readonly service: BenchService;
  readonly subscribers: Subscribers;
  readonly network: Network;
  /** Access tokens of the numbers by their ids at the network. */
  readonly numbers: Readonly<Record<string, string>>;
}

export interface PeerSide {
  readonly name: string;
  readonly load: Pick<LoadPlan, 'port' | 'path' | 'token' | 'bodies' | 'acceptedStatus'>;
  /** Its processes, without the network. */
  pids(): Readonly<Record<string, readonly number[]>>;
  /** Whether it answers a repeated `Idempotency-Key` with what it did before. */
  readonly honoursKeys: boolean;
  /** Whether the network's receipts come to it, where they are not dropped for all. */
  readonly readsReceipts: boolean;
  /** The process that sends, as a reader knows it. */
  readonly victim: string;
  /** Kills it with SIGKILL; resolves when another one is in its place. */
  kill(): Promise<void>;
}

export interface Effort {
  readonly connections: number;
  readonly messages: number;
  /** Each call has an `Idempotency-Key` of its own. */
  readonly hasKeys?: boolean;
}

interface Verdicts {
  readonly atNetwork: Verdict;
  readonly atSubscriber: Verdict;
}

export interface Killed extends Verdicts {
  readonly loaded: Loaded;
  /** From the kill to the last event. */
  readonly reportedAfterMs: number;
}

export interface Whole extends Verdicts {
  readonly loaded: Loaded;
  /** Messages from the first call to the last event. */
  readonly perSecond: number;
  /** Processor time of all processes of the side. */
  readonly cpuMs: number;
}

/**
 * One load of one side, the whole way.
 * @throws {Error} when a call is refused or an event does not arrive
 */
export async function measureWhole(stage: Stage, side: PeerSide, effort: Effort): Promise<Whole> {
  const { context, network, subscribers } = stage;
  await network.reset({ hasReceipts: false });
  await subscribers.take();
  const cpu = cpuByRole(side.pids());
  const startedAt = performance.now();
  const loaded = await runLoad(context.children, planOf(side, effort));
  if (loaded.accepted < effort.messages) {
    throw new Error(`${side.name} refused: ${JSON.stringify(loaded.refused)}`);
  }
  const everyEvent = async () => (await subscribers.count()) >= effort.messages;
  await until(everyEvent, `every event of ${side.name} arrives`);
  const perSecond = (1_000 * effort.messages) / (performance.now() - startedAt);
  await sleep(AFTERWARDS_MS);
  const used = Object.values(cpuSince(cpu, cpuByRole(side.pids())));
  const cpuMs = 1_000 * used.reduce((sum, seconds) => sum + seconds, 0);
  return {
    loaded,
    perSecond,
    cpuMs,
    ...(await verdicts(stage, loaded, await receivedNumbers(subscribers))),
  };
}

/** A load in whose middle the side's sender is killed; afterwards nothing is under way. */
export async function measureKilled(stage: Stage, side: PeerSide, effort: Effort): Promise<Killed> {
  const { context, network, subscribers } = stage;
  await network.reset({ hasReceipts: side.readsReceipts });
  await subscribers.take();
  const loading = runLoad(context.children, planOf(side, effort));
  const isUnderWay = async () => (await subscribers.count()) >= KILLED_AT * effort.messages;
  await until(isUnderWay, `${side.name} is under way`);
  const killedAt = performance.now();
  await side.kill();
  const loaded = await loading;
  const events = new Events(loaded);
  while (!events.isQuiet()) {
    events.add(await receivedNumbers(subscribers));
    await sleep(POLL_MS);
  }
  const reportedAfterMs = events.lastAt - killedAt;
  return { loaded, reportedAfterMs, ...(await verdicts(stage, loaded, events.numbers)) };
}

/** The events after a kill, until no more are to come. */
class Events {
  readonly numbers: number[] = [];
  /** When the last one was seen. */
  lastAt = performance.now();
  readonly #missing: Set<number>;

  constructor(loaded: Loaded) {
    this.#missing = new Set(acceptedOf(loaded));
  }

  add(numbers: readonly number[]): void {
    if (numbers.length > 0) this.lastAt = performance.now();
    for (const number of numbers) this.#missing.delete(number);
    this.numbers.push(...numbers);
  }

  isQuiet(): boolean {
    const quietMs = this.#missing.size > 0 ? GIVEN_UP_MS : AFTERWARDS_MS;
    return performance.now() - this.lastAt > quietMs;
  }
}

function planOf({ load }: PeerSide, { connections, messages, hasKeys }: Effort): LoadPlan {
  return {
    ...load,
    connections,
    most: messages,
    seconds: LONGEST_SECONDS,
    phones: CONVERSATIONS,
    ...(hasKeys ? { keyPrefix: randomUUID() } : {}),
  };
}

async function receivedNumbers(subscribers: Subscribers): Promise<readonly number[]> {
  return (await subscribers.take()).map(({ text }) => numberIn(text));
}

async function verdicts(
  { network }: Stage,
  loaded: Loaded,
  events: readonly number[],
): Promise<Verdicts> {
  const about = { accepted: acceptedOf(loaded), conversations: CONVERSATIONS };
  return {
    atNetwork: verdictOf({ ...about, numbers: await network.accepted() }),
    atSubscriber: verdictOf({ ...about, numbers: events }),
  };
}

function acceptedOf({ accepted, refusedNumbers }: Loaded): readonly number[] {
  const refused = new Set(refusedNumbers);
  const calls = Array.from({ length: accepted + refused.size }, (_, n) => n);
  return calls.filter((n) => !refused.has(n));
}
