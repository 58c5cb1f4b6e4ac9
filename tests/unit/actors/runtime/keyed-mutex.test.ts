import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KeyedMutex } from '../../../../actors/runtime/concurrency.ts';

test('work under one key goes in the order of the calls, beside that under others', async () => {
  const latch = Promise.withResolvers<void>();
  const mutex = new KeyedMutex();
  const began: string[] = [];
  const work = (what: string, waits?: Promise<void>) => async () => {
    began.push(what);
    await waits;
    return what;
  };
  const first = mutex.runExclusive('a', work('a1', latch.promise));
  const second = mutex.runExclusive('a', work('a2'));
  const third = mutex.runExclusive('a', work('a3'));
  assert.equal(await mutex.runExclusive('b', work('b1')), 'b1');
  assert.deepEqual(began, ['a1', 'b1']);
  latch.resolve();
  assert.deepEqual(await Promise.all([first, second, third]), ['a1', 'a2', 'a3']);
  assert.deepEqual(began, ['a1', 'b1', 'a2', 'a3']);
  assert.equal(mutex.size, 0, 'nothing is kept');
});

test('work that fails holds up none behind it', async () => {
  const mutex = new KeyedMutex();
  const failing = mutex.runExclusive('a', () => Promise.reject(new Error('away')));
  const next = mutex.runExclusive('a', () => Promise.resolve('on'));
  await assert.rejects(failing, /away/);
  assert.equal(await next, 'on');
});
