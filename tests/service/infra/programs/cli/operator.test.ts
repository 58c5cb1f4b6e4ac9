/** The command line against the running service (C12). */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { MongoClient } from 'mongodb';
import * as v from 'valibot';
import { stringify } from 'yaml';
import { assertRefused, freshPhone } from '../../../../support/api.ts';
import { AppliedSchema, named } from '../../../../support/applied.ts';
import { EXAMPLE } from '../../../../support/example-file.ts';
import { organizationFile, organizations, secretsOf } from '../../../../support/organization.ts';
import { pluckRows } from '../../../../support/pluck.ts';
import type { Ran } from '../../../../support/run-program.ts';
import { useStack } from '../../../../support/stack-hooks.ts';
import { waitUntil } from '../../../../support/wait-for.ts';

const stack = useStack();
after(() => stack.apply({ orgs: EXAMPLE.orgs.map(({ ref }) => ({ ref, remove: true })) }));

const ChangeSchema = v.object({ org: v.string(), path: v.string(), change: v.string() });
const ChangesSchema = v.object({ changes: v.array(ChangeSchema) });

/** A provisioning file on disk, with what it names beside it. */
function written(name: string, content: string): string {
  const folder = join(stack.dataDir, '..', 'files');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'logo.png'), Buffer.from('89504e470d0a1a0a', 'hex'));
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

function me(key: string) {
  return stack.call('GET', '/api/v1/me', { key });
}

function outputOf({ code, stdout, stderr }: Ran) {
  assert.equal(code, 0, stderr);
  return v.parse(AppliedSchema, JSON.parse(stdout));
}

describe('recado apply', () => {
  test('takes the whole example, prints every id, and its keys work at once', async () => {
    const file = written('example.yaml', stringify(EXAMPLE));
    const { loja } = outputOf(await stack.spawnRecado(['apply', file])).orgs;
    assert.ok(loja);
    const { members, channels, keys, flows, files, subscriptions } = loja;
    const names = [members, channels, keys, flows, files, subscriptions].map(Object.keys);
    const expected = [
      ['ana'],
      ['main', 'shop'],
      ['erp', 'shop-key'],
      ['welcome'],
      ['logo'],
      ['crm'],
    ];
    assert.deepEqual(names, expected);
    const erp = named(keys, 'erp').token ?? '';
    const shop = named(keys, 'shop-key').token ?? '';
    for (const token of [erp, shop]) assert.match(token, /^rcd_[A-Za-z0-9]+_[A-Za-z0-9]{27,}$/);
    assert.match(named(subscriptions, 'crm').secret ?? '', /^whsec_[A-Za-z0-9+/]{43}=$/);
    const { json } = await me(shop);
    assert.equal(Reflect.get(Object(Reflect.get(Object(json), 'data')), 'scope'), 'channel');
    const main = named(channels, 'main');
    assert.equal(main.networkWebhookUrl, `${stack.baseUrl}/networks/cloud/${main.id}`);
    assert.equal(main.inboundWebhookUrl, `${stack.baseUrl}/api/webhooks/channel/${main.id}`);
    const sent = await stack.send(erp, { channelId: main.id, phone: freshPhone(), text: 'oi' });
    await stack.messageIn(erp, sent, 'read');
  });

  test('again it prints the same ids and no tokens, and changes nothing', async () => {
    const file = written('again.yaml', stringify(EXAMPLE));
    const first = outputOf(await stack.recado(['apply', file]));
    const before = await organizationDocument('loja');
    const second = outputOf(await stack.recado(['apply', file]));
    assert.deepEqual(second, first);
    assert.ok(!JSON.stringify(second).includes('token'));
    assert.ok(!JSON.stringify(second).includes('whsec_'));
    assert.deepEqual(await organizationDocument('loja'), before);
  });

  test('JSON on standard input; what is left out stays, remove takes away', async () => {
    const { part } = await organizations(stack, { part: {} });
    const renamed = { orgs: [{ ref: part.ref, name: 'Outro nome' }] };
    await stack.apply(renamed);
    const { json } = await me(part.key);
    assert.match(JSON.stringify(json), /"name":"Outro nome"/);
    assert.equal((await stack.channels(part.key)).length, 2);
    await stack.apply({ orgs: [{ ref: part.ref, keys: [{ ref: 'main', remove: true }] }] });
    assertRefused(await me(part.mainKey), 401);
    assert.equal((await me(part.key)).status, 200);
  });

  test('bad input exits with 2, names every problem with its path, and stores nothing', async () => {
    const bad = organizationFile('bad');
    const file = {
      orgs: [
        organizationFile('good'),
        { ...bad, timeZone: 'Mars/Olympus', country: 'XX', keys: [{ ref: 'k', name: 'K' }] },
      ],
    };
    const ran = await stack.recado(['apply', '-'], JSON.stringify(file));
    assert.deepEqual([ran.code, ran.stdout], [2, '']);
    for (const path of ['orgs.1.timeZone', 'orgs.1.country', 'orgs.1.keys.0.scope']) {
      assert.ok(ran.stderr.includes(`${path}:`), `${path} in ${ran.stderr}`);
    }
    assert.equal(await organizationDocument('good'), null);
    assert.equal(await organizationDocument('bad'), null);
    const unread = await stack.recado(['apply', '-'], 'orgs: [');
    assert.equal(unread.code, 2);
    assert.equal((await stack.recado(['apply', '/nowhere.yaml'])).code, 2);
  });

  test('--diff tells what would change, tags too, and changes nothing', async () => {
    const { same } = await organizations(stack, { same: {} });
    await stack.apply({ orgs: [{ ref: same.ref, tags: ['VIP', 'old'] }] });
    const before = await organizationDocument(same.ref);
    const tags = ['vip', 'new', { ref: 'OLD', remove: true }, { ref: 'none', remove: true }];
    const file = JSON.stringify({ orgs: [{ ref: same.ref, timeZone: 'UTC', tags }] });
    const ran = await stack.recado(['--diff', 'apply', '-', '--json'], file);
    assert.equal(ran.code, 0, ran.stderr);
    const { changes } = v.parse(ChangesSchema, JSON.parse(ran.stdout));
    assert.deepEqual(pluckRows(changes, 'org', 'change', 'path'), [
      [same.ref, 'change', 'timeZone'],
      [same.ref, 'add', 'tags.new'],
      [same.ref, 'remove', 'tags.old'],
    ]);
    assert.deepEqual(await organizationDocument(same.ref), before);
    assert.equal((await me(same.key)).status, 200);
  });

  test('a token already in use anywhere is refused', async () => {
    const { first } = await organizations(stack, { first: {} });
    const thief = { ...organizationFile('thief'), channels: [] };
    const keys = [{ ref: 'k', name: 'K', scope: 'account', token: first.key }];
    const subscriptions = [{ ref: 's', url: 'https://10.0.0.8:8443/hook' }];
    const file = { orgs: [{ ...thief, keys, subscriptions }] };
    const ran = await stack.recado(['apply', '-'], JSON.stringify(file));
    assert.equal(ran.code, 2);
    // With the other problems, among them the setting that would allow the refused value.
    assert.match(
      ran.stderr,
      /^orgs\.0\.keys\.0\.token: is already in use \(standard input, line 1, /m,
    );
    const allows =
      /^orgs\.0\.subscriptions\.0\.url: .*10\.0\.0\.8:8443 in .* PRIVATE_NETWORK_ALLOW/m;
    assert.match(ran.stderr, allows);
    assert.ok(!ran.stderr.includes(first.key), 'the token is not repeated');
    assert.equal(await organizationDocument('thief'), null);
  });
});

const CreatedSchema = v.object({
  id: v.string(),
  token: v.string(),
  prefix: v.string(),
  scope: v.string(),
});

describe('recado keys', () => {
  test('create prints the token this once, list does not, revoke is in force when it returns', async () => {
    const { shop } = await organizations(stack, { shop: {} });
    const order = ['keys', 'create', '--org', shop.ref, '--name', 'Nova', '--scope'];
    const made = v.parse(CreatedSchema, await stack.ask(...order, 'channel', '--channel', 'main'));
    assert.deepEqual([made.scope, made.prefix], ['channel', made.token.slice(0, 12)]);
    assert.equal((await me(made.token)).status, 200);
    const listed = JSON.stringify(await stack.ask('keys', 'list', '--org', shop.id));
    assert.ok(listed.includes(made.id) && !listed.includes(made.token));
    const revoked = await stack.ask('keys', 'revoke', made.id);
    assert.deepEqual(Object.keys(revoked as object), ['id', 'revokedAt']);
    const answers = await Promise.all(Array.from({ length: 20 }, () => me(made.token)));
    for (const answer of answers) assertRefused(answer, 401);
    assert.equal((await me(shop.key)).status, 200);
  });

  test('wrong orders exit with 2 and say why', async () => {
    const wrong = [
      ['keys', 'create', '--org', 'nowhere', '--name', 'N', '--scope', 'account'],
      ['keys', 'create', '--org', 'loja', '--name', 'N', '--scope', 'all'],
      ['keys', 'create', '--org', 'loja', '--name', 'N', '--scope', 'channel'],
      ['keys', 'revoke', 'key_unknown'],
      ['deliveries', 'show', 'dlv_unknown'],
      ['deliveries', 'list', '--org', 'loja', '--status', 'lost'],
      ['nonsense'],
    ];
    const ran = await Promise.all(wrong.map((args) => stack.recado(['--json', ...args])));
    for (const [index, { code, stdout, stderr }] of ran.entries()) {
      assert.deepEqual([code, stdout], [2, ''], wrong[index]?.join(' '));
      assert.match(stderr, /nowhere|all|channel|such key|such delivery|lost|nonsense/);
    }
  });
});

describe('secrets at rest', () => {
  test('no key, network secret or signing secret can be read in MongoDB', async () => {
    const given = 'a-signing-secret-of-the-caller';
    const subscription = { ref: 's', url: 'http://127.0.0.1:9/', events: ['*'] };
    const { vault } = await organizations(stack, {
      vault: { subscriptions: [subscription, { ...subscription, ref: 'given', secret: given }] },
    });
    const sent = await stack.send(vault.key, {
      channelId: vault.main,
      phone: freshPhone(),
      text: 'um texto que está lá',
    });
    await stack.messageIn(vault.key, sent, 'read');
    const recorded = () => stack.ask('deliveries', 'list', '--org', vault.ref);
    await waitUntil('deliveries are recorded', async () =>
      JSON.stringify(await recorded()).includes('message.sent'),
    );
    const stored = await everything();
    assert.ok(stored.includes('um texto que está lá'), 'the scan sees what is stored');
    const { accessToken, appSecret, verifyToken } = secretsOf(vault.ref);
    const secrets = [
      ...[vault.key, vault.mainKey, vault.shopKey, accessToken, appSecret, verifyToken, given],
      `api-key-secret-${vault.ref}`,
      `webhook-secret-${vault.ref}`,
      named(vault.applied?.subscriptions ?? {}, 's').secret ?? '',
    ];
    for (const secret of secrets) {
      assert.ok(secret.length > 10);
      const forms = [secret, Buffer.from(secret).toString('base64').replace(/=+$/, '')];
      for (const form of forms) assert.ok(!stored.includes(form), `${secret} is stored`);
    }
  });
});

/** Every document of every database, as text; binary fields as base64 and as bytes. */
async function everything(): Promise<string> {
  await using client = await MongoClient.connect(stack.runFile().mongodbUrl);
  const parts: string[] = [];
  const { databases } = await client.db().admin().listDatabases();
  for (const { name } of databases) {
    for (const collection of await client.db(name).collections()) {
      for await (const document of collection.find({}, { raw: true })) {
        parts.push(Buffer.from(document as unknown as Uint8Array).toString('utf8'));
      }
    }
  }
  return parts.join('\n');
}

async function organizationDocument(ref: string): Promise<unknown> {
  await using client = await MongoClient.connect(stack.runFile().mongodbUrl);
  const { databases } = await client.db().admin().listDatabases();
  for (const { name } of databases) {
    const found = await client.db(name).collection('organizations').findOne({ ref });
    if (found) return found;
  }
  return null;
}
