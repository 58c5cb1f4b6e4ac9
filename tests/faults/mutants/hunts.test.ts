/** Threads that hunt mutants: what they tell, and that none spoils the hunt of another. */
import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { test } from 'node:test';
import { startHunts } from './hunts.ts';
import type { Mutant } from './mutant.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const FOUND = '{ ...window, openedAt: now } : window';
const CAUGHT: Mutant = {
  name: 'caught',
  file: 'actors/domain/rate-limits.ts',
  find: FOUND,
  replace: '{ openedAt: now, calls: 0 } : window',
  caughtBy: { test: 'tests/unit/actors/domain/rate-limits.test.ts' },
};

test('a mutant that breaks its thread, or that nothing notices, spoils no other', async () => {
  const mutants = [
    { ...CAUGHT, name: 'does not compile', replace: '(((' },
    { ...CAUGHT, name: 'rejected', replace: `void Promise.reject(new Error()) ?? ${FOUND}` },
    CAUGHT,
    { ...CAUGHT, name: 'changes nothing', replace: FOUND },
    { ...CAUGHT, name: 'caught again' },
  ];
  const { answers, ended } = startHunts(ROOT, mutants);
  await ended;
  const outcomes = mutants.map(async ({ name }) => {
    const answered = await answers.get(name);
    return [answered?.ended, answered?.answer?.code];
  });
  assert.deepEqual(await Promise.all(outcomes), [
    ['broken', undefined],
    ['broken', undefined],
    ['answered', 1],
    ['answered', 0],
    ['answered', 1],
  ]);
});
