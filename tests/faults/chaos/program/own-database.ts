/** A database for one run on a replica set of the operator's, which may hold others. */
import { randomBytes } from 'node:crypto';
import { type Db, MongoClient } from 'mongodb';
import { partsOf } from '../../../../infra/adapters/mongo/address.ts';
import { now, type Recorder } from './recorder.ts';

const TIMEOUT_MS = 10_000;

export interface OwnDatabase {
  /** Names the database. */
  readonly mongodbUrl: string;
  readonly name: string;
  /** Drops it; nothing else is ever dropped. */
  drop(): Promise<void>;
}

/** One sentence for the operator. */
export type DatabaseRefusal = { readonly refused: string };

/**
 * A database that holds nothing yet: the one that the address names, else one of a new name.
 * Changes nothing.
 */
export async function ownDatabase(given: string): Promise<DatabaseRefusal | OwnDatabase> {
  const name = partsOf(given).database ?? `recado_chaos_${randomBytes(4).toString('hex')}`;
  const mongodbUrl = naming(given, name);
  const refused = await inDatabase({ mongodbUrl, name }, async (db) => {
    const { setName } = await db.command({ hello: 1 });
    if (setName === undefined) return 'the address leads to no replica set';
    const [first] = await db.listCollections({}, { nameOnly: true }).toArray();
    return first === undefined ? null : `the database ${name} is not empty: name another one`;
  });
  if (refused !== null) return { refused };
  const own = { mongodbUrl, name };
  return { ...own, drop: () => inDatabase(own, async (db) => void (await db.dropDatabase())) };
}

async function inDatabase<T>(
  { mongodbUrl, name }: Pick<OwnDatabase, 'mongodbUrl' | 'name'>,
  work: (db: Db) => Promise<T>,
): Promise<T> {
  await using client = new MongoClient(mongodbUrl, { serverSelectionTimeoutMS: TIMEOUT_MS });
  return await work(client.db(name));
}

/**
 * The address with that database. Whoever logs in without naming one does so at `admin`, and would
 * do it at the database as soon as the address names one.
 */
export function naming(mongodbUrl: string, name: string): string {
  const [, server = '', , options = ''] =
    /^([^:]+:\/\/[^/?]+)(\/[^?]*)?(\?.*)?$/.exec(mongodbUrl) ?? [];
  const isNamed = partsOf(mongodbUrl).database !== null;
  const logsIn = server.includes('@') && !/[?&]authSource=/i.test(options);
  const source = logsIn && !isNamed ? `${options === '' ? '?' : '&'}authSource=admin` : '';
  return `${server}/${encodeURIComponent(name)}${options}${source}`;
}

/**
 * Records as faults the times without a primary: those that the operator has made. Of an election
 * between two looks only its result is seen.
 */
export async function watchPrimary(
  mongodbUrl: string,
  recorder: Pick<Recorder, 'seen'>,
): Promise<AsyncDisposable> {
  const client = new MongoClient(mongodbUrl, { heartbeatFrequencyMS: 500 });
  let lostAt: number | null = null;
  client.on('topologyDescriptionChanged', ({ previousDescription: before, newDescription }) => {
    const had = before.type === 'ReplicaSetWithPrimary';
    const has = newDescription.type === 'ReplicaSetWithPrimary';
    const isSame = `${before.maxElectionId}` === `${newDescription.maxElectionId}`;
    if (had && !(has && isSame)) lostAt ??= now();
    if (!has || lostAt === null) return;
    recorder.seen('fault', { kind: 'no-primary', parts: ['mongo'], from: lostAt, to: now() });
    lostAt = null;
  });
  await client.connect();
  return { [Symbol.asyncDispose]: () => client.close() };
}
