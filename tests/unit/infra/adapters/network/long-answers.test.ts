/** The text answer of a network has a bound (infra/adapters/network/http-caller). */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '../../../../../infra/adapters/clock/clock.ts';
import { createHttpCaller } from '../../../../../infra/adapters/network/http-caller.ts';
import { record } from '../../../../support/stand-ins/server.ts';

const MEBI = 1024 * 1024;

test('an answer of 1 MiB is read, a longer one is none', async (t) => {
  await using server = await record(({ path }) => ({
    body: 'x'.repeat(MEBI + Number(path.slice(1))),
  }));
  const caller = createHttpCaller(systemClock);
  t.after(() => caller.close());
  const ask = (more: number) => {
    const url = `${server.url}/${more}`;
    return caller.call({ method: 'GET', url, headers: {}, timeoutMs: 60_000 });
  };
  const whole = await ask(0);
  assert.ok(whole.answered && whole.body.length === MEBI);
  const longer = await ask(1);
  assert.equal(longer.answered, false);
});

test('a network’s answer behind a proxy may have a head of more than 16 KiB', async (t) => {
  const headers = { 'x-trace': 'x'.repeat(48 * 1024) };
  const server = await record(() => ({ body: '{}', headers }));
  const caller = createHttpCaller(systemClock);
  t.after(async () => {
    await caller.close();
    await server.close();
  });
  const call = { method: 'GET', url: server.url, headers: {}, timeoutMs: 60_000 } as const;
  const answer = await caller.call(call);
  assert.ok(answer.answered && answer.body === '{}');
});
