/** Rate limits, exact under parallel calls (C8, D34). */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assertStatus } from '../../support/api/answers.ts';
import { type Answer, assertRefused, freshPhone } from '../../support/api.ts';
import type { Organization } from '../../support/organization.ts';
import { type SecondGateway, startSecondGateway } from '../../support/second-gateway.ts';
import type { Stack } from '../../support/stack.ts';
import { useOrganizations, useStack, useUntil } from '../../support/stack-hooks.ts';
import { requestAsStranger } from '../security/stranger.ts';

/** Other files that use the service are at another address. */
const STRANGER = '127.0.2.1';

let asked = 0;

const stack = useStack();
const second = useUntil(
  () => startSecondGateway(stack),
  ({ stop }) => stop(),
);
const { perKey, perOrg, refused, defaults, unseen, outlived, teacher } = useOrganizations(stack, {
  perKey: { limits: { perKey: 120, perOrg: 600 } },
  perOrg: { limits: { perKey: 120, perOrg: 150 } },
  refused: { limits: { perKey: 3, perOrg: 600 } },
  defaults: { more: { limits: undefined } },
  unseen: {},
  outlived: { limits: { perKey: 1, perOrg: 600 } },
  teacher: { limits: { perKey: 10_000, perOrg: 10_000 } },
});

test('a head of nearly 16 KiB is read: proxies add cookies, tokens and traces', async () => {
  const headers = { 'x-trace': 't'.repeat(15_000) };
  assertStatus(await stack.request('GET', '/api/v1/me', { key: unseen.key, headers }), 200);
});

function calls(key: string, count: number): Promise<Answer[]> {
  return Promise.all(Array.from({ length: count }, () => me(key)));
}

/** The two in turn. */
function gateway(): SecondGateway | Stack {
  asked += 1;
  return asked % 2 === 0 ? stack : second;
}

function me(key: string): Promise<Answer> {
  return gateway().request('GET', '/api/v1/me', { key });
}

function meAsStranger(key: string): Promise<Answer> {
  const request = requestAsStranger(gateway().baseUrl, STRANGER);
  return request('GET', '/api/v1/me', { headers: { authorization: `Bearer ${key}` } });
}

function countByStatus(answers: readonly Answer[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

describe('limits (contract section 8)', () => {
  test('of 150 parallel calls against a limit of 120 exactly 120 pass', async () => {
    const answers = await calls(perKey.key, 150);
    assert.deepEqual(countByStatus(answers), { 200: 120, 429: 30 });
    for (const answer of answers.filter(({ status }) => status === 429)) {
      assertRefused(answer, 429);
      const seconds = answer.headers.get('retry-after') ?? '';
      assert.match(seconds, /^\d+$/);
      assert.ok(Number(seconds) >= 1 && Number(seconds) <= 60, seconds);
      assert.match(answer.headers.get('ratelimit') ?? '', /^"key";r=0;t=\d+, "org";r=480;t=\d+$/);
    }
    const left = answers
      .filter(({ status }) => status === 200)
      .map(({ headers }) => Number(/"key";r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1]))
      .sort((one, other) => one - other);
    assert.deepEqual(
      left,
      Array.from({ length: 120 }, (_, index) => index),
    );
  });

  test('another key of the same organization has a window of its own, and a 429 did not count', async () => {
    const answers = await calls(perKey.mainKey, 120);
    assert.deepEqual(countByStatus(answers), { 200: 120 });
    const last = await me(perKey.mainKey);
    assert.match(last.headers.get('ratelimit') ?? '', /"org";r=360;/);
  });

  test("an organization's limit holds over all its keys", async () => {
    const answers = await Promise.all([calls(perOrg.key, 100), calls(perOrg.mainKey, 100)]);
    assert.deepEqual(countByStatus(answers.flat()), { 200: 150, 429: 50 });
  });

  test('a refused call counts, a call over the limit does nothing', async () => {
    const { key } = refused;
    assert.equal((await me(key)).status, 200);
    assertStatus(await stack.request('POST', '/api/v1/contacts', { key, body: {} }), 422);
    assertStatus(await stack.request('POST', '/api/v1/contacts', { key, body: '{' }), 400);
    const phone = freshPhone();
    const over = await stack.request('POST', '/api/v1/contacts', { key, body: { phone } });
    assertRefused(over, 429);
    assert.equal(await stack.contact(refused.mainKey, phone), null);
  });

  test('a call over the limit is refused as such by the next owner too', async () => {
    const upsert = ({ key }: Organization, phone: string) =>
      stack.request('POST', '/api/v1/contacts', { key, body: { phone } });
    const phones = Array.from({ length: 100 }, freshPhone);
    // The gateway knows the owners that die.
    for (const phone of phones) assert.equal((await upsert(teacher, phone)).status, 201);
    process.kill(stack.pid('actors'), 'SIGKILL');
    assert.equal((await stack.request('GET', '/api/v1/me', { key: outlived.key })).status, 200);
    const answers: Answer[] = [];
    for (const phone of phones) answers.push(await upsert(outlived, phone));
    // A machine that pauses for 500 ms leaves unknown whether a call has run: that one is a 500.
    const unknown = answers.findIndex(({ status }) => status === 500);
    const refusals = answers.filter(({ status }) => status !== 500);
    for (const answer of refusals) assertRefused(answer, 429);
    assert.ok(refusals.length >= 97, `${refusals.length} refusals`);
    const notRun = phones[unknown];
    if (notRun) assert.equal(await stack.contact(outlived.mainKey, notRun), null);
  });

  test('without limits of its own an organization has 120 and 600', async () => {
    const { headers } = await me(defaults.key);
    assert.equal(headers.get('ratelimit-policy'), '"key";q=120;w=60, "org";q=600;w=60');
  });

  test('calls with an invalid key count against no window and are throttled per address', async () => {
    const before = await me(defaults.key);
    const strangers = Array.from({ length: 400 }, (_, index) =>
      meAsStranger(`no-such-key-0123456789-${index}`),
    );
    const answers = await Promise.all(strangers);
    const { 401: unauthorized = 0, 429: throttled = 0 } = countByStatus(answers);
    assert.equal(unauthorized + throttled, 400);
    assert.ok(unauthorized > 0 && throttled > 0, `${unauthorized} and ${throttled}`);
    for (const answer of answers.filter(({ status }) => status === 429)) {
      assert.match(answer.headers.get('retry-after') ?? '', /^[1-9]\d*$/);
    }
    const later = await meAsStranger(defaults.key);
    assert.equal(later.status, 200, 'a known key is not throttled');
    assert.equal(
      (await meAsStranger(unseen.key)).status,
      200,
      'nor is one that nobody has used yet',
    );
    assert.equal((await meAsStranger(unseen.shopKey)).status, 200);
    const remaining = ({ headers }: Answer) =>
      Number(/"org";r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1]);
    assert.equal(remaining(before) - remaining(later), 1);
  });
});
