/**
 * The installation's record: the salt of its ids, and the schema number of its documents.
 *
 * 1. The record is the first document of a database: the first process writes it into an empty one.
 * 2. A database with another number, or with documents and no number, is refused. Nothing is
 *    written to it (D196).
 * 3. The number before this release's is raised by a start beside which no process lives: its
 *    documents are read as they are, but its actors order streams in another way. Two releases on
 *    one stream would write events out of order, and take each other's positions for their own.
 */
import { randomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { Db } from 'mongodb';
import { LEASE_MS } from '../../../shared/limits.ts';
import type { InstallationRecord } from '../../../shared/ports/ids.ts';
import { VERSION } from '../../../shared/version.ts';
import { PROBES } from './clock-skew.ts';
import { createRegistry, type RegistryOptions } from './registry.ts';

/**
 * Raised by every change after which the documents before it would be misread, or after which
 * processes of both releases must not run together.
 */
export const SCHEMA = 2;
const RAISED = 1;
/** A killed member's lease has ended by then, and the members were read once more. */
const LIVING_WAIT_MS = 2 * LEASE_MS;
const LIVING_POLL_MS = 250;

interface InstallationDocument extends InstallationRecord {
  readonly _id: 'installation';
  readonly schema?: number;
  /** The release that made the database. */
  readonly version?: string;
}

/** One sentence about the database. */
export type SchemaRefusal = { readonly refused: string };

/**
 * The record of this installation, made where the database is empty. It takes up to 6 s where the
 * number has to be raised.
 * @param database its name and place, for the sentence
 */
export async function openInstallation(
  place: RegistryOptions,
  database: string,
): Promise<SchemaRefusal | InstallationRecord> {
  const { db } = place;
  await raiseSchema(place);
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

/** Leaves the number as it is while a process of the release before lives. */
async function raiseSchema(place: RegistryOptions): Promise<void> {
  const { db } = place;
  const registry = createRegistry(place);
  const until = performance.now() + LIVING_WAIT_MS;
  while ((await readRecord(db))?.schema === RAISED) {
    const living = await registry.liveMembers();
    if (living.length === 0) {
      const raised = { schema: SCHEMA, version: VERSION };
      await records(db).updateOne({ _id: 'installation', schema: RAISED }, { $set: raised });
      continue;
    }
    if (performance.now() >= until) return;
    await setTimeout(LIVING_POLL_MS);
  }
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
  const { schema, version } = record ?? {};
  if (schema === SCHEMA) return null;
  const known = version === undefined ? '' : ` of release ${version}`;
  const found = schema === undefined ? 'no schema number' : `the schema number ${schema}${known}`;
  const remedy =
    schema === RAISED
      ? 'stop all processes of the older release first, then start the actors of this one'
      : 'start the release that made it, or name an empty database';
  return {
    refused: `${database} has ${found}, and release ${VERSION} reads ${SCHEMA} only: ${remedy}.`,
  };
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

function readRecord(db: Db): Promise<InstallationDocument | null> {
  return records(db).findOne({ _id: 'installation' });
}

function records(db: Db) {
  return db.collection<InstallationDocument>('installation');
}
