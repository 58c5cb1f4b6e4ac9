/** The key of an installation, its probe and a lost key (D154 to D158). */
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { Collection, Db, Sort } from 'mongodb';
import type { OrganizationContext } from '../../../../../actors/domain/organization/context.ts';
import { decideOrganization } from '../../../../../actors/domain/organization/decide.ts';
import type { OrganizationState } from '../../../../../actors/domain/organization.ts';
import { openVault } from '../../../../../infra/adapters/secrets/installation-key.ts';
import { opened } from '../../../../../infra/adapters/secrets/stored-secrets.ts';
import { createVault } from '../../../../../infra/adapters/secrets/vault.ts';
import { loadConfig } from '../../../../../infra/config/config.ts';
import { makeSecretsKey } from '../../../../../infra/config/secrets-key.ts';
import { tellRow } from '../../../../../infra/programs/cli/checks/finding-sentences.ts';
import { checkSecrets } from '../../../../../infra/programs/cli/checks/secrets.ts';
import { channelSecret, signingSecret } from '../../../../../shared/entity-ids.ts';
import type { Vault } from '../../../../../shared/ports/vault.ts';
import { applyOf, contextAt, NOW } from '../../../../support/actors/domain/organization-fixture.ts';
import { fileEngine } from '../../../../support/engine.ts';
import { CLOUD } from '../../../../support/example-file.ts';

const secretsRow = async (...given: Parameters<typeof checkSecrets>) =>
  tellRow(await checkSecrets(...given));

const MINE = Buffer.alloc(32, 1);
const OTHER = Buffer.alloc(32, 2);
const NONE = { secretsKey: undefined, secretsKeyFile: undefined, secretsKeyLost: undefined };

const engine = fileEngine();
let databases = 0;
const folder = mkdtempSync(join(tmpdir(), 'recado-key-'));

after(() => rmSync(folder, { recursive: true }));

/** An installation of its own: a record, and a file for its key. */
function installation(): { readonly db: Db; readonly file: string } {
  databases += 1;
  const { client } = engine.mongo;
  return { db: client.db(`key-${databases}`), file: join(folder, `${databases}.key`) };
}

const vaultUnder = (key: Buffer): Vault => createVault(key.toString('base64'));

/** An organization of a version that kept no probe: a channel sealed by each key. */
async function storeSealed(db: Db, keys: readonly Buffer[], removed = false): Promise<void> {
  const channels = keys.map((key, index) => {
    const id = `chn_${index}`;
    const place = channelSecret('org_1', id, 'apiKey');
    return { id, ref: `c${index}`, secrets: { apiKey: vaultUnder(key).seal('k', place) }, removed };
  });
  await db
    .collection<{ _id: string }>('organizations')
    .insertOne({ _id: 'org_1', ref: 'loja', channels, subscriptions: [] } as { _id: string });
}

const probeCount = (db: Db) => db.collection('installation').countDocuments();
const under = (secretsKey: Uint8Array) => ({ ...NONE, secretsKey });

async function refusal(opening: ReturnType<typeof openVault>): Promise<string> {
  const opened = await opening;
  assert.ok('refused' in opened, 'the key is refused');
  return opened.refused;
}

async function accepted(opening: ReturnType<typeof openVault>): Promise<Vault> {
  const opened = await opening;
  assert.ok('vault' in opened, 'refused' in opened ? opened.refused : '');
  return opened.vault;
}

/** The record of a process before whose n-th read or write something happens. */
function interrupted(db: Db, n: number, happening: () => Promise<unknown>): Db {
  let begun = 0;
  const pause = async () => (begun++ === n ? await happening() : undefined);
  const paused = (collection: Collection): object => ({
    findOne: async (...args: Parameters<Collection['findOne']>) => {
      await pause();
      return await collection.findOne(...args);
    },
    insertOne: async (...args: Parameters<Collection['insertOne']>) => {
      await pause();
      return await collection.insertOne(...args);
    },
    find: (...args: Parameters<Collection['find']>) => ({
      async *sort(by: Sort) {
        await pause();
        yield* collection.find(...args).sort(by);
      },
    }),
  });
  return { collection: (name: string) => paused(db.collection(name)) } as unknown as Db;
}

for (const n of [0, 1, 2, 3]) {
  test(`another process starts and seals a secret before the look number ${n}`, async () => {
    const { db, file } = installation();
    const settings = { ...NONE, secretsKeyFile: file };
    let other: Vault | undefined;
    const starts = async () => {
      other = await accepted(openVault(db, settings));
      await storeSealed(db, [Buffer.from(readFileSync(file, 'utf8'), 'base64')]);
    };
    const mine = await accepted(openVault(interrupted(db, n, starts), settings));
    const place = channelSecret('org_1', 'chn_0', 'apiKey');
    assert.equal(mine.open(other?.seal('k', place) ?? '', place), 'k');
    assert.equal(await probeCount(db), 1);
  });
}

test('the first start makes one key for all, and a probe; later ones keep both', async () => {
  const { db, file } = installation();
  const settings = { ...NONE, secretsKeyFile: file };
  await Promise.all([1, 2, 3].map(() => accepted(openVault(db, settings))));
  const key = readFileSync(file, 'utf8');
  await accepted(openVault(db, settings));
  assert.equal(readFileSync(file, 'utf8'), key);
  assert.equal(await probeCount(db), 1);
  const drafts = readdirSync(folder).filter((name) => !name.endsWith('.key'));
  assert.deepEqual(drafts, [], 'no draft of a key remains');
});

test('of two first processes with keys of their own one stops', async () => {
  const { db } = installation();
  const opened = await Promise.all([MINE, OTHER].map((key) => openVault(db, under(key))));
  assert.equal(opened.filter((each) => 'vault' in each).length, 1);
});

test('a record without a probe gets one by a key that opens a secret, and by no other', async () => {
  const { db } = installation();
  await storeSealed(db, [OTHER, MINE]);
  const third = await refusal(openVault(db, under(Buffer.alloc(32, 3))));
  assert.match(third, /^SECRETS_KEY is not the key that sealed/);
  assert.equal(await probeCount(db), 0);
  await accepted(openVault(db, under(MINE)));
  await refusal(openVault(db, under(OTHER)));
});

test('no key is made where anything is sealed, be it of an entry that was removed', async () => {
  const { db, file } = installation();
  await storeSealed(db, [MINE], true);
  const settings = { ...NONE, secretsKeyFile: file };
  assert.match(await refusal(openVault(db, settings)), /^The key of the stored secrets is missing/);
  assert.deepEqual([existsSync(file), await probeCount(db)], [false, 0]);
});

test('a file without a key is told, and never written over', async () => {
  const { db, file } = installation();
  writeFileSync(file, 'half a k');
  const told = await refusal(openVault(db, { ...NONE, secretsKeyFile: file }));
  assert.match(told, /\.key does not hold 32 bytes in base64: /);
  assert.equal(readFileSync(file, 'utf8'), 'half a k');
  assert.deepEqual(makeSecretsKey(file), { broken: `${file} does not hold 32 bytes in base64` });
});

test('a lost key is given up by its name, once', async () => {
  const { db, file } = installation();
  await accepted(openVault(db, under(MINE)));
  const settings = { ...NONE, secretsKeyFile: file };
  const nameIn = (told: string) => /SECRETS_KEY_LOST=([0-9a-f]{8})/.exec(told)?.[1];
  const name = nameIn(await refusal(openVault(db, settings)));
  const lost = { ...settings, secretsKeyLost: name };
  await refusal(openVault(db, { ...lost, secretsKeyLost: '00000000' }));
  await accepted(openVault(db, lost));
  await accepted(openVault(db, settings));
  assert.notEqual(nameIn(await refusal(openVault(db, { ...lost, ...under(OTHER) }))), name);
});

/** As the organization's owner opens secrets, under this key. */
function contextUnder(key: Buffer): OrganizationContext {
  const vault = vaultUnder(key);
  const open: OrganizationContext['open'] = (sealed, place) =>
    opened(vault, { sealed, location: place });
  return { ...contextAt(NOW), seal: vault.seal, open };
}

const CHANNEL = { provider: 'cloud', phone: '+55 11 4000-1000' };
const FILE = {
  ...{ ref: 'loja', name: 'Loja', timeZone: 'America/Sao_Paulo', country: 'BR' },
  channels: [{ ref: 'main', label: 'A', ...CHANNEL, enabled: true, network: CLOUD }],
  subscriptions: [{ ref: 'crm', url: 'https://example.com/', events: ['*'], secret: 'given' }],
};

function decided(state: OrganizationState | null, key: Buffer, file: unknown = FILE) {
  const { next } = decideOrganization(state, applyOf(file), contextUnder(key));
  return next ?? assert.fail('the state changes');
}

test('after a lost key doctor names what does not open, and apply and rotation mend it', async () => {
  const { db, file } = installation();
  const state = decided(null, MINE);
  const { id: _id, ...stored } = state;
  const organizations = db.collection<{ _id: string }>('organizations');
  await organizations.insertOne({ _id, ...stored });
  writeFileSync(file, OTHER.toString('base64'));
  const config = { ...loadConfig({}), secretsKey: Uint8Array.from(OTHER) };
  const name = /SECRETS_KEY_LOST=(\w+)/.exec((await secretsRow(db, config)).detail)?.[1];
  await accepted(openVault(db, { ...under(OTHER), secretsKeyLost: name }));
  const shut = await secretsRow(db, config);
  assert.equal(shut.ok, false);
  assert.match(shut.detail, /^4 of 4 do not open: loja\/main accessToken, .*loja\/crm secret$/);

  const again = decided(state, OTHER, { ...FILE, subscriptions: [] });
  const [subscription] = again.subscriptions;
  assert.ok(subscription);
  const order = { id: 'cmd_r', type: 'subscriptions.rotate' } as const;
  const rotation = { ...order, subscriptionId: subscription.id, seed: 'seed' };
  const rotated = decideOrganization(again, rotation, contextUnder(OTHER)).next;
  assert.ok(rotated);
  const [mended] = rotated.subscriptions;
  assert.equal(mended?.secrets.length, 1, 'the secret that does not open signs nothing');
  const place = signingSecret(rotated.id, subscription.id);
  assert.match(vaultUnder(OTHER).open(mended?.secrets[0]?.sealed ?? '', place), /^whsec_/);
  const { id: __, ...known } = rotated;
  await organizations.replaceOne({ _id }, known);
  assert.deepEqual(await secretsRow(db, config), {
    ...{ name: 'secrets', ok: true, detail: 'the key opens all 4', remedy: null },
  });
});

test('doctor names a stored secret that no library verifies with, until it is rotated', async () => {
  const { db } = installation();
  const vault = vaultUnder(MINE);
  await accepted(openVault(db, under(MINE)));
  const place = signingSecret('org_1', 'sub_1');
  const sealed = (secret: string, until: number | null) => ({
    sealed: vault.seal(secret, place),
    until,
  });
  const secrets = [sealed('whsec_bmV3', null)];
  const crm = { id: 'sub_1', ref: 'crm', secrets };
  const organizations = db.collection<{ _id: string }>('organizations');
  const organization = { _id: 'org_1', ref: 'loja', channels: [], subscriptions: [crm] };
  await organizations.insertOne(organization);
  const config = { ...loadConfig({}), secretsKey: Uint8Array.from(MINE) };
  const told = await secretsRow(db, config);
  assert.equal(told.ok, false);
  assert.equal(told.detail, 'the key opens all 1; no library verifies with loja/crm secret');
  const rule = /a secret of your own must have padded base64 of 24 to 64 bytes after whsec_\.$/;
  assert.match(told.remedy ?? '', rule);
  const rotated = [sealed(vault.freshSecret(), null), ...secrets];
  const change = { $set: { 'subscriptions.0.secrets': rotated } };
  await organizations.updateOne({ _id: 'org_1' }, change);
  assert.equal((await secretsRow(db, config)).ok, true);
});
