/** The command line shows what exists (D182, D183), on the real stack. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { MongoClient } from 'mongodb';
import * as v from 'valibot';
import { parse } from 'yaml';
import { databaseOf } from '../../../../../infra/adapters/mongo/client.ts';
import { VERSION } from '../../../../../shared/version.ts';
import { freshPhone } from '../../../../support/api.ts';
import { spawnRecado } from '../../../../support/command-line.ts';
import { organizationFile } from '../../../../support/organization.ts';
import { pluck, pluckRows } from '../../../../support/pluck.ts';
import { useOrganizations, useStack, useSubscriber } from '../../../../support/stack-hooks.ts';
import { waitUntil } from '../../../../support/wait-for.ts';

const COLUMNS = 100;
const LONG = 'Uma frase que não cabe em uma só linha de uma tabela de cem colunas, e que por isso '
  .repeat(3)
  .trim();
const FLOW = {
  ...{ ref: 'welcome', name: 'Boas-vindas', channel: 'main' },
  triggers: [{ on: 'tag', tag: 'novo' }],
  steps: [
    { id: 'hi', do: 'send', text: 'Olá {{contact.name}}: "oi"\n- 1\n', next: 'end' },
    { id: 'end', do: 'end' },
  ],
};

let conversationId: string;
let phone: string;

const run = (...args: readonly string[]) => stack.recado(args);

async function ask(...args: readonly string[]): Promise<Record<string, unknown>> {
  return v.parse(v.record(v.string(), v.unknown()), await stack.ask(...args));
}

const RowsSchema = v.array(
  v.looseObject({ id: v.string(), ref: v.nullable(v.string()), name: v.optional(v.unknown()) }),
);

/** Of a command that is refused: it exits with 2. */
async function refusal(...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await run(...args);
  assert.deepEqual([code, stdout], [2, ''], stderr);
  return stderr;
}

async function rows(...args: readonly string[]) {
  return v.parse(RowsSchema, (await ask(...args)).data);
}

function assertFits(table: string): void {
  const wide = table.split('\n').filter((line) => [...line].length > COLUMNS);
  assert.deepEqual(wide, []);
}

const stack = useStack();
const subscriber = useSubscriber();
before(async () => {
  subscriber.answer('/broken', () => 500);
  writeFileSync(join(stack.dataDir, 'logo.png'), 'a picture');
});
const { loja } = useOrganizations(stack, () => ({
  loja: {
    subscriptions: [
      { ref: 'crm', url: `${subscriber.url}/crm`, events: ['deal.won'] },
      { ref: 'broken', url: `${subscriber.url}/broken`, events: ['message.sent'] },
    ],
    more: {
      members: [{ ref: 'ana', name: 'Ana Souza', email: 'ana@example.com' }],
      tags: ['VIP', 'novo'],
      flows: [FLOW],
      files: [
        { ref: 'logo', name: 'l.png', mimeType: 'image/png', path: `${stack.dataDir}/logo.png` },
      ],
    },
  },
}));
before(async () => {
  phone = freshPhone();
  const body = { phone, text: LONG, channelId: loja.main };
  ({ conversationId } = await stack.send(loja.key, body));
});

async function stored() {
  const { mongodbUrl } = stack.runFile();
  await using client = new MongoClient(mongodbUrl, { retryWrites: false });
  const db = databaseOf(client, mongodbUrl);
  return {
    organizations: await db.collection('organizations').find({ ref: loja.ref }).toArray(),
    tags: await db.collection('tags').find({ orgId: loja.id }).sort({ _id: 1 }).toArray(),
  };
}

const EachSchema = v.array(v.looseObject({ ref: v.string() }));

test('export prints a file that apply takes back, and nothing is changed', async () => {
  const known = await waitUntil('the organization rests', async () => {
    // Networks say how they stand shortly after the first apply.
    const [first, second] = [await stored(), await stored()];
    return JSON.stringify(first) === JSON.stringify(second) ? second : null;
  });
  const { stdout } = await run('export');
  const [organization] = v.parse(
    v.object({ orgs: v.tuple([v.looseObject({})]) }),
    parse(stdout),
  ).orgs;
  const lists = ['members', 'channels', 'keys', 'flows', 'files', 'subscriptions'];
  for (const list of lists) assert.ok(v.parse(EachSchema, organization[list]).length > 0, list);
  assert.deepEqual(organization.tags, ['novo', 'VIP']);
  assert.doesNotMatch(stdout, new RegExp(`secret-${loja.ref}|given-token|whsec_|"a picture"`));
  const applied = await stack.spawnRecado(['apply', '-'], stdout);
  assert.equal(applied.code, 0, applied.stderr);
  assert.deepEqual(await stored(), known);
  const given = await ask('export', '--org', loja.id);
  assert.deepEqual(given, parse(stdout), '--json prints the same file');
});

test('an exported file with a change in it keeps the secrets that it leaves out', async () => {
  const { stdout } = await run('export', '--org', loja.ref);
  const changed = stdout.replace('label: Atendimento', 'label: Suporte');
  const applied = await stack.recado(['apply', '-'], changed);
  assert.equal(applied.code, 0, applied.stderr);
  const channels = await rows('channels', 'list');
  const main = channels.find(({ ref }) => ref === 'main');
  assert.deepEqual([main?.label, main?.ready], ['Suporte', true]);
  const sent = await stack.send(loja.mainKey, { phone, text: 'ainda envia' });
  await stack.messageIn(loja.key, sent, 'read');
});

test('every list has id and ref, takes --limit, and fits 100 columns', async () => {
  const lists = [
    ...['orgs', 'channels', 'members', 'tags', 'flows', 'pipelines', 'keys', 'subscriptions'],
    ...['files', 'deliveries', 'conversations', 'contacts'],
  ];
  await waitUntil('a delivery', async () => (await rows('deliveries', 'list')).length > 0);
  for (const list of lists) {
    const all = await rows(list, 'list');
    assert.ok(all.length > 0, list);
    // Of a delivery the next attempt may be made in between.
    const [first] = await rows(list, 'list', '--limit', '1');
    assert.deepEqual([first?.id, first?.ref], [all[0]?.id, all[0]?.ref], list);
    const { stdout } = await run(list, 'list');
    assertFits(stdout);
    if (list !== 'tags') assert.ok(stdout.includes(String(all[0]?.id)), list);
  }
  const [flow] = await rows('flows', 'list');
  assert.deepEqual([flow?.ref, flow?.channel, flow?.stepCount], ['welcome', 'main', 2]);
  assert.deepEqual(pluck(await rows('tags', 'list'), 'ref'), ['novo', 'VIP']);
  assert.deepEqual(pluckRows(await rows('orgs', 'list'), 'id', 'ref'), [[loja.id, loja.ref]]);
});

test('conversations list and show tell what was said, notes too', async () => {
  const text = 'Cliente quer nota fiscal';
  await run('conversations', 'note', conversationId, '--member', 'ana', '--text', text);
  const [listed, ...others] = await rows('conversations', 'list', '--channel', 'main');
  assert.deepEqual([listed?.id, others], [conversationId, []]);
  assert.deepEqual(await rows('conversations', 'list', '--status', 'resolved'), []);
  const { messages } = await ask('conversations', 'show', conversationId);
  const said = v.parse(v.array(v.looseObject({ text: v.string() })), messages);
  assert.deepEqual([said[0]?.text, said.at(-1)?.text], [LONG, text]);
  const { stdout } = await run('conversations', 'show', conversationId);
  assert.match(stdout, /note +Ana Souza +- +Cliente quer nota fiscal/);
  assertFits(stdout.slice(stdout.indexOf('\n\n')));
  const last = await run('conversations', 'show', conversationId, '--limit', '1');
  assert.match(last.stdout, /1 of 3 messages; --limit shows more/);
  assert.match(await refusal('conversations', 'show', 'cnv_none'), /no such conversation/);
});

test('contacts show finds one by its phone or id, with its conversations', async () => {
  const byPhone = await ask('contacts', 'show', phone);
  const byId = await ask('contacts', 'show', String(byPhone.id));
  assert.deepEqual(byId, byPhone);
  assert.equal(v.parse(RowsSchema.item.entries.id, byPhone.orgId), loja.id);
  const { stdout } = await run('contacts', 'show', phone);
  assert.ok(stdout.includes(conversationId));
  assert.match(await refusal('contacts', 'show', freshPhone()), /no such contact/);
});

test('subscriptions test ends with 1 where the subscriber answers 500', async () => {
  const failed = await stack.spawnRecado(['subscriptions', 'test', 'broken']);
  assert.equal(failed.code, 1, failed.stderr);
  assert.match(failed.stdout, /lastAttempt +answered 500, /);
  assert.equal((await run('subscriptions', 'test', 'broken', '--json')).code, 1);
  assert.equal((await run('subscriptions', 'test', 'crm', '--json')).code, 0);
});

test('deliveries list shows the last attempt in words, show all of them', async () => {
  const [delivery] = await rows('deliveries', 'list', '--subscription', 'broken');
  assert.ok(delivery);
  const { stdout } = await run('deliveries', 'list', '--subscription', 'broken');
  assert.match(stdout, /answered 500, (?:now|\d+ s ago)/);
  const shown = await run('deliveries', 'show', delivery.id);
  assert.match(
    shown.stdout,
    /\n1 +\d{4}-\d\d-\d\d [\d:]{8} +answered 500 +\d+ +status 500 +received\n/,
  );
  assert.match(shown.stdout, /\{"event":/);
});

test('--version is the package’s, and needs neither service nor settings', async () => {
  const env = { DATA_DIR: stack.dataDir, NATS_URL: 'nowhere', PORT: 'abc' };
  const { code, stdout } = await spawnRecado(['--version'], { env });
  assert.deepEqual([code, stdout], [0, `${VERSION}\n`]);
});

test('where there are several organizations, --org has to name one', async () => {
  await stack.apply({ orgs: [organizationFile(`${stack.prefix}outra`)] });
  assert.match(await refusal('members', 'list'), /^--org: there are 2 organizations/m);
  assert.deepEqual(pluck(await rows('members', 'list', '--org', loja.ref), 'ref'), ['ana']);
});
