/** MongoDB: its version, a journaled write, the indexes, its clock. */
import { MongoClient } from 'mongodb';
import { connectionOf, type MongoConnection } from '../../mongo/client.ts';
import { missingIndexes } from '../../mongo/indexes.ts';
import { type Check, msSince, PATIENCE_MS, sentenceOf, unwell, well, within } from './check.ts';
import { checkNetworks } from './networks.ts';

const MAJOR_MIN = 8;
const SKEW_MAX_MS = 1_000;
const PROBES = 'probes';

interface Probe {
  readonly _id: string;
  readonly at?: Date;
}

const NO_MONGO = 'MongoDB is not reachable.';
const MEND_MONGO = 'See the check "mongodb".';

/** Every check that reads the record. `now`: epoch milliseconds. */
export async function checkRecord(
  url: string | null,
  now: () => number,
): Promise<readonly Check[]> {
  if (url === null) return absent('No service runs here and MONGODB_URL is not set.');
  const client = new MongoClient(url, {
    serverSelectionTimeoutMS: PATIENCE_MS,
    connectTimeoutMS: PATIENCE_MS,
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
  const checks = await Promise.all([
    guarded('mongodb', () => checkMongo(mongo)),
    guarded('indexes', () => checkIndexes(mongo)),
    guarded('clock', () => checkClock(mongo, now)),
    guarded('networks', () => checkNetworks(mongo.db)),
  ]);
  await client.close();
  return checks;
}

function absent(detail: string): readonly Check[] {
  const remedy = 'Run npm start, or name a reachable MongoDB in MONGODB_URL.';
  const others = ['indexes', 'clock', 'networks'];
  return [
    unwell('mongodb', detail, remedy),
    ...others.map((name) => unwell(name, NO_MONGO, MEND_MONGO)),
  ];
}

async function guarded(name: string, check: () => Promise<Check>): Promise<Check> {
  try {
    const found = await within(PATIENCE_MS, check());
    return found ?? unwell(name, `No answer within ${PATIENCE_MS} ms.`, MEND_MONGO);
  } catch (cause) {
    return unwell(
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
    ? well('mongodb', detail)
    : unwell('mongodb', detail, `Use MongoDB ${MAJOR_MIN} or newer.`);
}

async function checkIndexes({ db }: MongoConnection): Promise<Check> {
  const { wanted, missing } = await missingIndexes(db);
  return missing.length === 0
    ? well('indexes', `all ${wanted} are there`)
    : unwell(
        'indexes',
        `missing: ${missing.join('; ')}`,
        'Start an actors process: it makes what is missing.',
      );
}

async function checkClock({ db }: MongoConnection, now: () => number): Promise<Check> {
  const probe = { _id: `clock-${process.pid}` };
  const probes = db.collection<Probe>(PROBES);
  await probes.insertOne(probe);
  const before = now();
  // The time as the leases see it; the embedded engine tells it in no other way.
  const marked = await probes.findOneAndUpdate(probe, [{ $set: { at: '$$NOW' } }], {
    returnDocument: 'after',
  });
  const here = (before + now()) / 2;
  await probes.deleteOne(probe);
  const skewMs = Math.round((marked?.at?.getTime() ?? Number.NaN) - here);
  const detail = `MongoDB's clock is ${Math.abs(skewMs)} ms ${skewMs < 0 ? 'behind' : 'ahead'}`;
  return Math.abs(skewMs) < SKEW_MAX_MS
    ? well('clock', detail)
    : unwell('clock', detail, 'Keep both machines on time (NTP).');
}
