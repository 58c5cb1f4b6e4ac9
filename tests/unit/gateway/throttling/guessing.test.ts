/**
 * Guessing keys locks no caller out (D82). Good keys behind an address without tokens go through,
 * also those this gateway has never seen, and the look-ups stay bounded.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KeyLookupQueue } from '../../../../gateway/throttling/key-lookup-queue.ts';
import {
  ACCOUNT_KEY,
  admission,
  type Fixture,
  ids,
  ORG,
  startGateway,
} from '../../../support/gateway/gateway-fixture.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

const BAD = 10_000;
const GOOD = 50;
const AT_ONCE = 200;
const TOKENS = 100;
const TOKENS_PER_MS = TOKENS / 60_000;
const PAUSE_MS = 25;

const goodKey = (index: number) => `rcd_loja_good-key-of-the-proxy-${index}`;

/** An installation with many keys, all of one organization. */
function withGoodKeys({ bus }: Fixture): void {
  const good = new Set(Array.from({ length: GOOD }, (_, index) => ids.digest(goodKey(index))));
  const { onQuery, onAsk } = bus;
  bus.onQuery = (queried) => {
    const { digest = '', digests = [digest] } = queried.payload as Asked;
    const known = digests.filter((each) => good.has(each));
    if (queried.resource === 'keys') {
      return { status: 200, body: JSON.stringify({ found: known.map((each) => [each, ORG]) }) };
    }
    if (known.length === 0) return onQuery(queried);
    return { status: 200, body: JSON.stringify({ orgId: ORG }) };
  };
  bus.onAsk = (asked) =>
    asked.command.type === 'admit'
      ? admission({ ...asked.command, digest: ids.digest(ACCOUNT_KEY) })
      : onAsk(asked);
}

interface Asked {
  readonly digest?: string;
  readonly digests?: readonly string[];
}

test('ten thousand bad keys from one address, and every good key behind it gets through', async (context) => {
  await using gateway = await startGateway();
  withGoodKeys(gateway);
  const startedAt = performance.now();
  let good = 0;
  const statuses = new Map<number, number>();
  for (let from = 0; from < BAD; from += AT_ONCE) {
    const bad = Array.from({ length: AT_ONCE }, async (_, index) => {
      const key = `rcd_loja_guessed-key-${from + index}-0123456789`;
      const { status } = await gateway.send('/api/v1/me', { key });
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    });
    const { status } = await gateway.send('/api/v1/me', { key: goodKey(good) });
    assert.equal(status, 201, `the good key ${good}, after ${from} bad ones`);
    good += 1;
    await Promise.all(bad);
  }
  assert.equal(good, GOOD);
  assert.deepEqual([...statuses.keys()].sort(), [401, 429]);
  const tookMs = performance.now() - startedAt;
  const one = TOKENS + GOOD + Math.ceil(tookMs * TOKENS_PER_MS);
  const many = Math.ceil(tookMs / PAUSE_MS) + 1;
  const asked = (resource: string) =>
    gateway.bus.queried.filter((each) => each.resource === resource).length;
  const questions = `${asked('key')} single questions, ${asked('keys')} of many`;
  context.diagnostic(`${BAD} bad keys: ${questions}, ${Math.round(tookMs)} ms`);
  assert.ok(asked('key') <= one, `${asked('key')} single questions, at most ${one}`);
  assert.ok(asked('keys') <= many, `${asked('keys')} questions of many, at most ${many}`);
});

const settled = () => new Promise<void>((resume) => setImmediate(resume));

test('one question is open at a time, of at most 512 keys, and the next waits', async () => {
  const clock = new ManualClock();
  const keyLookupQueue = new KeyLookupQueue(clock);
  const asked: number[] = [];
  const answers: (() => void)[] = [];
  const ask = async (digests: readonly string[]): Promise<ReadonlyMap<string, string>> => {
    asked.push(digests.length);
    await new Promise<void>((answer) => answers.push(answer));
    return new Map([['d-0', ORG]]);
  };
  const found = Array.from({ length: 600 }, (_, index) =>
    keyLookupQueue.find('::1', `d-${index}`, ask),
  );
  assert.deepEqual(asked, [], 'nobody is asked yet');
  for (let turn = 0; turn < 3; turn++) {
    clock.advance(PAUSE_MS);
    await settled();
  }
  assert.deepEqual(asked, [512], 'the second waits for the answer of the first');
  answers[0]?.();
  await settled();
  assert.deepEqual(asked, [512], 'and for its pause');
  clock.advance(PAUSE_MS);
  await settled();
  answers[1]?.();
  assert.deepEqual(asked, [512, 88]);
  const orgs = await Promise.all(found);
  assert.deepEqual([orgs[0], orgs.filter((org) => org !== null).length], [ORG, 1]);
});

test('an address that floods waits behind the others, and has only so much room', async () => {
  const clock = new ManualClock();
  const keyLookupQueue = new KeyLookupQueue(clock);
  const asked: string[] = [];
  const ask = async (digests: readonly string[]) => {
    asked.push(...digests);
    return new Map<string, string>();
  };
  const flood = Array.from({ length: 2_048 }, (_, index) =>
    keyLookupQueue.find('::1', `f-${index}`, ask),
  );
  assert.equal(await keyLookupQueue.find('::1', 'one-too-many', ask), undefined);
  const other = keyLookupQueue.find('::2', 'other', ask);
  clock.advance(PAUSE_MS);
  assert.equal(await other, null);
  assert.equal(asked.indexOf('other'), 1, 'its turn comes at once');
  while (clock.waiting > 0) {
    clock.advance(PAUSE_MS);
    await settled();
  }
  assert.equal((await Promise.all(flood)).length, 2_048);
});

test('a question that fails fails those who waited for it, and nobody else', async () => {
  const clock = new ManualClock();
  const keyLookupQueue = new KeyLookupQueue(clock);
  let broken = true;
  const ask = async () => {
    if (broken) throw new Error('nobody answers');
    return new Map([['d', ORG]]);
  };
  const first = assert.rejects(keyLookupQueue.find('::1', 'd', ask), /nobody answers/);
  clock.advance(PAUSE_MS);
  await first;
  broken = false;
  const second = keyLookupQueue.find('::1', 'd', ask);
  clock.advance(PAUSE_MS);
  assert.equal(await second, ORG);
});
