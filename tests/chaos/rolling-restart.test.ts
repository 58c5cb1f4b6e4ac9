/** A rolling restart by SIGTERM under load fails no call (I24). */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { runs } from '../support/processes.ts';
import { waitFor } from '../support/wait-for.ts';
import { type OpenScene, openScene } from './scene.ts';
import { judge } from './verdict.ts';

let scene: OpenScene;

before(async () => {
  scene = await openScene({ FORMATION: 'gateway=1,actors=2' });
});
after(() => scene?.close());

test('actors restarted one after the other answer every call', { timeout: 150_000 }, async (t) => {
  const { stack, load } = scene;
  await load.progress(10);
  for (const pid of stack.runFile().pids.actors ?? []) {
    process.kill(pid, 'SIGTERM');
    await waitFor(
      () => !runs(pid) && (stack.runFile().pids.actors ?? []).filter(runs).length === 2,
      { what: 'the process is replaced', patienceMs: 15_000 },
    );
    await load.progress(10);
  }
  await load.stop();
  const verdict = await judge(scene);
  t.diagnostic(JSON.stringify(verdict));
  assert.equal(verdict.unanswered, 0, 'no call failed');
});
