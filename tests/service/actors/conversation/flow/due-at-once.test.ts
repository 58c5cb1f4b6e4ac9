/** Runs of the real service that are due together, beside timers that cannot move. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { shelved } from '../../../../../shared/wire/subjects.ts';
import { freshPhone } from '../../../../support/api.ts';
import { named } from '../../../../support/applied.ts';
import type { Organization } from '../../../../support/organization.ts';
import { pluck } from '../../../../support/pluck.ts';
import { useDatabase, useOrganizations, useStack } from '../../../../support/stack-hooks.ts';
import { waitUntil } from '../../../../support/wait-for.ts';

const RUNS = 150;
/** More than one page of the agenda. */
const STUCK = 1_300;
const STEPS = [
  { id: 'wait', do: 'delay', for: '3s', next: 'end' },
  { id: 'end', do: 'end', status: 'resolved' },
];
const FLOWS = [{ ref: 'wait', name: 'Espera', steps: STEPS }];
/** Of a run: begun and waiting, gone on, ended. */
const ENTRIES = [1, 2, 3];

const stack = useStack();
const { campaign, other } = useOrganizations(stack, {
  campaign: { more: { flows: FLOWS } },
  other: { more: { flows: FLOWS } },
});
// Declared first: hooks after tests run in their order, and the database's end is one.
after(() => database.db.collection('entries').deleteMany({ orgId: 'org_stuck' }));
const database = useDatabase(stack);

/** Timers of conversations that have no state: their turns fail until the deadline. */
async function plantStuck(): Promise<void> {
  const at = Date.now() - 60_000;
  const documents = Array.from({ length: STUCK }, (_, n) => {
    const conversationId = `cnv_stuck${n}`;
    const timer = { ...shelved('conversation', conversationId), at };
    return { _id: `msg_stuck${n}`, conversationId, orgId: 'org_stuck', seq: 5, timer };
  });
  await database.db.collection('entries').insertMany(documents as never);
}

async function begin(
  { key, main: channelId, applied }: Organization,
  count: number,
): Promise<readonly string[]> {
  const path = `/api/v1/flows/${named(applied.flows, 'wait')}/start`;
  const start = () => stack.call('POST', path, { key, body: { channelId, phone: freshPhone() } });
  const started = await Promise.all(Array.from({ length: count }, start));
  return started.map(({ status, json, text }) => {
    assert.equal(status, 201, text);
    return (json as { data: { conversationId: string } }).data.conversationId;
  });
}

test('every run ends once, of either organization, whatever cannot move and whoever dies', async () => {
  await plantStuck();
  const conversationIds = [...(await begin(campaign, RUNS)), ...(await begin(other, 5))];
  // The process loses its memory: the next owner has nothing but the agenda.
  process.kill(stack.pid('actors'), 'SIGKILL');
  const entries = database.db.collection('entries');
  const ended = { conversationId: { $in: conversationIds }, seq: ENTRIES.length };
  await waitUntil(
    'every run has ended',
    async () => (await entries.countDocuments(ended)) === conversationIds.length,
  );
  for (const conversationId of conversationIds) {
    const log = await entries.find({ conversationId }).sort({ seq: 1 }).toArray();
    assert.deepEqual(pluck(log, 'seq'), ENTRIES);
  }
});
