/** A rolling restart by SIGTERM under load fails no call (I24). */
import assert from 'node:assert/strict';
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

test('actors restarted one after the other answer every call', async (t) => {
  const { stack, load } = fixture;
  await load.progress(5);
  for (const pid of stack.runFile().pids.actors ?? []) {
    process.kill(pid, 'SIGTERM');
    await waitFor(
      () => !runs(pid) && (stack.runFile().pids.actors ?? []).filter(runs).length === 2,
      { what: 'the process is replaced' },
    );
    await load.progress(5);
  }
  await load.stop();
  const verdict = await judge(fixture);
  t.diagnostic(JSON.stringify(verdict));
  assert.equal(verdict.unanswered, 0, 'no call failed');
});
