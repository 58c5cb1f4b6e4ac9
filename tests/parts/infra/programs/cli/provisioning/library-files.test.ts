/** The file library of `recado apply`, also when several runs store a file or one left it half. */
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it, test } from 'node:test';
import { type Db, GridFSBucket, type ObjectId } from 'mongodb';
import { openInstallation, SCHEMA } from '../../../../../../infra/adapters/mongo/installation.ts';
import {
  type Content,
  readContents,
  storeContent,
} from '../../../../../../infra/programs/cli/provisioning/library-files.ts';
import { readFile } from '../../../../../../shared/provisioning/file.ts';
import { contentId, LIBRARY_BUCKET } from '../../../../../../shared/provisioning/names.ts';
import { fileEngine } from '../../../../../support/engine.ts';
import { openCliFixture } from '../cli-fixture.ts';

const engine = fileEngine();
const folder = mkdtempSync(join(tmpdir(), 'recado-library-'));
after(() => rmSync(folder, { recursive: true, force: true }));

describe('operator’s command line: the file library', () => {
  const bytes = Buffer.from('a picture'.repeat(50_000));
  const digest = createHash('sha256').update(bytes).digest('hex');
  let db: Db;

  before(async () => {
    writeFileSync(join(folder, 'logo.png'), bytes);
    db = engine.mongo.db;
    await openInstallation(engine.mongo, 'the record');
  });

  const contents = async () => {
    const files = [{ ref: 'logo', name: 'logo.png', path: './logo.png', mimeType: 'image/png' }];
    const [organization] = readFile({ orgs: [{ ref: 'loja', files }] }).organizations;
    assert.ok(organization);
    return await readContents(organization, folder);
  };

  it('names a file by its content instead of by its path', async () => {
    const read = await contents();
    const file = { ref: 'logo', name: 'logo.png', mimeType: 'image/png' };
    const files = [{ ...file, contentDigest: digest, sizeBytes: bytes.length }];
    assert.deepEqual([read.raw, read.issues], [{ ref: 'loja', files }, []]);
  });

  it('stores a content once, whatever an upload that was cut off left behind', async () => {
    const [content] = (await contents()).contents;
    assert.ok(content);
    const _id = `fil_1:${digest}`;
    await db.collection('files.chunks').insertOne({ files_id: _id, n: 0, data: Buffer.from('x') });
    await storeContent(db, 'fil_1', content);
    await storeContent(db, 'fil_1', content);
    const files = db.collection<{ _id: string; length: number }>('files.files');
    const [stored, ...more] = await files.find().toArray();
    assert.deepEqual([stored?._id, stored?.length, more], [_id, bytes.length, []]);
    const chunks = await db.collection('files.chunks').find({ files_id: _id }).sort({ n: 1 });
    const kept = Buffer.concat((await chunks.toArray()).map(({ data }) => data.buffer));
    assert.ok(kept.equals(bytes));
  });

  const applied = async (ref: string) => {
    const fixture = await openCliFixture();
    try {
      const path = join(folder, 'logo.png');
      const files = [{ ref, name: `${ref}.png`, path, mimeType: 'image/png' }];
      const input = JSON.stringify({ orgs: [{ ref: 'loja', name: 'Loja', files }] });
      return await fixture.run(['apply', '-'], { input, env: { MONGODB_URL: engine.uri } });
    } finally {
      await fixture.close();
    }
  };

  it('has a file’s content stored when apply returns', async () => {
    const ran = await applied('logo');
    assert.equal(ran.code, 0, ran.stderr);
    const id = JSON.parse(ran.stdout).orgs.loja.files.logo;
    const stored = db.collection<{ _id: string }>('files.files');
    assert.ok(await stored.findOne({ _id: `${id}:${digest}` }));
  });

  it('stores no file in a database of another schema', async () => {
    const records = db.collection<{ _id: string }>('installation');
    const write = (schema: number) =>
      records.updateOne({ _id: 'installation' }, { $set: { schema } });
    await write(SCHEMA + 1);
    try {
      const stored = await db.collection('files.files').countDocuments();
      const ran = await applied('icon');
      assert.equal(ran.code, 1);
      assert.match(ran.stderr, /^recado: The database "recado" at .* has the schema number 4 of/);
      assert.equal(await db.collection('files.files').countDocuments(), stored);
    } finally {
      await write(SCHEMA);
    }
  });

  it('refuses to store a file that changed while it was being read', async () => {
    const [content] = (await contents()).contents;
    assert.ok(content);
    writeFileSync(join(folder, 'logo.png'), 'something else');
    await assert.rejects(storeContent(db, 'fil_2', content), /was changed/);
  });
});

const RUNS = 4;
const ROUNDS = 3;
const BYTES = 4 * 1024 * 1024 + 17;

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
