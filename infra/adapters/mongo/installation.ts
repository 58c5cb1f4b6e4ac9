/**
 * The installation's record: the salt of its ids, and the schema number of its documents.
 *
 * 1. The record is the first document of a database: the first process writes it into an empty one.
 * 2. A database with another number, or with documents and no number, is refused. Nothing is
 *    written to it (D196).
 * 3. An older number is raised by `recado migrate` alone (`migration.ts`). Until it has ended, no
 *    release uses the database.
 */
import { randomBytes } from 'node:crypto';
import type { Db } from 'mongodb';
import type { InstallationRecord } from '../../../shared/ports/ids.ts';
import { VERSION } from '../../../shared/version.ts';
import type { MongoConnection } from './client.ts';
import { PROBES } from './clock-skew.ts';

/**
 * Raised by every change after which the documents before it would be misread, or after which
 * processes of both releases must not run together.
 */
export const SCHEMA = 3;
/** Numbers that `recado migrate` raises. */
const MIGRATED: readonly (number | undefined)[] = [1, 2];

export interface InstallationDocument extends InstallationRecord {
  readonly _id: 'installation';
  readonly schema?: number;
  /** The number that a migration began with, until it has ended. */
  readonly migratedFrom?: number;
  /** The release that made the database. */
  readonly version?: string;
}

/** One sentence about the database. */
export type SchemaRefusal = { readonly refused: string };

/**
 * The record of this installation, made where the database is empty.
 * @param database its name and place, for the sentence
 */
export async function openInstallation(
  { db }: Pick<MongoConnection, 'db'>,
  database: string,
): Promise<SchemaRefusal | InstallationRecord> {
  const refusal = await refuseSchema(db, database);
  if (refusal) return refusal;
  const made = { salt: randomBytes(32).toString('base64'), schema: SCHEMA, version: VERSION };
  try {
    await records(db).updateOne({ _id: 'installation' }, { $setOnInsert: made }, { upsert: true });
  } catch (cause) {
    // Two processes that start at once may both try to insert: the loser reads the winner's.
    if (!(cause instanceof Error) || !cause.message.includes('E11000')) throw cause;
  }
  const record = await readRecord(db);
  if (!record) throw new Error('the installation document is missing');
  return refusalOf(record, database) ?? { salt: record.salt };
}

/** Null where this release may use the database; changes nothing. */
export async function refuseSchema(db: Db, database: string): Promise<SchemaRefusal | null> {
  const record = await readRecord(db);
  if (record) return refusalOf(record, database);
  if (await isEmpty(db)) return null;
  // Another process that starts writes its record before any other document.
  return refusalOf(await readRecord(db), database);
}

function refusalOf(record: InstallationDocument | null, database: string): SchemaRefusal | null {
  const { schema, version, migratedFrom } = record ?? {};
  if (schema === SCHEMA && migratedFrom === undefined) return null;
  const known = version === undefined ? '' : ` of release ${version}`;
  const found = schema === undefined ? 'no schema number' : `the schema number ${schema}${known}`;
  if (schema === SCHEMA) {
    return { refused: `${database} is being migrated: ${MIGRATE} ends it, also after a crash.` };
  }
  const remedy = isOlder(record)
    ? `stop every process of the older release, make a copy of the data, then run ${MIGRATE}`
    : 'start the release that made it, or name an empty database';
  return {
    refused: `${database} has ${found}, and release ${VERSION} reads ${SCHEMA} only: ${remedy}.`,
  };
}

const MIGRATE = '"npm run -s recado -- migrate"';

/** Whether a migration takes it over, or goes on with it. */
export function isOlder(record: InstallationDocument | null): boolean {
  return MIGRATED.includes(record?.schema) || record?.migratedFrom !== undefined;
}

/** The probes of `recado doctor` are no data. */
async function isEmpty(db: Db): Promise<boolean> {
  const collections = await db.listCollections({}, { nameOnly: true }).toArray();
  const names = collections
    .map(({ name }) => name)
    .filter((name) => name !== PROBES && !name.startsWith('system.'));
  const first = await Promise.all(
    names.map((name) => db.collection(name).findOne({}, { projection: { _id: 1 } })),
  );
  return first.every((document) => document === null);
}

export function readRecord(db: Db): Promise<InstallationDocument | null> {
  return records(db).findOne({ _id: 'installation' });
}

export function records(db: Db) {
  return db.collection<InstallationDocument>('installation');
}
