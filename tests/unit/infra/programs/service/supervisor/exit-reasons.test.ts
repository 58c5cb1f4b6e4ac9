/** Why a role has ended, and what a disk without room does to the supervisor. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { lastError } from '../../../../../../infra/programs/service/supervisor/children/last-error.ts';
import {
  describeFreeSpace,
  PersistentValue,
} from '../../../../../../infra/programs/service/supervisor/data-folder/disk-space.ts';

const folder = mkdtempSync(join(tmpdir(), 'recado-words-'));
after(() => rmSync(folder, { recursive: true }));

test('the last error of the log since its start, in one line, without credentials', () => {
  const file = join(folder, 'actors.log');
  const line = (error: unknown) => `${JSON.stringify({ level: 'error', error })}\n`;
  const before = line('of the process before');
  const said = line('MongoServerError: no room at mongodb://ana:pass@db\n    at here');
  writeFileSync(file, `${before}${said}{"level":"info"}\nnot JSON\n`);
  const words = ': MongoServerError: no room at mongodb://db';
  assert.equal(lastError(file, before.length), words);
  assert.equal(lastError(file, before.length + said.length), '');
  writeFileSync(file, line({ type: 'Error', message: 'of an error' }));
  assert.equal(lastError(file, 0), ': of an error');
  assert.equal(lastError(join(folder, 'none.log'), 0), '');
});

test('what could not be written is told once, and the newest is written later', async () => {
  const told: string[] = [];
  const written: number[] = [];
  let full = true;
  const { promise, resolve } = Promise.withResolvers<void>();
  const value = new PersistentValue<number>({
    what: 'run.json',
    report: (sentence) => told.push(sentence),
    write: (number) => {
      if (full) throw new Error('ENOSPC');
      written.push(number);
      resolve();
    },
  });
  value.set(1);
  value.set(2);
  full = false;
  await promise;
  value.close();
  assert.deepEqual(written, [2]);
  assert.deepEqual(told, [
    'run.json cannot be written: ENOSPC; it is tried every second',
    'run.json is written again',
  ]);
});

test('a disk with room is not worth a word', () => {
  assert.match(describeFreeSpace('/'), /^$| is full: \d+ MiB are free/);
  assert.match(describeFreeSpace(join(folder, 'gone')), /cannot be looked at: ENOENT/);
});
