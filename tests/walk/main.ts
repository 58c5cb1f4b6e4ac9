/**
 * `npm run walk`: the files of ours that one send passes, from its call to the subscriber's POST.
 * It also lists those that one inbound message passes, in their order (docs/architecture.md). It
 * counts files with a function that runs for the request alone, and not in an idle process.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { freshPhone } from '../support/api.ts';
import { organizations } from '../support/organization.ts';
import { startStack } from '../support/stack.ts';
import { startSubscriber } from '../support/subscriber.ts';
import { ROOT } from '../tidy/source.ts';
import { importRanks } from './import-ranks.ts';
import { type Phase, type Ran, WALK_FOLDER } from './phases.ts';
import { walked } from './walked.ts';

/** Owners are no new ones any more, and every periodic task has run at least once. */
const REST_MS = 15_000;
const IDLE_MS = 45_000;
/** Between two phases. */
const APART_MS = 1_000;
/** The last samples of a phase are taken behind the POST. */
const LAST_SAMPLES_MS = 20;
const PROGRAMS = ['gateway/main.ts', 'actors/main.ts'];

const folder = mkdtempSync(join(tmpdir(), 'recado-walk-'));
const subscriber = await startSubscriber();
const stack = await startStack({
  settings: {
    NODE_OPTIONS: `--import ${pathToFileURL(join(ROOT, 'tests/walk/probe.ts')).href}`,
    [WALK_FOLDER]: folder,
  },
});
try {
  const subscription = {
    ref: 'all',
    url: `${subscriber.url}/all`,
    events: ['message.sent', 'message.received'],
  };
  const { shop } = await organizations(stack, { shop: { subscriptions: [subscription] } });
  const phone = freshPhone();
  const send = async () => {
    const told = subscriber.received.length;
    await stack.send(shop.key, { channelId: shop.main, phone, text: 'olá' });
    await subscriber.until('/all', told + 1);
  };
  const write = async () => {
    const told = subscriber.received.length;
    await stack.network.inbound({ channelId: shop.main, from: phone, text: 'oi' });
    await subscriber.until('/all', told + 1);
  };
  await send();
  await write();
  await pause(REST_MS);
  await during('idle', async () => {
    // The simulated network reads its channels from the service, which is no part of a message.
    const body = JSON.stringify({ channelId: 'chn_unknown', from: phone, text: 'oi' });
    const read = await fetch(`${stack.sandboxUrl}/control/inbound`, { method: 'POST', body });
    assert.equal(read.status, 404, await read.text());
    await pause(IDLE_MS);
  });
  await during('send', send);
  await during('inbound', write);
} finally {
  await stack.stop();
  await subscriber.close();
}
const ran = readdirSync(folder).flatMap((name) =>
  name.endsWith('.jsonl') ? readRecords(join(folder, name)) : [],
);
rmSync(folder, { recursive: true, force: true });
print('send', 'one send, from its call to the POST at the subscriber');
print('inbound', 'one inbound message, from the network to the POST at the subscriber');

async function during(phase: Phase, work: () => Promise<unknown>): Promise<void> {
  const mark = join(folder, phase);
  writeFileSync(mark, '');
  await pause(APART_MS);
  await work();
  await pause(LAST_SAMPLES_MS);
  rmSync(mark);
  await pause(APART_MS);
}

function readRecords(file: string): readonly Ran[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line): Ran => JSON.parse(line));
}

function print(phase: Phase, what: string): void {
  const ranks = importRanks(PROGRAMS);
  const ours = ran.filter(({ file }) => /\/(gateway|actors|shared|infra)\//.test(file));
  const steps = walked(ours, phase, {
    root: ROOT,
    path: (file) => ranks.get(file) ?? Number.POSITIVE_INFINITY,
  }).filter(({ file }) => ranks.has(file));
  console.log(`${what}: ${steps.length} files`);
  for (const { file, functions } of steps) console.log(`  ${file}  ${functions.join(' ')}`);
}
