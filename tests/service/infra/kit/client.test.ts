/** The packed client, as its user installs it, against the service. */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { after, before, test } from 'node:test';
import { SignatureRefused } from '../../../../infra/kit/client/errors.ts';
import { verify } from '../../../../infra/kit/client/index.ts';
import { assertStatus } from '../../../support/api/answers.ts';
import { freshPhone } from '../../../support/api.ts';
import { assertSigned } from '../../../support/delivery.ts';
import { emptyProject, type Project, type Started } from '../../../support/infra/kit/installed.ts';
import { useOrganizations, useStack } from '../../../support/stack-hooks.ts';
import { type Received, startSubscriber } from '../../../support/stand-ins/subscriber.ts';
import { waitUntil } from '../../../support/wait-for.ts';
import { MISUSES, PROGRAM } from './program.ts';

const OPERATORS = resolve(import.meta.dirname, '../../../../infra/programs/cli/main.ts');
const PACKAGE_MAX_BYTES = 64 * 1024;

let project: Project;

const stack = useStack();
const { shop } = useOrganizations(stack, { shop: {} });
before(async () => {
  project = emptyProject();
});
after(() => project?.remove());

test('npm installs it from the service, and nothing beside it', async (context) => {
  const address = `${stack.baseUrl}/docs/recado-client.tgz`;
  const response = await fetch(address);
  assert.equal(response.status, 200);
  assert.equal(response.headers.get('content-type'), 'application/gzip');
  const { byteLength } = await response.arrayBuffer();
  context.diagnostic(`recado-client.tgz: ${byteLength} bytes`);
  assert.ok(byteLength < PACKAGE_MAX_BYTES, `${byteLength} bytes`);
  await project.install(address);
  const modules = readdirSync(join(project.folder, 'node_modules'));
  assert.deepEqual(
    modules.filter((name) => !name.startsWith('.')),
    ['recado-client'],
  );
});

test('a strict compiler accepts its use, and refuses its misuse', () => {
  project.write('program.ts', PROGRAM);
  project.write('misuses.ts', MISUSES);
  assert.equal(project.typeErrors(), '');
});

test('it calls, pages, hears events, and tells refusals', async () => {
  const phones = [freshPhone(), freshPhone()];
  const [PHONE = '', OTHER_PHONE = ''] = phones;
  const printed = await project.run('program.ts', {
    ...{ BASE_URL: stack.baseUrl, API_KEY: shop.key, CHANNEL_ID: shop.main, PHONE, OTHER_PHONE },
  });
  const { texts, titles, ...told } = JSON.parse(printed);
  assert.deepEqual(told, {
    scope: 'account',
    channels: [shop.main, shop.shop],
    created: true,
    same: true,
    paged: phones.sort(),
    won: 'won',
    closed: 409,
    issues: ['phone'],
    inbound: false,
    files: ['preços.txt text/plain', true],
    ready: true,
  });
  assert.deepEqual(new Set(texts), new Set(['Olá!', null]));
  assert.deepEqual(new Set(titles), new Set(['Plano', null]));
});

test('recado-listen goes on after SIGKILL where it was, and signs as the service does', async () => {
  const subscriber = await startSubscriber();
  const secret = async (listening: Started) => {
    const connected = () => listening.output().includes('Connected to');
    await waitUntil('recado-listen is connected', connected);
    return /Signed with (whsec_\S+)/.exec(listening.output())?.[1] ?? '';
  };
  const options = [
    ...['--url', stack.baseUrl, '--key', shop.key, '--name', 'dev'],
    ...['--events', 'task.created', '--forward-to', `${subscriber.url}/hook`],
  ];
  const start = () => project.start('node_modules/.bin/recado-listen', options);
  const first = start();
  const used = await secret(first);
  const made = await tasks(20);
  await subscriber.until('/hook', 5);
  first.child.kill('SIGKILL');
  made.push(...(await tasks(20)));
  const second = start();
  assert.equal(await secret(second), used, 'the secret is kept for the name');
  const titleOf = ({ data }: Received) => String(Object(data.task).title);
  const received = () => subscriber.at('/hook');
  await waitUntil(
    'every task is told',
    () => new Set(received().map(titleOf)).size === made.length,
  );
  assert.deepEqual(new Set(received().map(titleOf)), new Set(made));
  await assertForwarded(received(), { secret: used, count: made.length });
  second.child.kill('SIGINT');
  assert.equal(await second.ended, 0, second.output());
  const before = received().length;
  const third = project.start(OPERATORS, ['listen', ...options]);
  assert.equal(await secret(third), used, 'the command of the operator is the same');
  made.push(...(await tasks(1)));
  await waitUntil('a further task is told', () =>
    received().some((each) => titleOf(each) === made.at(-1)),
  );
  assert.equal(received().length, before + 1, 'what is recorded comes no more');
  third.child.kill('SIGTERM');
  assert.equal(await third.ended, 0, third.output());
  const wrong = project.start(OPERATORS, ['listen', ...options, '--key', 'wrong']);
  assert.equal(await wrong.ended, 1);
  assert.match(wrong.output(), /^recado: 401 \p{Lu}.+\.$/mu);
  await subscriber.close();
});

let titled = 0;

/** Titles of fresh tasks. */
async function tasks(count: number): Promise<string[]> {
  const titles = Array.from({ length: count }, (_, n) => `Tarefa ${titled + n}`);
  titled += count;
  for (const title of titles) {
    const answer = await stack.request('POST', '/api/v1/tasks', { key: shop.key, body: { title } });
    assertStatus(answer, 201);
  }
  return titles;
}

interface Forwarded {
  readonly secret: string;
  readonly count: number;
}

/** Public verifiers and the client's accept each one; repeats have the same id and bytes. */
async function assertForwarded(all: readonly Received[], { secret, count }: Forwarded) {
  const bytes = new Map(all.map(({ delivery, bytes: body }) => [delivery, body]));
  assert.equal(bytes.size, count, 'a repeat has the same id');
  for (const each of all) {
    const { event, data, headers, bytes: body } = each;
    assert.deepEqual(body, bytes.get(each.delivery), 'and the same bytes');
    await assertSigned(each, secret);
    const { 'x-service-signature': own } = headers;
    for (const given of [headers, { 'X-Service-Signature': String(own) }]) {
      assert.deepEqual(verify(secret, given, body), { event, data });
      const forged = Buffer.from(body.toString().replace('Tarefa', 'Tarifa'));
      assert.throws(() => verify(secret, given, forged), SignatureRefused);
      assert.throws(() => verify(`${secret}A`, given, body), SignatureRefused);
    }
    const later = { now: Date.now() + 301_000 };
    assert.throws(() => verify(secret, headers, body, later), SignatureRefused);
  }
}
