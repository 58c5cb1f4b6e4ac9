/**
 * Migration of a database of an older schema number, beside which no process lives (D351).
 *
 * 1. The number is raised first, with a mark: from then on no release starts on the database, and
 *    a migration that was killed goes on where it was.
 * 2. The indexes of agendas are made anew; nothing of a document is rewritten. Documents name their
 *    shelf already, which is the partition that they had, and owners of a whole shelf are those of
 *    each of its partitions.
 * 3. A process of the older release that has read the number before joins late. One that is seen
 *    after the mark takes the mark back; one that is seen after the work leaves it, and the next
 *    migration ends this one. One that joins later shares no partition (`registry.ts`).
 * 4. There is no way back but a copy of the data.
 */
import { setTimeout } from 'node:timers/promises';
import type { Db } from 'mongodb';
import { LEASE_MS } from '../../../shared/limits.ts';
import { VERSION } from '../../../shared/version.ts';
import { ensureIndexes } from './indexes.ts';
import {
  type InstallationDocument,
  isOlder,
  readRecord,
  records,
  refuseSchema,
  SCHEMA,
  type SchemaRefusal,
} from './installation.ts';
import { createRegistry, type RegistryOptions } from './registry.ts';

/** A killed member's lease has ended by then, and the members were read once more. */
const LIVING_WAIT_MS = 2 * LEASE_MS;
const LIVING_POLL_MS = 250;
const INDEX_NOT_FOUND = 27;
/** Fewer take no time that could be told. */
const TELLING_ENTRIES = 50_000;

/** By collection, keys that others have replaced. */
const REPLACED: Readonly<Record<string, readonly Readonly<Record<string, 1>>[]>> = {
  entries: [
    {
      ...{ 'send.partition': 1, 'send.at': 1, seq: 1 },
      ...{ conversationId: 1, _id: 1, 'send.channelId': 1 },
    },
    { 'mediaDue.partition': 1, 'mediaDue.at': 1 },
    { 'due.partition': 1, 'due.at': 1, _id: 1, 'due.orgId': 1, conversationId: 1 },
    { 'timer.partition': 1, 'timer.at': 1, _id: 1, 'timer.orgId': 1 },
  ],
  tasks: [{ partition: 1, remindAt: 1, _id: 1 }],
  deliveries: [{ partition: 1, 'state.nextAttemptAt': 1, _id: 1 }],
};

export interface Migrated {
  /** Null: the database has this release's number already. */
  readonly from: number | null;
  readonly to: number;
  /** Messages and other entries of conversations, about. */
  readonly entries: number;
  /** Of the work; waiting for leases is not counted. */
  readonly seconds: number;
  /** For another database on the same machine; null where this one is too small to tell. */
  readonly minutesPerMillionEntries: number | null;
}

/** @param database its name and place, for the sentence */
export async function migrate(
  place: RegistryOptions,
  database: string,
): Promise<SchemaRefusal | Migrated> {
  const { db } = place;
  const record = await readRecord(db);
  if (!record || !isOlder(record)) {
    const refusal = await refuseSchema(db, database);
    return refusal ?? resultOf({ from: null, entries: 0, seconds: 0 });
  }
  const living = { refused: `${database} is in use: stop every process, then migrate again.` };
  if (!(await isSeen(place, false, LIVING_WAIT_MS))) return living;
  await mark(db, record);
  // One that has read the older number just before would write as before.
  if (await isSeen(place, true, LEASE_MS)) {
    await unmark(db, record);
    return living;
  }
  const entries = await countEntries(db);
  const startedAt = performance.now();
  await ensureIndexes(db);
  await dropReplaced(db);
  const seconds = (performance.now() - startedAt) / 1_000;
  if (await isSeen(place, true, 0)) return living;
  await records(db).updateOne({ _id: 'installation' }, { $unset: { migratedFrom: 1 } });
  return resultOf({ from: fromOf(record), entries, seconds });
}

/** Whether it was seen within that time that a process lives, or that none does. */
async function isSeen(place: RegistryOptions, isLiving: boolean, withinMs: number) {
  const registry = createRegistry(place);
  const until = performance.now() + withinMs;
  for (;;) {
    if ((await registry.liveMembers()).length > 0 === isLiving) return true;
    if (performance.now() >= until) return false;
    await setTimeout(LIVING_POLL_MS);
  }
}

function fromOf({ schema = 0, migratedFrom = schema }: InstallationDocument): number {
  return migratedFrom;
}

async function mark(db: Db, record: InstallationDocument): Promise<void> {
  const marked = { schema: SCHEMA, version: VERSION, migratedFrom: fromOf(record) };
  await records(db).updateOne({ _id: 'installation' }, { $set: marked });
}

/** Back to what it was, unless an earlier migration has begun already. */
async function unmark(db: Db, record: InstallationDocument): Promise<void> {
  if (record.migratedFrom !== undefined) return;
  await records(db).replaceOne({ _id: 'installation', migratedFrom: fromOf(record) }, record);
}

/** A server that was killed knows no count until it has counted. */
async function countEntries(db: Db): Promise<number> {
  const entries = db.collection('entries');
  return (await entries.estimatedDocumentCount()) || (await entries.countDocuments());
}

async function dropReplaced(db: Db): Promise<void> {
  for (const [collection, replaced] of Object.entries(REPLACED)) {
    for (const keys of replaced) {
      try {
        await db.command({ dropIndexes: collection, index: keys });
      } catch (cause) {
        // A migration that was killed has dropped it.
        if (Reflect.get(Object(cause), 'code') !== INDEX_NOT_FOUND) throw cause;
      }
    }
  }
}

interface Done {
  readonly from: number | null;
  readonly entries: number;
  readonly seconds: number;
}

function resultOf({ from, entries, seconds }: Done): Migrated {
  const perMillion = entries < TELLING_ENTRIES ? null : ((seconds / 60) * 1e6) / entries;
  return {
    from,
    to: SCHEMA,
    entries,
    seconds: Math.round(seconds * 10) / 10,
    minutesPerMillionEntries: perMillion && Math.round(perMillion * 100) / 100,
  };
}
