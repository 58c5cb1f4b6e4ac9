/** MongoDB: its version, a journaled write, the indexes, its clock, and its contents. */
import { type Db, MongoClient } from 'mongodb';
import type { DoctorRow } from '../../../../shared/panel/operation.ts';
import type { Finding } from '../../../../shared/problems/findings.ts';
import { connectionOf, type MongoConnection } from '../../../adapters/mongo/client.ts';
import { clockSkewMs, PROBES } from '../../../adapters/mongo/clock-skew.ts';
import { missingIndexes } from '../../../adapters/mongo/indexes.ts';
import { refuseSchema, SCHEMA } from '../../../adapters/mongo/installation.ts';
import type { Config } from '../../../config/config.ts';
import { describeDatabase } from '../../service/mongo-engine/database-place.ts';
import { checkAddress } from './address.ts';
import { checkDeliveries, checkReminders, checkSends, checkTimers } from './agendas.ts';
import { failed, msSince, passed, sentenceOf, TIMEOUT_MS, withTimeout } from './check.ts';
import { readDirectory } from './directory.ts';
import { checkDisk } from './disk.ts';
import { checkNetworkClocks } from './network-clocks.ts';
import { checkNetworks } from './networks.ts';
import { checkSecrets } from './secrets.ts';
import { checkParked, checkSubscribers } from './subscribers.ts';
import { checkTemplates } from './templates.ts';

const MAJOR_MIN = 8;
const SKEW_MAX_MS = 1_000;

interface Probe {
  readonly _id: string;
}

interface RecordCheckContext {
  readonly config: Config;
  /** As the service's own processes report it, where one runs. */
  readonly publicUrl: string;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** Every check that reads the record. */
export async function checkRecord(
  url: string | null,
  { config, publicUrl, now }: RecordCheckContext,
): Promise<readonly DoctorRow[]> {
  const { dataDir } = config;
  const absent = async (detail: Finding) => [
    ...insteadOf(failed('mongodb', [detail], START_MONGO), MONGO_UNREACHABLE),
    await checkDisk(dataDir, null),
  ];
  if (url === null) return absent({ code: 'noService', params: { setting: 'MONGODB_URL' } });
  const client = new MongoClient(url, {
    serverSelectionTimeoutMS: TIMEOUT_MS,
    connectTimeoutMS: TIMEOUT_MS,
    retryWrites: false,
  });
  let mongo: MongoConnection;
  try {
    await client.connect();
    mongo = await connectionOf(client, url);
  } catch (cause) {
    await client.close();
    return absent({ code: 'unreachable', params: { text: sentenceOf(cause) } });
  }
  const { db } = mongo;
  const schema = await guarded('schema', () => checkSchema(db, describeDatabase(db, url, config)));
  if (!schema.ok) {
    await client.close();
    return [...insteadOf(schema, NOTHING_READ), await checkDisk(dataDir, null)];
  }
  const directory = readDirectory(db);
  directory.catch(() => undefined);
  const checks = await Promise.all([
    guarded('mongodb', () => checkMongo(mongo)),
    guarded('indexes', () => checkIndexes(mongo)),
    schema,
    guarded('clock', () => checkClock(mongo, now)),
    guarded('secrets', () => checkSecrets(db, config)),
    guarded('networks', () => checkNetworks(db, now())),
    guarded('templates', () => checkTemplates(db)),
    ...Object.entries(WORK).map(([name, check]) =>
      guarded(name, async () => check({ db, directory: await directory, now: now() })),
    ),
    guarded('network clocks', async () => checkNetworkClocks((await directory).networks, now)),
    guarded('address', async () => checkAddress(publicUrl, (await directory).networks)),
    checkDisk(dataDir, db),
  ]);
  await client.close();
  return checks;
}

/** Checks of the work that waits in the store, and for how long. */
const WORK = {
  sends: checkSends,
  deliveries: checkDeliveries,
  subscribers: checkSubscribers,
  parked: checkParked,
  timers: checkTimers,
  reminders: checkReminders,
} as const;

const ROWS = [
  'mongodb',
  'indexes',
  'schema',
  'clock',
  'secrets',
  'networks',
  'templates',
  ...Object.keys(WORK),
  'network clocks',
  'address',
];
const START_MONGO = { code: 'startMongo', params: {} } as const;
const MONGO_UNREACHABLE = { code: 'mongoUnreachable', params: {} } as const;
const NOTHING_READ = { code: 'nothingRead', params: {} } as const;

/** One failure that keeps the other checks from being made. */
function insteadOf(cause: DoctorRow, others: Finding): readonly DoctorRow[] {
  const remedy = { code: 'seeCheck', params: { name: cause.name } } as const;
  return ROWS.map((name) => (name === cause.name ? cause : failed(name, [others], remedy)));
}

async function guarded(name: string, check: () => Promise<DoctorRow>): Promise<DoctorRow> {
  try {
    const found = await withTimeout(TIMEOUT_MS, check());
    if (found !== null) return found;
    const late = { code: 'noAnswerWithin', params: { ms: TIMEOUT_MS } } as const;
    return failed(name, [late], { code: 'seeCheck', params: { name: 'mongodb' } });
  } catch (cause) {
    const refused = { code: 'mongoRefused', params: { text: sentenceOf(cause) } } as const;
    return failed(name, [refused], { code: 'seeMongoLog', params: {} });
  }
}

async function checkMongo({ db }: MongoConnection): Promise<DoctorRow> {
  const { version = '0' }: { version?: string } = await db.command({ buildInfo: 1 });
  const startedAt = performance.now();
  const probe = { _id: `write-${process.pid}` };
  const probes = db.collection<Probe>(PROBES);
  await probes.insertOne(probe);
  const writeMs = msSince(startedAt);
  await probes.deleteOne(probe);
  const detail = { code: 'mongoServer', params: { version, writeMs } } as const;
  return Number.parseInt(version, 10) >= MAJOR_MIN
    ? passed('mongodb', detail)
    : failed('mongodb', [detail], { code: 'mongoTooOld', params: { oldest: MAJOR_MIN } });
}

async function checkIndexes({ db }: MongoConnection): Promise<DoctorRow> {
  const { wanted, missing } = await missingIndexes(db);
  if (missing.length === 0) {
    return passed('indexes', { code: 'indexesThere', params: { count: wanted } });
  }
  const detail = { code: 'indexesMissing', params: { indexes: missing } } as const;
  return failed('indexes', [detail], { code: 'makeIndexes', params: {} });
}

/** Before any other check: nothing is written to a database of another schema. */
async function checkSchema(db: Db, database: string): Promise<DoctorRow> {
  const refusal = await refuseSchema(db, database);
  if (refusal === null) {
    return passed('schema', { code: 'schemaRead', params: { schema: SCHEMA } });
  }
  const detail = { code: 'foreign', params: { text: refusal.refused } } as const;
  return failed('schema', [detail], { code: 'seeUpgrading', params: {} });
}

async function checkClock({ db }: MongoConnection, now: () => number): Promise<DoctorRow> {
  const skewMs = await clockSkewMs(db, now);
  const params = { ms: Math.abs(skewMs), behind: skewMs < 0 };
  const detail = { code: 'mongoClock', params } as const;
  return Math.abs(skewMs) < SKEW_MAX_MS
    ? passed('clock', detail)
    : failed('clock', [detail], { code: 'keepBothTime', params: {} });
}
