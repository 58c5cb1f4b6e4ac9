/** C9.2: a client generated from the served document compiles and drives the service. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { CONTRACT_EVENTS, EXTENSION_EVENTS } from '../../../../shared/events.ts';
import { freshPhone } from '../../../support/api.ts';
import { assertDocumentedEvent } from '../../../support/conformance.ts';
import { useOrganizations, useStack, useSubscriber } from '../../../support/stack-hooks.ts';
import { waitUntil } from '../../../support/wait-for.ts';
import { generateClient, typeErrors } from './generator.ts';
import { PROGRAM } from './program.ts';

const run = promisify(execFile);

const stack = useStack();
const subscriber = useSubscriber();
const folder = mkdtempSync(join(tmpdir(), 'recado-client-'));
const { shop } = useOrganizations(stack, () => {
  const events = ['*', ...EXTENSION_EVENTS];
  const subscriptions = [{ ref: 'every', url: `${subscriber.url}/every`, events }];
  return { shop: { subscriptions } };
});
after(() => rmSync(folder, { recursive: true, force: true }));

test('the generated client compiles under a strict compiler', async () => {
  const document = join(folder, 'openapi.json');
  writeFileSync(document, (await stack.request('GET', '/openapi.json')).text);
  await generateClient(document, join(folder, 'client'));
  writeFileSync(join(folder, 'program.ts'), PROGRAM);
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  assert.equal(typeErrors(folder), '');
});

test('it drives the service, and each answer has the type it promises', async () => {
  const { stdout } = await run(
    process.execPath,
    ['--import', import.meta.resolve('tsx'), join(folder, 'program.ts')],
    {
      env: {
        BASE_URL: stack.baseUrl,
        API_KEY: shop.key,
        CHANNEL_ID: shop.main,
        PHONE: freshPhone(),
        TMPDIR: folder,
      },
    },
  );
  const { read, wanted, ...rest } = JSON.parse(stdout);
  assert.deepEqual(read, wanted, 'each is read by its id');
  assert.deepEqual(rest, {
    scope: 'account',
    channels: [shop.main, shop.shop],
    created: true,
    same: true,
    history: ['Olá!'],
    conversations: 1,
    moved: true,
    stages: ['Novo', 'Em aberto'],
    won: 'won',
    closed: 409,
    done: true,
    issues: ['phone'],
    unknown: 404,
    inbound: false,
    flows: 0,
    contract: 'POST',
    members: 0,
    files: ['preços.txt text/plain', true],
    tags: ['ouro', 'vip'],
    changed: [null, 'ouro'],
    tagged: 1,
    settled: 'resolved',
    ready: true,
  });
});

test('section 6: every event that comes of it is what the document says', async () => {
  const phone = freshPhone();
  await stack.network.inbound({ channelId: shop.main, from: phone, text: 'Oi' });
  const wanted = [...CONTRACT_EVENTS, 'deal.reopened', 'message.delivered'];
  const received = await waitUntil(`${wanted.join()} are delivered`, () => {
    const all = subscriber.at('/every');
    const names = new Set<string>(all.map(({ event }) => event));
    return wanted.every((name) => names.has(name)) ? all : null;
  });
  for (const { event, bytes, headers } of received) {
    assertDocumentedEvent(event, JSON.parse(bytes.toString('utf8')), headers);
  }
});
