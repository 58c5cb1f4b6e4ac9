/** kill -9 of bus, store, actors and gateway at once, under load. */
import { after, before, test } from 'node:test';
import { runs } from '../../support/processes.ts';
import { waitFor } from '../../support/wait-for.ts';
import { type OpenLoadFixture, openLoadFixture } from './load-fixture.ts';
import { judge } from './verdict.ts';

let fixture: OpenLoadFixture;

before(async () => {
  fixture = await openLoadFixture({ FORMATION: 'gateway=1,actors=2' });
});
after(() => fixture?.close());

test('killed all at once, it comes back with everything that it had accepted', async (t) => {
  const { stack, load } = fixture;
  await load.progress(5);
  const { nats = [], mongo = [], actors = [], gateway = [] } = stack.runFile().pids;
  const victims = [...nats, ...mongo, ...actors, ...gateway];
  for (const pid of victims) process.kill(pid, 'SIGKILL');
  await waitFor(() => !victims.some(runs), { what: 'all of them are gone' });
  await load.progress(5);
  await load.stop();
  t.diagnostic(JSON.stringify(await judge(fixture)));
});
