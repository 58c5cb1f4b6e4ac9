/**
 * Version of the record's layout, and the releases that may work on it. A release whose documents
 * an earlier one would misread raises `LAYOUT`. The record keeps the highest layout that wrote to
 * it.
 *
 * 1. A process never writes to a record whose layout it does not know.
 * 2. A record of an earlier layout, or of none, is used as it is: missing parts are created.
 */
import type { Db } from 'mongodb';

const LAYOUT = 1;

interface LayoutDocument {
  readonly _id: 'layout';
  readonly layout: number;
  /** Of the release that raised it. */
  readonly version: string;
}

/** The problem of the record for this release, in one sentence; null when it may be used. */
export async function claimLayout(db: Db, version: string): Promise<string | null> {
  const known = await readLayout(db);
  if (known !== null && known.layout > LAYOUT) return newerLayoutError(db, known);
  if (known?.layout === LAYOUT) return null;
  try {
    const own = { layout: LAYOUT, version };
    const below = { _id: 'layout', layout: { $lt: LAYOUT } } as const;
    await layouts(db).updateOne(below, { $set: own }, { upsert: true });
  } catch (cause) {
    // Another process was first, perhaps one of a newer release.
    if (!(cause instanceof Error) || !cause.message.includes('E11000')) throw cause;
    return claimLayout(db, version);
  }
  return null;
}

/** For operators: the same sentence, or the found layout. */
export async function describeLayout(db: Db): Promise<{ ok: boolean; detail: string }> {
  const known = await readLayout(db);
  if (known === null) return { ok: true, detail: 'of a release before layouts, or of none' };
  if (known.layout > LAYOUT) return { ok: false, detail: newerLayoutError(db, known) };
  return { ok: true, detail: `layout ${known.layout}, this release writes ${LAYOUT}` };
}

function newerLayoutError(db: Db, { layout, version }: LayoutDocument): string {
  return (
    `The database "${db.databaseName}" was written by a newer release ` +
    `(layout ${layout} of ${version}, this one knows ${LAYOUT}): ` +
    'start that release, or restore a back-up from before it.'
  );
}

function layouts(db: Db) {
  return db.collection<LayoutDocument>('installation');
}

function readLayout(db: Db): Promise<LayoutDocument | null> {
  return layouts(db).findOne({ _id: 'layout' });
}
