/** A stalled store is waited for or reported; no process ends because of it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runs } from '../../../../support/processes.ts';
import { useStack } from '../../../../support/stack-hooks.ts';

const stack = useStack();

test('whoever asks for the members meanwhile harms nobody', async () => {
  const actors = stack.pid('actors');
  const mongo = stack.pid('mongo');
  process.kill(mongo, 'SIGSTOP');
  try {
    const { code } = await stack.spawnRecado(['actors']);
    assert.notEqual(code, 0, 'nobody can say');
  } finally {
    process.kill(mongo, 'SIGCONT');
  }
  assert.ok(runs(actors), 'the actors live');
  assert.equal(stack.pid('actors'), actors);
});
