/** D29: the same key and body is one call, however often it is repeated. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as v from 'valibot';
import { DealAnswer } from '../../../shared/api/deal.ts';
import { assertStatus } from '../../support/api/answers.ts';
import { untilRows } from '../../support/api/content-fixture.ts';
import { type Answer, assertRefused, freshPhone, issuePaths } from '../../support/api.ts';
import { organizationFile } from '../../support/organization.ts';
import { runs } from '../../support/processes.ts';
import { useOrganizations, useStack } from '../../support/stack-hooks.ts';
import { waitUntil } from '../../support/wait-for.ts';

const stack = useStack();
const { a } = useOrganizations(stack, { a: {} });

let keys = 0;
function freshKey(): string {
  keys += 1;
  return `call-${keys}`;
}

interface PostOptions {
  readonly path?: string;
  readonly key?: string;
}

function post(idempotencyKey: string, body: unknown, options: PostOptions = {}): Promise<Answer> {
  const { path = '/api/v1/messages', key = a.key } = options;
  return stack.request('POST', path, { key, body, headers: { 'idempotency-key': idempotencyKey } });
}

function replayed(answer: Answer): boolean {
  return answer.headers.get('idempotent-replayed') === 'true';
}

async function sentTo(phone: string, count: number) {
  assert.equal((await untilRows(stack, phone, count)).length, count);
}

describe('the same key and body', () => {
  test('gives the stored answer, and sends one message', async () => {
    const phone = freshPhone();
    const key = freshKey();
    const body = { channelId: a.main, phone, text: 'uma vez' };
    const first = await post(key, body);
    assert.deepEqual([first.status, replayed(first)], [201, false]);
    for (const written of [key, `"${key}"`, ` ${key} `]) {
      const again = await post(written, body);
      assert.deepEqual([again.status, again.text], [201, first.text]);
      assert.ok(replayed(again));
      assert.ok(again.headers.get('ratelimit'), 'a replay is a call too');
      assert.notEqual(again.headers.get('x-request-id'), first.headers.get('x-request-id'));
    }
    await sentTo(phone, 1);
  });

  test('of k calls at once one runs; the others are told to wait a second, or its answer', async () => {
    const phone = freshPhone();
    const key = freshKey();
    const body = { channelId: a.main, phone, text: 'só uma' };
    const answers = await Promise.all(Array.from({ length: 20 }, () => post(key, body)));
    const done = answers.filter(({ status }) => status === 201);
    const waiting = answers.filter(({ status }) => status === 409);
    assert.equal(done.length + waiting.length, 20);
    assert.equal(done.filter((answer) => !replayed(answer)).length, 1);
    assert.equal(new Set(done.map(({ text }) => text)).size, 1);
    for (const answer of waiting) {
      assertRefused(answer, 409);
      assert.equal(answer.headers.get('retry-after'), '1');
    }
    assert.equal((await post(key, body)).text, done[0]?.text);
    await sentTo(phone, 1);
  });

  test('holds for a contact and for the inbound webhook as well', async () => {
    const phone = freshPhone();
    const webhook = { path: `/api/webhooks/channel/${a.main}`, key: a.mainKey };
    for (const options of [{ path: '/api/v1/contacts' }, webhook]) {
      const key = freshKey();
      const body = { phone, name: 'Ana', ...(options === webhook ? { message: 'oi' } : {}) };
      const first = await post(key, body, options);
      assert.equal(first.status, 201, first.text);
      const again = await post(key, body, options);
      assert.deepEqual([again.status, again.text, replayed(again)], [201, first.text, true]);
    }
    await sentTo(phone, 1);
  });
});

describe('what makes another call', () => {
  test('another body is 422 at Idempotency-Key, and changes nothing', async () => {
    const phone = freshPhone();
    const key = freshKey();
    await post(key, { channelId: a.main, phone, text: 'um' });
    const other = await post(key, { channelId: a.main, phone, text: 'dois' });
    assert.deepEqual(issuePaths(other), ['Idempotency-Key']);
    await sentTo(phone, 1);
  });

  test('another header, API key or route is a call of its own', async () => {
    const phone = freshPhone();
    const key = freshKey();
    const body = { channelId: a.main, phone, text: 'cada um' };
    const answers = [
      await post(key, body),
      await post(freshKey(), body),
      await post(key, body, { key: a.mainKey }),
      await post(key, body, { path: '/api/v1/contacts' }),
    ];
    assert.ok(answers.every((answer) => answer.status < 300 && !replayed(answer)));
    assert.equal(new Set(answers.map(({ text }) => text)).size, 4);
    await sentTo(phone, 3);
  });

  test('without the header each call sends one message', async () => {
    const phone = freshPhone();
    const body = { channelId: a.main, phone, text: 'de novo' };
    for (const _ of [1, 2]) {
      assertStatus(await stack.request('POST', '/api/v1/messages', { key: a.key, body }), 201);
    }
    await sentTo(phone, 2);
  });
});

describe('which answers are kept', () => {
  test('a refusal that another try would meet again: 404 and 422', async () => {
    const wrong = { channelId: a.main, text: '' };
    const unknown = { channelId: a.main, conversationId: 'cnv_unknown', text: 'oi' };
    for (const [body, status] of [
      [wrong, 422],
      [unknown, 404],
    ] as const) {
      const key = freshKey();
      const first = await post(key, body);
      const again = await post(key, body);
      assert.equal(first.status, status, first.text);
      assert.deepEqual([again.status, again.text, replayed(again)], [status, first.text, true]);
    }
  });

  test('not a refusal of the moment: once the channel is ready the same call sends', async () => {
    const file = organizationFile(a.ref);
    const enable = (enabled: boolean) =>
      stack.apply({ orgs: [{ ref: a.ref, channels: [{ ...file.channels[1], enabled }] }] });
    const phone = freshPhone();
    const key = freshKey();
    const body = { channelId: a.shop, phone, text: 'quando der' };
    await enable(false);
    assertRefused(await post(key, body), 409);
    await enable(true);
    const sent = await post(key, body);
    assert.deepEqual([sent.status, replayed(sent)], [201, false]);
    assertRefused(await post(key, body, { key: 'no-key-of-anybody-0123456789' }), 401);
    assert.ok(replayed(await post(key, body)));
    const otherChannel = freshKey();
    assertRefused(await post(otherChannel, body, { key: a.mainKey }), 403);
    assert.equal(replayed(await post(otherChannel, body, { key: a.mainKey })), false);
  });

  test('nor what a deal refused: reopened, it is closed by the same call', async () => {
    const phone = freshPhone();
    await stack.request('POST', '/api/v1/contacts', { key: a.key, body: { phone } });
    const options = { path: '/api/v1/deals' };
    const created = await post(freshKey(), { phone, title: 'Plano' }, options);
    const path = `/api/v1/deals/${v.parse(DealAnswer, created.json).data.id}`;
    await post(freshKey(), { status: 'won' }, { path });
    const key = freshKey();
    const lost = { status: 'lost', lostReason: 'Preço' };
    for (let n = 0; n < 2; n++) assertRefused(await post(key, lost, { path }), 409);
    await post(freshKey(), { status: 'open' }, { path });
    const closed = await post(key, lost, { path });
    assert.deepEqual([closed.status, replayed(closed)], [200, false], closed.text);
    assert.equal((await post(key, lost, { path })).text, closed.text);
  });

  test('a key that is none is 422 at Idempotency-Key: empty, over 255 characters, open quote', async () => {
    const body = { channelId: a.main, phone: freshPhone(), text: 'oi' };
    for (const key of ['', '""', 'k'.repeat(256), '"open', 'ã']) {
      assert.deepEqual(issuePaths(await post(key, body)), ['Idempotency-Key'], key);
    }
    assert.equal((await post('k'.repeat(255), body)).status, 201);
    assert.equal((await post('"with \\"quotes\\" inside"', body)).status, 201);
  });
});

describe('over faults', () => {
  const freshCall = () => {
    const body = { channelId: a.main, phone: freshPhone(), text: 'apesar de tudo' };
    return { key: freshKey(), body };
  };

  /** After a kill the supervisor's own record names no gateway until it has started the next. */
  const runningGateway = () =>
    waitUntil('a gateway answers', async () => {
      const [pid] = stack.runFile().pids.gateway ?? [];
      if (pid === undefined || !runs(pid)) return null;
      const answered = await post(freshKey(), { channelId: a.main }).catch(() => null);
      return answered === null ? null : pid;
    });

  test('calls whose gateway was killed are made once each: the next try gets the answer', async () => {
    const calls: ReturnType<typeof freshCall>[] = [];
    let cut = 0;
    // A gateway that is quick enough has answered all of a wave before it is killed.
    for (let wave = 0; wave < 10 && cut === 0; wave++) {
      const pid = await runningGateway();
      let isKilled = false;
      const sent = Array.from({ length: 30 }, freshCall);
      calls.push(...sent);
      const tries = sent.map(async ({ key, body }) => {
        try {
          await post(key, body);
          // Some are answered, some run, some have not begun. One that is dying may be gone.
          if (!isKilled) process.kill(pid, 'SIGKILL');
          isKilled = true;
        } catch (error) {
          // Cut before the answer, or within it.
          assert.ok(error instanceof TypeError, String(error));
          assert.match(error.message, /^(fetch failed|terminated)$/);
          cut += 1;
        }
      });
      await Promise.all(tries);
    }
    assert.ok(cut > 0, 'calls were cut');
    for (const { key, body } of calls) {
      await waitUntil('the call is answered', async () => {
        const tried = await post(key, body).catch(() => null);
        return tried?.status === 201;
      });
      await sentTo(body.phone, 1);
    }
  });

  test('what was answered stays answered when the actors start anew', async () => {
    const phone = freshPhone();
    const key = freshKey();
    const body = { channelId: a.main, phone, text: 'lembrada' };
    const first = await post(key, body);
    process.kill(stack.pid('actors'), 'SIGKILL');
    const again = await waitUntil('the answer is there again', async () => {
      const tried = await post(key, body);
      return tried.status === 201 ? tried : null;
    });
    assert.deepEqual([again.text, replayed(again)], [first.text, true]);
  });
});
