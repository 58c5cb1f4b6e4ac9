/**
 * A graceful stop while the network has accepted a message and not answered yet. The answer is
 * received, so that the next owner need not repeat the send in doubt (I24, D95).
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runs } from '../../support/processes.ts';
import { startStack } from '../../support/stack.ts';
import { useOrganizations, useStack } from '../../support/stack-hooks.ts';
import { waitFor } from '../../support/wait-for.ts';
import { SCHEDULE } from './load-fixture.ts';

const ANSWER_MS = 1_500;

const settings = { EVENT_RETRY_SCHEDULE: SCHEDULE, FORMATION: 'gateway=1,actors=2' };
const stack = useStack(() => startStack({ settings }));
const { lenta: org } = useOrganizations(stack, { lenta: {} });

test('a message on its way to a slow network is sent once', async () => {
  const { phoneNumberId } = org;
  await stack.network.fault({ phoneNumberId, delayMs: ANSWER_MS, dropReceipts: true });
  const message = { channelId: org.main, phone: '+55 11 98888-0001', text: 'a caminho' };
  const sent = await stack.send(org.key, message);
  await waitFor(async () => (await stack.network.sent()).length > 0, { what: 'it is taken' });
  const pids = stack.runFile().pids.actors ?? [];
  for (const pid of pids) process.kill(pid, 'SIGTERM');
  await waitFor(() => !pids.some(runs), { what: 'the processes have ended' });
  // A call may meet partitions that are between two owners: it is repeated.
  await waitFor(
    () =>
      stack.messageIn(org.key, sent, 'sent').then(
        () => true,
        () => false,
      ),
    { what: 'it is sent' },
  );
  assert.equal((await stack.network.sent()).length, 1);
});
