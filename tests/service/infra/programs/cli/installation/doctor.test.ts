/** `recado doctor`, well and unwell (C12.12). */

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { MongoClient } from 'mongodb';
import * as v from 'valibot';
import { loadConfig } from '../../../../../../infra/config/config.ts';
import { tellRow } from '../../../../../../infra/programs/cli/checks/finding-sentences.ts';
import { checkMail } from '../../../../../../infra/programs/cli/checks/mail.ts';
import { examine } from '../../../../../../infra/programs/cli/installation/doctor.ts';
import { pluck, pluckRows } from '../../../../../support/pluck.ts';
import type { Ran } from '../../../../../support/run-program.ts';
import { startStack } from '../../../../../support/stack.ts';
import { useOrganizations, useStack } from '../../../../../support/stack-hooks.ts';
import { serveTcp } from '../../../../../support/stand-ins/server.ts';
import { diagnosedInTime } from './doctor-of.ts';

const NAMES = [
  'settings',
  'nats',
  'mongodb',
  'indexes',
  'schema',
  'clock',
  'secrets',
  'networks',
  'templates',
  'sends',
  'deliveries',
  'subscribers',
  'parked',
  'timers',
  'reminders',
  'network clocks',
  'address',
  'disk',
  'partitions',
  'clocks',
  'webhooks',
  'webhooks late',
  'panel',
  'mail',
  'open files',
] as const;

const DiagnosisSchema = v.strictObject({
  ok: v.boolean(),
  checks: v.array(
    v.strictObject({
      name: v.string(),
      ok: v.boolean(),
      detail: v.string(),
      remedy: v.nullable(v.string()),
    }),
  ),
});

function diagnosisOf({ stdout }: Ran) {
  return v.parse(DiagnosisSchema, JSON.parse(stdout));
}

const stack = useStack(startStack);
const { loja: shop } = useOrganizations(stack, { loja: {} });

function diagnosed(words: readonly string[]): Promise<Ran> {
  return diagnosedInTime(() => stack.spawnRecado(words));
}

test('a service that is well: exit 0, every check ok, in this order', async () => {
  const ran = await diagnosed(['doctor', '--json']);
  const { ok, checks } = diagnosisOf(ran);
  assert.deepEqual(
    checks.filter((check) => !check.ok),
    [],
  );
  assert.equal(ok, true);
  assert.equal(ran.code, 0, ran.stderr);
  assert.deepEqual(pluck(checks, 'name'), NAMES);
  const nats = checks.find(({ name }) => name === 'nats');
  assert.match(nats?.detail ?? '', /version \d+\.\d+\.\d+, round trip \d+ ms, max_payload \d+/);
  assert.equal(checks.find(({ name }) => name === 'panel')?.detail, 'none runs');
  const people = await diagnosed(['doctor']);
  assert.equal(people.code, 0, people.stdout);
  assert.match(people.stdout, /All is well\.\n$/);
});

test('a restricted number is told by doctor and API, and is nothing to mend', async () => {
  const until = Date.now() + 3_600_000;
  const restriction = { until, holdsUntil: until };
  const past = { until: null, holdsUntil: Date.now() - 1 };
  await using client = new MongoClient(stack.runFile().mongodbUrl, { retryWrites: false });
  await client.connect();
  const main = async () => (await stack.channels(shop.key)).find(({ id }) => id === shop.main);
  const keep = (kept: object) =>
    client
      .db('recado')
      .collection('organizations')
      .updateOne({ ref: 'loja' }, { $set: { 'channels.0.restriction': kept } });
  try {
    await keep(restriction);
    const { ok, checks } = diagnosisOf(await diagnosed(['--json', 'doctor']));
    const networks = checks.find(({ name }) => name === 'networks');
    assert.equal(ok, true);
    const told = `loja/main until ${new Date(until).toISOString()}`;
    assert.ok(networks?.detail.endsWith(`1 may begin no conversations (restricted): ${told}`));
    const shown = await main();
    assert.equal(shown?.ready, true);
    assert.equal(shown?.reason, null);
    assert.equal(shown?.restriction?.until, new Date(until).toISOString());
    assert.match(shown?.restriction?.message ?? '', /iniciar conversas/);
    await keep(past);
    const after = await main();
    assert.equal(after !== undefined && 'restriction' in after, false, 'absent when there is none');
  } finally {
    await keep(past);
  }
});

test('a missing index and a channel that cannot send: exit 1, with what to do', async () => {
  await using client = new MongoClient(stack.runFile().mongodbUrl, { retryWrites: false });
  await client.connect();
  const db = client.db('recado');
  await db.collection('entries').dropIndex('conversation_seq');
  await db
    .collection('organizations')
    .updateOne(
      { ref: 'loja' },
      { $set: { 'channels.0.networkReady': false, 'channels.0.networkReason': 'Sem sinal.' } },
    );
  const ran = await diagnosed(['--json', 'doctor']);
  assert.equal(ran.code, 1);
  const { ok, checks } = diagnosisOf(ran);
  assert.equal(ok, false);
  const unwell = checks.filter((check) => !check.ok);
  assert.deepEqual(unwell.map(({ name }) => name).sort(), ['indexes', 'networks']);
  assert.match(unwell[0]?.detail ?? '', /^missing: entries \{"conversationId":1,"seq":-1\}$/);
  assert.match(unwell[1]?.detail ?? '', /loja\/main \(cloud\): Sem sinal\./);
  assert.ok(unwell.every(({ remedy }) => remedy !== null && remedy !== ''));
});

test('wrong settings are a finding like any other', async () => {
  const diagnosis = await examine({ problems: ['PORT takes a port.'] }, Date.now);
  assert.deepEqual(pluckRows(diagnosis.checks, 'name', 'ok'), [['settings', false]]);
});

test('where nothing runs, what needs the service is not well, and nothing hangs', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'recado-doctor-'));
  try {
    const config = loadConfig({
      DATA_DIR: folder,
      NATS_URL: 'nats://name:password@127.0.0.1:9',
      MONGODB_URL: 'mongodb://127.0.0.1:9',
    });
    const { ok, checks } = await examine({ config }, Date.now);
    assert.equal(ok, false);
    assert.deepEqual(
      pluck(
        checks.filter((check) => check.ok),
        'name',
      ),
      ['settings', 'disk', 'mail', 'open files'],
    );
    assert.doesNotMatch(JSON.stringify(checks), /password/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('a mail server is greeted; one that is not there is told', async () => {
  const { port, close } = await serveTcp((socket) => socket.end('220 mail.example.com ESMTP\r\n'));
  const config = loadConfig({ SMTP_URL: `smtp://127.0.0.1:${port}` });
  const well = tellRow(await checkMail(config));
  assert.deepEqual([well.ok, well.detail], [true, `127.0.0.1:${port} answers`]);
  await close();
  const gone = tellRow(await checkMail(config));
  assert.equal(gone.ok, false);
  assert.match(gone.detail, /ECONNREFUSED/);
});
