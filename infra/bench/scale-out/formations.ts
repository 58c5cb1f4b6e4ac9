/** The same service in several formations, and the cost of a message in each. */
import { type Db, MongoClient } from 'mongodb';
import { type CpuByRole, cpuByRole, cpuSince } from '../cpu.ts';
import {
  type EndToEndFixture,
  type JourneyRun,
  runJourneys,
  travellers,
} from '../end-to-end/fixture.ts';
import { organizationsFile } from '../organization.ts';
import { type BenchService, startService } from '../service.ts';
import { startSubscribers } from '../subscribers.ts';
import type { Context } from '../suite.ts';

const REF = 'travel';
const POLL_MS = 250;

export interface Formation {
  readonly name: string;
  readonly fixture: EndToEndFixture;
  readonly db: Db;
  close(): Promise<void>;
}

export interface Cost {
  readonly journeyRun: JourneyRun;
  /** Milliseconds of processor time per message, by role. */
  readonly msByRole: CpuByRole;
  /** Bytes that MongoDB holds of a message, its deliveries and its indexes. */
  readonly storedBytes: number;
}

export interface Pace {
  readonly perSecond: number;
  readonly seconds: number;
}

/** So many gateways and as many actors processes, with one subscriber. */
export async function startFormation(context: Context, processes: number): Promise<Formation> {
  const settings = { FORMATION: `gateway=${processes},actors=${processes}` };
  const service = await startService(context, { name: `of-${processes}`, settings });
  return formationOf(context, `${processes} + ${processes}`, service);
}

export async function formationOf(
  context: Context,
  name: string,
  service: BenchService,
): Promise<Formation> {
  const subscribers = await startSubscribers(context.children, { prompt: 1, hanging: 0 });
  const [url = ''] = subscribers.prompt;
  const { orgs } = await service.apply(organizationsFile([travellers(REF, url)]));
  const channelIds = Object.values(orgs[REF]?.channels ?? {}).map(({ id }) => id);
  const client = await new MongoClient(service.run().mongodbUrl).connect();
  const db = client.db('recado');
  const entries = db.collection('entries');
  return {
    name,
    db,
    fixture: { context, service, subscribers, entries, channelIds, ref: REF, calls: 0 },
    close: () => client.close(),
  };
}

/** The cost of a load, everything that follows from it included, beyond the idle cost. */
export async function costOf(formation: Formation, pace: Pace, atRest: CpuByRole): Promise<Cost> {
  const { fixture, db } = formation;
  const { pids } = fixture.service.run();
  const stored = await storedBytes(db);
  const before = cpuByRole(pids);
  const startedAt = performance.now();
  const journeyRun = await runJourneys(fixture, pace);
  if (journeyRun.missing > 0) throw new Error(`${journeyRun.missing} messages were not told`);
  await followedUp(fixture);
  const used = cpuSince(before, cpuByRole(pids));
  const seconds = (performance.now() - startedAt) / 1000;
  const { messages } = journeyRun;
  const marginal = (role: string): number =>
    Math.max(0, (used[role] ?? 0) - seconds * (atRest[role] ?? 0));
  return {
    journeyRun,
    msByRole: Object.fromEntries(
      Object.keys(used).map((role) => [role, (marginal(role) * 1000) / messages]),
    ),
    storedBytes: ((await storedBytes(db)) - stored) / messages,
  };
}

/** Shares of one core, by role, while nothing is asked. */
export async function restOf({ fixture }: Formation, seconds: number): Promise<CpuByRole> {
  const { pids } = fixture.service.run();
  const before = cpuByRole(pids);
  await new Promise((resume) => setTimeout(resume, seconds * 1000));
  const used = cpuSince(before, cpuByRole(pids));
  return Object.fromEntries(Object.entries(used).map(([role, each]) => [role, each / seconds]));
}

/** Snapshots are written behind, events published: until an entry is waiting for neither. */
async function followedUp({ entries }: EndToEndFixture): Promise<void> {
  while ((await entries.countDocuments({ pending: { $exists: true } }, { limit: 1 })) > 0) {
    await new Promise((resume) => setTimeout(resume, POLL_MS));
  }
}

async function storedBytes(db: Db): Promise<number> {
  const { dataSize, indexSize } = await db.stats();
  return Number(dataSize) + Number(indexSize);
}
