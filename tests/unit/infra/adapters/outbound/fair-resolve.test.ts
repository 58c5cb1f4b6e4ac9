import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fairResolve, siteOf } from '../../../../../infra/adapters/outbound/fair-resolve.ts';

const SHARES = { atOnce: 4, perSite: 2, waitingMax: 100 };
const FOUND = [{ address: '192.0.2.1', family: 4 }];
const hangs = () => new Promise<never>(() => undefined);
const turns = async () => {
  for (let turn = 0; turn < 5; turn++) await new Promise((next) => setImmediate(next));
};

test('names whose server never answers hold up no others, however many they are', async () => {
  const asked: string[] = [];
  const resolve = fairResolve((host) => {
    asked.push(host);
    return host.endsWith('.evil.com.br') ? hangs() : Promise.resolve(FOUND);
  }, SHARES);
  for (let each = 0; each < 50; each++) void resolve(`n${each}.evil.com.br`);
  const good = ['crm.com.br', 'a.crm.com.br', 'b.crm.com.br', 'shop.example', 'localhost'];
  for (const host of good) assert.equal(await resolve(host), FOUND);
  assert.deepEqual(asked.slice(0, 2), ['n0.evil.com.br', 'n1.evil.com.br']);
  assert.deepEqual(asked.slice(2), good);
});

test('so many are under way at once, and the next begins when one has ended, also badly', async () => {
  const open: PromiseWithResolvers<typeof FOUND>[] = [];
  const resolve = fairResolve(() => {
    const under = Promise.withResolvers<typeof FOUND>();
    open.push(under);
    return under.promise;
  }, SHARES);
  const wanted = Array.from({ length: 6 }, (_, each) => resolve(`host.site${each}.example`));
  const settled = Promise.allSettled(wanted);
  assert.equal(open.length, 4);
  open[0]?.reject(new Error('none'));
  open[1]?.resolve(FOUND);
  await turns();
  assert.equal(open.length, 6);
  for (const under of open) under.resolve(FOUND);
  const outcomes = (await settled).map(({ status }) => status);
  assert.deepEqual(outcomes, ['rejected', ...Array(5).fill('fulfilled')]);
});

test('what waits is bounded; the rest is told that the resolver is out of order', async () => {
  const resolve = fairResolve(hangs, SHARES);
  for (let each = 0; each < 102; each++) void resolve(`n${each}.evil.example`);
  await assert.rejects(resolve('n.evil.example'), { code: 'EAI_AGAIN' });
});

test('a site is who answers for a name', () => {
  for (const [host, site] of [
    ['a.b.example.com', 'example.com'],
    ['A.Example.COM.', 'example.com'],
    ['a.loja.com.br', 'loja.com.br'],
    ['loja.com.br', 'loja.com.br'],
    ['a.example.io', 'example.io'],
    ['a.b.evl.io', 'evl.io'],
    ['localhost', 'localhost'],
  ]) {
    assert.equal(siteOf(host ?? ''), site);
  }
});
