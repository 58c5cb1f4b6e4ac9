/** MongoDB: its version, a journaled write, the indexes, its clock, and its contents. */
import { type Db, MongoClient } from 'mongodb';
import { connectionOf, type MongoConnection } from '../../../adapters/mongo/client.ts';
import { clockSkewMs, PROBES } from '../../../adapters/mongo/clock-skew.ts';
import { missingIndexes } from '../../../adapters/mongo/indexes.ts';
import { refuseSchema, SCHEMA } from '../../../adapters/mongo/installation.ts';
import type { Config } from '../../../config/config.ts';
import { describeDatabase } from '../../service/mongo-engine/database-place.ts';
import { checkAddress } from './address.ts';
import { checkDeliveries, checkReminders, checkSends, checkTimers } from './agendas.ts';
import { type Check, fail, msSince, pass, sentenceOf, TIMEOUT_MS, withTimeout } from './check.ts';
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

const MEND_MONGO = 'See the check "mongodb".';

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
): Promise<readonly Check[]> {
  const { dataDir } = config;
  const absent = async (detail: string) => [
    ...insteadOf(fail('mongodb', detail, MEND_URL), 'MongoDB is not reachable.'),
    await checkDisk(dataDir, null),
  ];
  if (url === null) return absent('No service runs here and MONGODB_URL is not set.');
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
    return absent(`It cannot be reached: ${sentenceOf(cause)}.`);
  }
  const { db } = mongo;
  const schema = await guarded('schema', () => checkSchema(db, describeDatabase(db, url, config)));
  if (!schema.ok) {
    await client.close();
    return [...insteadOf(schema, 'Nothing was read.'), await checkDisk(dataDir, null)];
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
const MEND_URL = 'Run npm start, or name a reachable MongoDB in MONGODB_URL.';

/** One failure that keeps the other checks from being made. */
function insteadOf(failed: Check, others: string): readonly Check[] {
  const remedy = `See the check "${failed.name}".`;
  return ROWS.map((name) => (name === failed.name ? failed : fail(name, others, remedy)));
}

async function guarded(name: string, check: () => Promise<Check>): Promise<Check> {
  try {
    const found = await withTimeout(TIMEOUT_MS, check());
    return found ?? fail(name, `No answer within ${TIMEOUT_MS} ms.`, MEND_MONGO);
  } catch (cause) {
    return fail(
      name,
      `MongoDB refused: ${sentenceOf(cause)}.`,
      'See what MongoDB says in its log.',
    );
  }
}

async function checkMongo({ db }: MongoConnection): Promise<Check> {
  const { version }: { version?: string } = await db.command({ buildInfo: 1 });
  const startedAt = performance.now();
  const probe = { _id: `write-${process.pid}` };
  const probes = db.collection<Probe>(PROBES);
  await probes.insertOne(probe);
  const ms = msSince(startedAt);
  await probes.deleteOne(probe);
  const detail = `version ${version}, a journaled write takes ${ms} ms`;
  return Number.parseInt(version ?? '0', 10) >= MAJOR_MIN
    ? pass('mongodb', detail)
    : fail('mongodb', detail, `Use MongoDB ${MAJOR_MIN} or newer.`);
}

async function checkIndexes({ db }: MongoConnection): Promise<Check> {
  const { wanted, missing } = await missingIndexes(db);
  return missing.length === 0
    ? pass('indexes', `all ${wanted} are there`)
    : fail(
        'indexes',
        `missing: ${missing.join('; ')}`,
        'Start an actors process: it makes what is missing.',
      );
}

/** Before any other check: nothing is written to a database of another schema. */
async function checkSchema(db: Db, database: string): Promise<Check> {
  const refusal = await refuseSchema(db, database);
  return refusal
    ? fail('schema', refusal.refused, 'See "Upgrading" of the operations page.')
    : pass('schema', `the number is ${SCHEMA}, which this release reads`);
}

async function checkClock({ db }: MongoConnection, now: () => number): Promise<Check> {
  const skewMs = await clockSkewMs(db, now);
  const detail = `MongoDB's clock is ${Math.abs(skewMs)} ms ${skewMs < 0 ? 'behind' : 'ahead'}`;
  return Math.abs(skewMs) < SKEW_MAX_MS
    ? pass('clock', detail)
    : fail('clock', detail, 'Keep both machines on time (NTP).');
}
