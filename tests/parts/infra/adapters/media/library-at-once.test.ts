/** A library file that several runs of `recado apply` store at once, or that one has left half. */
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { GridFSBucket, type ObjectId } from 'mongodb';
import { type Content, storeContent } from '../../../../../infra/programs/cli/library-files.ts';
import { contentId, LIBRARY_BUCKET } from '../../../../../shared/provisioning/names.ts';
import { borrowEngine, type Engine } from '../../../../support/engine.ts';

const RUNS = 4;
const ROUNDS = 3;
const BYTES = 4 * 1024 * 1024 + 17;

let engine: Engine;
const folder = mkdtempSync(join(tmpdir(), 'recado-library-'));

before(async () => {
  engine = await borrowEngine();
});
after(async () => {
  await engine?.close();
  rmSync(folder, { recursive: true, force: true });
});

function givenContent(ref: string): { content: Content; bytes: Buffer } {
  const bytes = randomBytes(BYTES);
  const path = join(folder, ref);
  writeFileSync(path, bytes);
  const digest = createHash('sha256').update(bytes).digest('hex');
  return { content: { orgRef: 'loja', ref, path, digest, sizeBytes: BYTES }, bytes };
}

/** Reads a file as a process of the service does; null where there is no such file. */
async function read(id: string): Promise<Buffer | null> {
  const { db } = engine.mongo;
  const files = db.collection<{ _id: string }>(`${LIBRARY_BUCKET}.files`);
  if (!(await files.findOne({ _id: id }))) return null;
  const bucket = new GridFSBucket(db, { bucketName: LIBRARY_BUCKET });
  const parts: Buffer[] = [];
  for await (const part of bucket.openDownloadStream(id as unknown as ObjectId)) parts.push(part);
  return Buffer.concat(parts);
}

test('whoever finds the file finds all of it', async () => {
  const { db } = engine.mongo;
  for (let round = 0; round < ROUNDS; round++) {
    const { content, bytes } = givenContent(`file-${round}`);
    const id = contentId('fil_1', content.digest);
    let done = false;
    const storing = Promise.all(
      Array.from({ length: RUNS }, () => storeContent(db, 'fil_1', content)),
    ).finally(() => {
      done = true;
    });
    while (!done) {
      const found = await read(id);
      if (found) assert.ok(found.equals(bytes), 'as it was given');
    }
    await storing;
    assert.ok((await read(id))?.equals(bytes));
  }
});

test('what a run has left half is completed by the next', async () => {
  const { db } = engine.mongo;
  const { content, bytes } = givenContent('half');
  await storeContent(db, 'fil_2', content);
  const id = contentId('fil_2', content.digest);
  await db.collection<{ _id: string }>(`${LIBRARY_BUCKET}.files`).deleteOne({ _id: id });
  await db.collection(`${LIBRARY_BUCKET}.chunks`).deleteMany({ files_id: id, n: { $gte: 3 } });
  await storeContent(db, 'fil_2', content);
  assert.ok((await read(id))?.equals(bytes));
});
