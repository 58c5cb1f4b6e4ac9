/**
 * One start of a flow does not take the installation down, nor do forty: no lease is lost, a
 * neighbour is answered, and after a restart nothing of them goes on.
 */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { Collection, Document } from 'mongodb';
import { loggedLines } from '../../../infra/adapters/log/logged-lines.ts';
import { LOG_EVENT } from '../../../shared/log-events.ts';
import { freshPhone } from '../../support/api.ts';
import { named } from '../../support/applied.ts';
import { killHard } from '../../support/kills.ts';
import { useDatabase, useOrganizations, useStack } from '../../support/stack-hooks.ts';
import { waitFor } from '../../support/wait-for.ts';

const RUNS = 40;
const LOOP = '{%for i in(1..500000)%}{%endfor%}';
const loops = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`f-${at}`, LOOP]));
const end = { id: 'end', do: 'end' };
const stepsOf = (fields: number) => [
  { id: 'death', do: 'set', fields: loops(fields), next: 'end' },
  end,
];
const call = { id: 'death', do: 'http', url: 'https://a.example', headers: loops(99), next: 'end' };
const flows = [
  { ref: 'death', name: 'Morte', steps: stepsOf(99) },
  { ref: 'headers', name: 'Cabeçalhos', steps: [call, end] },
];

const stack = useStack();
const { noisy, quiet } = useOrganizations(stack, { noisy: { more: { flows } }, quiet: {} });
const database = useDatabase(stack);
let entries: Collection;

async function start(ref: string): Promise<void> {
  const body = { channelId: noisy.main, phone: freshPhone() };
  const path = `/api/v1/flows/${named(noisy.applied.flows, ref)}/start`;
  const { status, text } = await stack.call('POST', path, { key: noisy.key, body });
  assert.equal(status, 201, text);
}

/** Why each run has ended that has. */
async function reasons(): Promise<readonly unknown[]> {
  const flowIds = flows.map(({ ref }) => named(noisy.applied.flows, ref));
  const ended = await entries.find({ 'ended.flowId': { $in: flowIds } }).toArray();
  return ended.map((entry) => entry.ended.reason);
}

async function untilEnded(count: number): Promise<void> {
  await waitFor(async () => (await reasons()).length === count, { what: `${count} runs ended` });
  assert.deepEqual(new Set(await reasons()), new Set(['over_budget']));
}

/** A run of an older flow has more fields than a flow may have today. */
async function makeOlder(): Promise<void> {
  const flowId = named(noisy.applied.flows, 'death');
  const versions = database.db.collection<Document>('flowVersions');
  const changed = await versions.updateMany({ flowId }, { $set: { steps: stepsOf(1_250) } });
  assert.equal(changed.modifiedCount, 1);
  // Versions are immutable, and known to who has read one.
  await killHard(stack, 'actors');
}

/** Asked once: a repeated call would hide a 5xx. */
async function send(): Promise<number> {
  const body = { channelId: quiet.main, phone: freshPhone(), text: 'Bom dia' };
  return (await stack.request('POST', '/api/v1/messages', { key: quiet.key, body })).status;
}

before(() => {
  entries = database.db.collection('entries');
});

test('forty starts lose no lease, and each call of a neighbour is answered', async () => {
  await start('headers');
  await start('death');
  await untilEnded(2);
  await makeOlder();
  await waitFor(async () => (await send()) === 201, { what: 'the service is back' });
  const lost = () => loggedLines(stack.dataDir, LOG_EVENT.leaseLost).length;
  const lostBefore = lost();
  const starts = Promise.all(Array.from({ length: RUNS }, () => start('death')));
  const statuses: number[] = [];
  let over = false;
  const ended = starts
    .then(() => untilEnded(RUNS + 2))
    .finally(() => {
      over = true;
    });
  while (!over) statuses.push(await send());
  await ended;
  assert.deepEqual(new Set(statuses), new Set([201]));
  assert.equal(lost(), lostBefore);
});

test('after a restart nothing of them goes on', async () => {
  await killHard(stack, 'actors');
  await waitFor(async () => (await send()) === 201, { what: 'the service is back' });
  assert.equal(await entries.countDocuments({ 'timer.orgId': noisy.id }), 0);
  assert.equal((await reasons()).length, RUNS + 2);
});
