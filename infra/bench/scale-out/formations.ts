/** The same service in several formations, and what a message costs each. */
import { type Db, MongoClient } from 'mongodb';
import { type CpuByRole, cpuByRole, cpuSince } from '../cpu.ts';
import { type Travelled, travel, travellers, type Way } from '../end-to-end/way.ts';
import { organizationsFile } from '../organization.ts';
import { type BenchService, startService } from '../service.ts';
import { startSubscribers } from '../subscribers.ts';
import type { Context } from '../suite.ts';

const REF = 'travel';

export interface Formation {
  readonly name: string;
  readonly way: Way;
  readonly db: Db;
  close(): Promise<void>;
}

export interface Cost {
  readonly travelled: Travelled;
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
  const service: BenchService = await startService(context, { name: `of-${processes}`, settings });
  const subscribers = await startSubscribers(context.pieces, { prompt: 1, hanging: 0 });
  const [url = ''] = subscribers.prompt;
  const { orgs } = await service.apply(organizationsFile([travellers(REF, url)]));
  const channelIds = Object.values(orgs[REF]?.channels ?? {}).map(({ id }) => id);
  const client = await new MongoClient(service.run().mongodbUrl).connect();
  const db = client.db('recado');
  const entries = db.collection('entries');
  return {
    name: `${processes} + ${processes}`,
    db,
    way: { context, service, subscribers, entries, channelIds, ref: REF },
    close: () => client.close(),
  };
}

/** The cost of a load, everything that follows from it included. */
export async function costOf({ way, db }: Formation, pace: Pace): Promise<Cost> {
  const { pids } = way.service.run();
  const stored = await storedBytes(db);
  const before = cpuByRole(pids);
  const travelled = await travel(way, pace);
  const used = cpuSince(before, cpuByRole(pids));
  const { messages } = travelled;
  return {
    travelled,
    msByRole: Object.fromEntries(
      Object.entries(used).map(([role, seconds]) => [role, (seconds * 1000) / messages]),
    ),
    storedBytes: ((await storedBytes(db)) - stored) / messages,
  };
}

async function storedBytes(db: Db): Promise<number> {
  const { dataSize, indexSize } = await db.stats();
  return Number(dataSize) + Number(indexSize);
}
