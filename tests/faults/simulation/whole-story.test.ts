/** A story is told whole to a reader that is slower than its teller. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';

test('a pipe that is read slowly gets the last line of a world too', async () => {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'main.ts'), '--seed', '300'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const closed = once(child, 'close');
  let told = '';
  for await (const chunk of child.stdout) {
    told += String(chunk);
    await setImmediate();
  }
  assert.deepEqual(await closed, [0, null]);
  const lines = told.split('\n');
  assert.ok(lines.length > 1_000, 'longer than what a pipe takes at once');
  assert.match(lines.at(-2) ?? '', /^seed 300: \d+ calls, \d+ events, [0-9a-f]+$/);
});
