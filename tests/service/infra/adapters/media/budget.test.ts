/** Bytes under way: bounded in all, fair between organizations, never stuck (D129). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ByteBudget } from '../../../../../infra/adapters/media/budget.ts';
import { createDownloader } from '../../../../../infra/adapters/media/download.ts';
import { realClock } from '../../../../support/infra/adapters/outbound/real-clock.ts';
import { bytesIn, bytesOf, serveFiles } from './media-fixture.ts';

/** Claims of a budget, each held until the test gives it back. */
function claims(budget: ByteBudget) {
  const given: string[] = [];
  const ends: (() => void)[] = [];
  const claim = (name: string, bytes = 1, signal?: AbortSignal): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const order = { bytes, ...(signal ? { signal } : {}) };
    const holding = budget.withReserved(name, order, () => {
      given.push(name);
      ends[given.length - 1] = resolve;
      return promise;
    });
    return holding.catch(() => void given.push(`${name} gone`));
  };
  const settled = () => new Promise((next) => setImmediate(next));
  const end = async (index: number) => {
    ends[index]?.();
    await settled();
  };
  return { given, claim, end, settled };
}

test('a holder has its part and no more; others pass those of it that wait', async () => {
  const { given, claim, end, settled } = claims(new ByteBudget({ bytes: 4, perHolder: 2 }));
  for (const holder of ['a', 'a', 'a', 'a', 'b', 'c', 'd']) void claim(holder);
  await settled();
  assert.deepEqual(given, ['a', 'a', 'b', 'c']);
  await end(2);
  assert.deepEqual(given.slice(4), ['d']);
  await end(0);
  assert.deepEqual(given.slice(5), ['a']);
});

test('who gives up waiting takes nothing, and holds nobody up', async () => {
  const { given, claim, end, settled } = claims(new ByteBudget({ bytes: 1, perHolder: 1 }));
  const patience = new AbortController();
  void claim('a');
  void claim('b', 1, patience.signal);
  void claim('c');
  await settled();
  patience.abort(new Error('late'));
  await settled();
  await end(0);
  assert.deepEqual(given, ['a', 'b gone', 'c']);
});

test('a file larger than the budget goes alone, and small ones do not pass it for ever', async () => {
  const budget = new ByteBudget({ bytes: 4, perHolder: 4 });
  const { given, claim, end, settled } = claims(budget);
  for (const [holder, bytes] of [
    ['a', 3],
    ['b', 9],
    ['c', 1],
  ] as const)
    void claim(holder, bytes);
  await settled();
  assert.deepEqual(given, ['a']);
  await end(0);
  assert.deepEqual(given, ['a', 'b']);
  assert.deepEqual(budget.usage, { held: 9, peak: 9, waiting: 1 });
  await end(1);
  assert.deepEqual(given, ['a', 'b', 'c']);
  await end(2);
  assert.deepEqual(budget.usage, { held: 0, peak: 9, waiting: 0 });
});

test('whatever is claimed, the bound holds and every claim has its turn', async () => {
  const claim = fc.record({ holder: fc.constantFrom('a', 'b', 'c'), bytes: fc.nat(6) });
  const bounds = { bytes: 6, perHolder: 4 };
  await fc.assert(
    fc.asyncProperty(
      fc.array(claim, { maxLength: 30 }),
      fc.infiniteStream(fc.nat(3)),
      async (all, turns) => {
        const budget = new ByteBudget(bounds);
        const held = new Map<string, number>();
        await Promise.all(
          all.map(({ holder, bytes }) =>
            budget.withReserved(holder, { bytes }, async () => {
              const mine = (held.get(holder) ?? 0) + bytes;
              held.set(holder, mine);
              assert.ok(budget.usage.held <= bounds.bytes);
              assert.ok(mine <= bounds.perHolder || mine === bytes, `${holder} holds ${mine}`);
              for (let left = turns.next().value ?? 0; left > 0; left--) await Promise.resolve();
              held.set(holder, (held.get(holder) ?? 0) - bytes);
            }),
          ),
        );
        const { held: left, waiting } = budget.usage;
        assert.deepEqual([left, waiting], [0, 0]);
      },
    ),
  );
});

test('a file of another organization comes while one waits for thirty slow servers', async (t) => {
  const files = await serveFiles();
  const downloader = createDownloader({ allow: [`127.0.0.1:${files.port}`], clock: realClock });
  const good = files.file('/good.png', bytesOf('fine'), { 'content-type': 'image/png' });
  files.at.set('/slow', () => undefined);
  const ask = (orgId: string, url: string) =>
    downloader.download({
      ...{ url, orgId, maxBytes: () => 1_000, wants: () => true },
      store: ({ body }) => bytesIn(body),
    });
  const slow = Array.from({ length: 30 }, () => ask('org_slow', `${files.url}/slow`));
  t.after(async () => {
    await downloader.close();
    await Promise.all(slow);
    await files.close();
  });
  assert.equal((await ask('org_good', good)).downloaded, true);
  assert.equal(files.asked('/slow'), 6);
});
