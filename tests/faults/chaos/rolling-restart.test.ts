/** A rolling restart by SIGTERM under load fails no call (I24). */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { killHard } from '../../support/kills.ts';
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
    const place = stack.runFile().pids.actors?.indexOf(pid) ?? 0;
    await killHard(stack, 'actors', { signal: 'SIGTERM', place });
    await load.progress(5);
  }
  await load.stop();
  const verdict = await judge(fixture);
  t.diagnostic(JSON.stringify(verdict));
  assert.equal(verdict.unanswered, 0, 'no call failed');
});
