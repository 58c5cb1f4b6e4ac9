/**
 * A late repeat of an answered command, as of an ask whose answer overtook it on the way. The
 * repeat has the same answer and changes nothing (I8, I19).
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { systemClock } from '../../../infra/adapters/clock/clock.ts';
import { createLog } from '../../../infra/adapters/log/log.ts';
import { connectBus } from '../../../infra/adapters/nats/bus.ts';
import type { CommandOf } from '../../../shared/ports/bus.ts';
import { crmFixtureOf } from '../../support/api/crm-fixture.ts';
import { useOrganizations, useStack } from '../../support/stack-hooks.ts';

const DEADLINE_MS = 8_000;

let bus: Awaited<ReturnType<typeof connectBus>>;

const stack = useStack();
const { crm: org } = useOrganizations(stack, { crm: {} });
const crm = crmFixtureOf(stack, org);
before(async () => {
  const log = createLog({ level: 'silent', role: 'test' });
  const natsUrl = stack.runFile().natsUrl;
  bus = await connectBus({ natsUrl, clock: systemClock, log, processId: 'test-repeats' });
});
after(() => bus?.close());

/** Asks as a gateway does; a repeat keeps the command's id. */
function ask(kind: 'deal' | 'task', key: string, command: CommandOf<'deal' | 'task'>) {
  const deadline = systemClock.now() + DEADLINE_MS;
  return bus.ask({ kind, key }, command, { deadline });
}

test('a deal that was open already is not reopened by the repeat of that call', async () => {
  const { id } = await crm.deal();
  const reopen = {
    id: 'cmd_repeat_1',
    type: 'change',
    orgId: org.id,
    status: 'open',
    origin: 'api',
  } as const;
  const first = await ask('deal', id, reopen);
  await crm.changeDeal(id, { status: 'won' });
  const again = await ask('deal', id, reopen);
  assert.equal(again.body, first.body);
  const { data } = await crm.deals('?status=won');
  assert.deepEqual(
    data.map((deal) => deal.id),
    [id],
  );
});

test('a task that was done already is not done again by the repeat of that call', async () => {
  const { id } = await crm.task();
  await crm.changeTask(id, { done: true });
  const change = { id: 'cmd_repeat_2', type: 'change', orgId: org.id, origin: 'api' } as const;
  const finish = { ...change, done: true };
  const first = await ask('task', id, finish);
  await crm.changeTask(id, { done: false });
  const again = await ask('task', id, finish);
  assert.equal(again.body, first.body);
  const { data } = await crm.tasks('?status=open');
  assert.deepEqual(
    data.map((task) => task.id),
    [id],
  );
});
