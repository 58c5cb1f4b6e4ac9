/**
 * A data folder whose sealed secrets meet no key, or another one (docs/operations.md, Table of
 * mistakes). The role stops with one sentence, `npm start` ends, and nothing is lost.
 */

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { MongoClient } from 'mongodb';
import * as v from 'valibot';
import { TERMINAL_EVENT } from '../../../../../../shared/log-events.ts';
import { apiOf, freshPhone } from '../../../../../support/api.ts';
import { AppliedSchema, named } from '../../../../../support/applied.ts';
import {
  endsWell,
  REAL_ROLES,
  type Supervised,
  Workspace,
} from '../../../../../support/infra/programs/service/supervisor/supervised.ts';
import { organizationFile } from '../../../../../support/organization.ts';
import type { Ran } from '../../../../../support/run-program.ts';
import { waitUntil } from '../../../../../support/wait-for.ts';
import { diagnosedInTime } from '../../cli/installation/doctor-of.ts';

const OTHER_KEY = randomBytes(32).toString('base64');
const LOJA = organizationFile('loja', {
  subscriptions: [{ ref: 'crm', url: 'http://127.0.0.1:9/hook', events: ['*'] }],
});
const KEY = LOJA.keys[0]?.token ?? assert.fail('a key');

const work = new Workspace();
const keyFile = join(work.dataDir, 'secrets.key');
const aside = join(work.folder, 'kept.key');

/** `npm start`, which has to end by itself; its lines on the terminal. */
async function refused(env: Readonly<Record<string, string>> = {}): Promise<readonly string[]> {
  const supervised = work.start(REAL_ROLES, env);
  const code = await supervised.ended;
  assert.notEqual(code, 0, supervised.output());
  assert.notEqual(code, null, supervised.output());
  for (const event of [TERMINAL_EVENT.ready, TERMINAL_EVENT.startedAgain]) {
    assert.ok(!supervised.output().includes(event), supervised.output());
  }
  assert.equal(existsSync(work.runFile), false, 'run.json is gone');
  return supervised.output().trim().split('\n');
}

/** An actors process started by itself against the running service. */
function actorsAlone(supervised: Supervised, key: string): Promise<Ran> {
  const { natsUrl, mongodbUrl } = supervised.runFile();
  const env = { NATS_URL: natsUrl, MONGODB_URL: mongodbUrl, SECRETS_KEY: key };
  return work.run(['actors/main.ts'], { env });
}

const DiagnosisSchema = v.object({
  checks: v.array(v.object({ name: v.string(), ok: v.boolean(), detail: v.string() })),
});

async function doctorRow(env: Readonly<Record<string, string>> = {}) {
  const words = ['infra/programs/cli/main.ts', '--json', 'doctor'];
  const { stdout } = await diagnosedInTime(() => work.run(words, { env }));
  const { checks } = v.parse(DiagnosisSchema, JSON.parse(stdout));
  return checks.find(({ name }) => name === 'secrets') ?? assert.fail('there is a row "secrets"');
}

before(async () => {
  const supervised = await work.startWhole();
  const file = JSON.stringify({ orgs: [LOJA] });
  const ran = await work.run(['infra/programs/cli/main.ts', 'apply', '-'], { input: file });
  assert.equal(ran.code, 0, ran.stderr);
  const { orgs } = v.parse(AppliedSchema, JSON.parse(ran.stdout));
  assert.ok(named(orgs, 'loja').id);
  await endsWell(supervised);
  assert.equal(statSync(keyFile).mode & 0o777, 0o600);
});

after(() => work.close());

test('without its key npm start ends with one sentence, and makes no other key', async () => {
  renameSync(keyFile, aside);
  const lines = await refused();
  const told = lines.filter((line) => line.includes('SECRETS_KEY'));
  assert.equal(told.length, 1, lines.join('\n'));
  assert.match(told[0] ?? '', /is missing.*\/data\/secrets\.key.*SECRETS_KEY/);
  assert.equal(existsSync(keyFile), false, 'no key was made');
});

test('with another key npm start ends with one sentence, from the setting or the file', async () => {
  writeFileSync(keyFile, `${OTHER_KEY}\n`, { mode: 0o600 });
  const lines = await refused();
  const told = lines.filter((line) => line.includes('SECRETS_KEY'));
  assert.equal(told.length, 1, lines.join('\n'));
  assert.match(told[0] ?? '', /data\/secrets\.key is not the key that sealed/);
  assert.equal(readFileSync(keyFile, 'utf8').trim(), OTHER_KEY, 'the file is left as it was');
  renameSync(aside, keyFile);
  const given = (await refused({ SECRETS_KEY: OTHER_KEY })).join('\n');
  assert.match(given, /SECRETS_KEY is not the key .*but the one in .*\/data\/secrets\.key is/);
  for (const shown of [...lines, given]) assert.ok(!shown.includes(OTHER_KEY));
});

test('with its key again nothing was lost; an actors process with another key stops', async () => {
  const supervised = await work.startWhole();
  const api = apiOf(supervised.runFile().baseUrl);
  const openBoth = async () => {
    const found = await api.channels(KEY);
    return found.length === 2 && found.every(({ ready }) => ready) ? found : null;
  };
  const [main] = await waitUntil('the secrets of both channels open', openBoth);
  const phone = freshPhone();
  const sent = await api.send(KEY, { channelId: main?.id, phone, text: 'oi' });
  await api.messageIn(KEY, sent, 'read');
  assert.equal((await doctorRow()).ok, true);
  const wrong = await doctorRow({ SECRETS_KEY: OTHER_KEY });
  assert.equal(wrong.ok, false);
  assert.match(wrong.detail, /SECRETS_KEY is not the key/);

  const alone = await actorsAlone(supervised, OTHER_KEY);
  assert.equal(alone.code, 78, alone.stdout);
  assert.match(alone.stderr, /^SECRETS_KEY is not the key .*secrets\.key.*\.\n$/);

  // A record of a version that kept no probe.
  const client = new MongoClient(supervised.runFile().mongodbUrl, { retryWrites: false });
  try {
    const probes = client.db('recado').collection<{ _id: string }>('installation');
    const { deletedCount } = await probes.deleteOne({ _id: 'secrets' });
    assert.equal(deletedCount, 1);
    assert.equal((await actorsAlone(supervised, OTHER_KEY)).code, 78);
    assert.equal(await probes.countDocuments({ _id: 'secrets' }), 0, 'no probe by another key');
  } finally {
    await client.close();
  }
  await endsWell(supervised);
});
