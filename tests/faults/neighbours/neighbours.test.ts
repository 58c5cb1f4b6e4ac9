/**
 * Two organizations of one service: one does its worst within its own keys and limits. Every call
 * of the other is answered. No process dies or outgrows its bound. A late call is repeated.
 *
 * `npm run bench -- neighbours` measures by how much the other's calls are slower, and whether a
 * lease is lost.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { loggedLines } from '../../../infra/adapters/log/logged-lines.ts';
import { type NeighboursFixture, prepareFixture } from '../../../infra/bench/neighbours/fixture.ts';
import {
  type Answers,
  echoes,
  NOISY_WORKLOADS,
  type NoisyWorkload,
  timers,
  webhookFlood,
} from '../../../infra/bench/neighbours/noisy-workloads.ts';
import { QUIET_TOKEN } from '../../../infra/bench/neighbours/organizations.ts';
import {
  type SlowServer,
  startTroublesomeServer,
} from '../../../infra/bench/neighbours/troublesome-server.ts';
import { freePort } from '../../../infra/programs/service/supervisor/ports.ts';
import { LOG_EVENT, TERMINAL_EVENT } from '../../../shared/log-events.ts';
import { freshPhone } from '../../support/api.ts';
import { MemoryWatch } from '../../support/memory.ts';
import { type Stack, startStack } from '../../support/stack.ts';

const SIZES = { contacts: 200, timers: 1_000, downloads: 24 };
/** Rounds of the quiet organization's calls beside each act. */
const ROUNDS = 5;
/** Answers that an act may get: done, over its limit, or refused with a sentence for it. */
const ANSWERED = new Set([200, 201, 409, 422, 429]);
/** To those who have no key, and no secret of the channel. */
const TO_FLOOD = new Set([401, 503]);
const RESIDENT_MAX_MIB: Readonly<Record<string, number>> = { gateway: 512, actors: 1_024 };

let stack: Stack;
let fixture: NeighboursFixture;
let server: SlowServer;
let memory: MemoryWatch;
const folder = mkdtempSync(join(tmpdir(), 'recado-neighbours-'));

before(async () => {
  server = await startTroublesomeServer();
  const port = await freePort('127.0.0.1');
  const allowed = [server.port, port].map((each) => `127.0.0.1:${each}`).join(',');
  stack = await startStack({ settings: { PORT: String(port), PRIVATE_NETWORK_ALLOW: allowed } });
  memory = new MemoryWatch(stack);
  const { baseUrl } = stack;
  const apply = (file: object) => stack.apply(file);
  fixture = await prepareFixture({ baseUrl, folder, sizes: SIZES, server, apply });
});
after(async () => {
  server?.close();
  rmSync(folder, { recursive: true, force: true });
  await stack?.stop();
});

/** One send and three lists, as an attendant's day has them. */
async function quietRound(): Promise<void> {
  const body = { channelId: fixture.quietChannelId, phone: freshPhone(), text: 'Bom dia' };
  const key = QUIET_TOKEN;
  const sent = await stack.call('POST', '/api/v1/messages', { key, body });
  assert.equal(sent.status, 201, JSON.stringify(sent.json));
  for (const path of ['contacts', 'conversations?status=open', 'contacts?query=nobody']) {
    const listed = await stack.call('GET', `/api/v1/${path}`, { key });
    assert.equal(listed.status, 200, `${path}: ${JSON.stringify(listed.json)}`);
  }
  await memory.sample();
}

async function beside(act: NoisyWorkload): Promise<Answers> {
  const answers: Answers = new Map();
  let over = false;
  const acting = act.run({ noisy: fixture.noisyOf(act), answers, on: () => !over });
  try {
    for (let round = 0; round < ROUNDS; round++) await quietRound();
  } finally {
    over = true;
    await acting;
  }
  return answers;
}

function testBeside(act: NoisyWorkload): void {
  test(`beside ${act.name} every call is answered`, async (t) => {
    const answers = await beside(act);
    t.diagnostic(JSON.stringify(Object.fromEntries(answers)));
    const isFlood = act === webhookFlood;
    const acted = (isFlood ? [401] : [200, 201]).some((status) => answers.has(status));
    assert.ok(acted || act.ref === 'downloads', 'the act was carried out');
    const expected = isFlood ? TO_FLOOD : ANSWERED;
    for (const status of answers.keys()) assert.ok(expected.has(status), `it got a ${status}`);
  });
}

for (const act of NOISY_WORKLOADS) if (act !== echoes) testBeside(act);

test(`beside ${timers.name} every call is answered`, async () => {
  const waitMs = Math.max(0, fixture.minuteAt - Date.now());
  await new Promise((resume) => setTimeout(resume, waitMs));
  await beside(timers);
});

// The last one: its runs would keep the machine busy until the minute.
testBeside(echoes);

test('no process died, each kept within its bound', async (t) => {
  await memory.sample();
  const lost = loggedLines(stack.dataDir, LOG_EVENT.leaseLost);
  t.diagnostic(`lost ${lost.length} leases; \`npm run bench -- neighbours\` judges them`);
  assert.ok(!stack.story().includes(TERMINAL_EVENT.startedAgain), stack.story());
  t.diagnostic(`MiB at most: ${JSON.stringify(memory.peak)}`);
  for (const [role, most] of Object.entries(RESIDENT_MAX_MIB)) {
    assert.ok((memory.peak[role] ?? 0) <= most, `${role} held ${memory.peak[role]} MiB`);
  }
});
