/**
 * The back-up page of docs/operations.md, pasted. A service is filled and stopped, and its data is
 * removed. Then the page's commands restore it, and it is read and used, stored secrets included.
 */

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import * as v from 'valibot';
import { ListContactsAnswer } from '../../../../../../shared/api/contact.ts';
import { TERMINAL_EVENT } from '../../../../../../shared/log-events.ts';
import { apiOf, freshPhone, type Sent } from '../../../../../support/api.ts';
import { AppliedSchema, named } from '../../../../../support/applied.ts';
import { assertSigned } from '../../../../../support/delivery.ts';
import { environment, outputOf, ROOT } from '../../../../../support/launch.ts';
import { cloudPost, cloudText, networkOf } from '../../../../../support/network.ts';
import { organizationFile, secretsOf } from '../../../../../support/organization.ts';
import { readRun } from '../../../../../support/run-file.ts';
import { type Ran, runProgram } from '../../../../../support/run-program.ts';
import { type Subscriber, startSubscriber } from '../../../../../support/stand-ins/subscriber.ts';
import { waitUntil } from '../../../../../support/wait-for.ts';
import { diagnosedInTime } from '../../cli/installation/doctor-of.ts';

const PAGE = readFileSync(join(ROOT, 'docs/operations.md'), 'utf8');
const SECTION = /^## Back-up and restore\n[\s\S]*?^(?=## )/m.exec(PAGE)?.[0] ?? '';
const BLOCKS = [...SECTION.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block = '']) => block);
const SECRET = 'a-secret-that-the-caller-chose-for-crm';
const PHONE = freshPhone();

const folder = mkdtempSync(join(tmpdir(), 'recado-back-up-'));
const places = {
  DATA: join(folder, 'data'),
  ARCHIVES: join(folder, 'archives'),
  KEYS: join(folder, 'keys'),
  RESTORED: join(folder, 'restored'),
};
const env = {
  ...environment(),
  PATH: process.env.PATH,
  HOME: folder,
  TMPDIR: tmpdir(),
  PORT: '0',
  EVENTS_TO_LOOPBACK: 'true',
  ...places,
};
let subscriber: Subscriber;
let service: Service | undefined;

before(async () => {
  subscriber = await startSubscriber();
});
after(async () => {
  await service?.stop();
  await subscriber?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** The block that has these words; there is exactly one. */
function block(words: string): string {
  const found = BLOCKS.filter((each) => each.includes(words));
  assert.equal(found.length, 1, `one block with ${words}`);
  return found[0] ?? '';
}

/** Pastes it into a shell in the project's folder. */
function paste(commands: string, input = '') {
  return runProgram('bash', ['-c', commands], { cwd: ROOT, env, input });
}

async function succeed(commands: string, input = ''): Promise<string> {
  return outputOfSuccess(commands, await paste(commands, input));
}

function outputOfSuccess(commands: string, { code, stdout, stderr }: Ran): string {
  assert.equal(code, 0, `${commands}\n${stdout}\n${stderr}`);
  return stdout;
}

interface Service {
  readonly baseUrl: string;
  readonly sandboxUrl: string;
  stop(): Promise<void>;
}

/** Runs a pasted command that goes on until it is told to stop; it ends with this process too. */
async function start(command: string, dataDir: string): Promise<Service> {
  const ending = 'cat > /dev/null; kill -TERM $!; wait $!';
  const shell = spawn('bash', ['-c', `${command.trim()} &\n${ending}`], { cwd: ROOT, env });
  const output = outputOf(shell);
  const isReady = () => output().includes(TERMINAL_EVENT.ready);
  await waitUntil('the service is ready', () => isReady() || shell.exitCode !== null);
  assert.ok(isReady(), output());
  const stop = async () => {
    service = undefined;
    shell.stdin?.end();
    if (shell.exitCode === null) await once(shell, 'close');
    assert.equal(shell.exitCode, 0, output());
  };
  service = { ...readRun(dataDir), stop };
  return service;
}

function modeOf(path: string): string {
  return (statSync(path).mode & 0o777).toString(8);
}

const organizationsFile = (url: string) => ({
  orgs: [
    organizationFile('loja', {
      subscriptions: [{ ref: 'crm', url: `${url}/crm`, events: ['*'], secret: SECRET }],
    }),
  ],
});

const KEY = 'given-token-of-loja-for-erp-0123456789';

/** All that callers see of it. */
async function readBack({ baseUrl }: Service, { conversationId }: Sent) {
  const api = apiOf(baseUrl);
  const contacts = await api.call('GET', '/api/v1/contacts', { key: KEY });
  const history = await api.history(KEY, conversationId);
  return { contacts: v.parse(ListContactsAnswer, contacts.json), history };
}

async function fill(on: Service): Promise<{ readonly sent: Sent; readonly channelId: string }> {
  const api = apiOf(on.baseUrl);
  const apply = 'DATA_DIR="$DATA" npm run -s recado -- apply -';
  const printed = await succeed(apply, JSON.stringify(organizationsFile(subscriber.url)));
  const applied = v.parse(AppliedSchema, JSON.parse(printed));
  const { channels } = named(applied.orgs, 'loja');
  const channelId = named(channels, 'main').id;
  const sent = await api.send(KEY, { channelId, phone: PHONE, text: 'antes da cópia' });
  await networkOf(on.sandboxUrl).inbound({ channelId, from: PHONE, text: 'oi', name: 'Maria' });
  await api.messageIn(KEY, sent, 'read');
  const isNamed = async () => (await api.contact(KEY, PHONE))?.name === 'Maria';
  await waitUntil('the contact has its profile name', isNamed);
  return { sent, channelId };
}

async function usesSecrets(on: Service, channelId: string): Promise<void> {
  const api = apiOf(on.baseUrl);
  const { appSecret, phoneNumberId } = secretsOf('loja');
  const hook = (secret: string) => {
    const value = { messages: [cloudText(PHONE, 'wamid.restored', 'de novo')] };
    const { body, headers } = cloudPost(secret, phoneNumberId, value);
    return api.request('POST', `/networks/cloud/${channelId}`, { body, headers });
  };
  assert.equal((await hook('another')).status, 401);
  assert.equal((await hook(appSecret)).status, 200, 'the app secret opens');
  const sent = await api.send(KEY, { channelId, phone: PHONE, text: 'depois da cópia' });
  await api.messageIn(KEY, sent, 'read');
}

describe('the back-up page of docs/operations.md', () => {
  test('every block is a shell’s, and what it writes is its owner’s only', async () => {
    assert.ok(BLOCKS.length >= 9, 'the page has blocks');
    await Promise.all(BLOCKS.map((each) => succeed('bash -n', each)));
    const writing = BLOCKS.filter((each) => / > |-czf|install|--archive=/.test(each));
    const closed = writing.filter((each) => /^\( set -e; umask 077$/m.test(each));
    assert.deepEqual(closed, writing);
  });

  test('pasted: the key is kept apart, archives are 0600, and all of it comes back', async () => {
    const made = await start('DATA_DIR="$DATA" npm start -- --no-demo', places.DATA);
    const { sent, channelId } = await fill(made);
    const before = await readBack(made, sent);
    const backUp = block('tar -C "$DATA"');
    assert.notEqual((await paste(backUp)).code, 0, 'no archive of a folder in use');
    await made.stop();
    await succeed(backUp);
    const archives = readdirSync(places.ARCHIVES).map((name) => join(places.ARCHIVES, name));
    assert.equal(archives.length, 1, 'the refused one has left nothing');
    const [archive = ''] = archives;
    const kept = [archive, join(places.KEYS, 'secrets.key'), places.ARCHIVES, places.KEYS];
    assert.deepEqual(kept.map(modeOf), ['600', '600', '700', '700']);
    const names = (await succeed(`tar -tzf '${archive}'`)).trim().split('\n');
    assert.ok(
      names.every((name) => name.startsWith('mongo/')),
      'the archive holds no key',
    );

    rmSync(places.DATA, { recursive: true });
    await succeed(block('tar -C "$RESTORED"'));
    assert.equal(modeOf(join(places.RESTORED, 'secrets.key')), '600');
    const restored = await start(block('npm start'), places.RESTORED);
    assert.deepEqual(await readBack(restored, sent), before);
    const checked = `set -e\n${block('doctor')}`;
    outputOfSuccess(checked, await diagnosedInTime(() => paste(checked)));
    const [tested] = (await subscriber.until('/crm', 1)).filter(
      ({ event }) => event === 'subscription.test',
    );
    assert.ok(tested, 'the test event has come');
    await assertSigned(tested, SECRET);
    await usesSecrets(restored, channelId);
    await restored.stop();
  });
});
