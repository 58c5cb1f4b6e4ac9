/** When a channel's network is asked whether it can send (actors/channel/readiness-watch). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DeskWorld, KnownConfiguration } from '../../actors/channel/configuration.ts';
import { ReadinessWatch } from '../../actors/channel/readiness-watch.ts';
import type { Readiness } from '../../shared/network.ts';
import { SILENT } from '../fences/engine.ts';
import { ManualClock } from '../gateway/manual-clock.ts';

const READY: Readiness = { ready: true };
const UNKNOWN: Readiness = { ready: 'unknown', cause: 'no answer' };

/** What the organization was told, and when; the first look ends as `first` does. */
async function toldAfter(first: () => Readiness): Promise<readonly string[]> {
  const clock = new ManualClock();
  const began = clock.now();
  const told: string[] = [];
  let looks = 0;
  const status = async (): Promise<Readiness> => (looks++ === 0 ? first() : READY);
  const world = { clock, log: SILENT, networks: { driver: () => ({ status }) } };
  const configuration = { reload: async () => ({ network: { provider: 'cloud' } }) };
  const watch = new ReadinessWatch(
    {
      ...{ channelId: 'chn_1', closed: () => false, world: world as unknown as DeskWorld },
      configuration: configuration as unknown as KnownConfiguration,
    },
    {
      report: async ({ ready }) => void told.push(`${ready} after ${clock.now() - began}`),
      onReady: () => undefined,
    },
  );
  await watch.lookAndReport();
  for (let passed = 0; passed < 90_000; passed += 1_000) {
    clock.advance(1_000);
    for (let turn = 0; turn < 10; turn++) await new Promise((go) => setImmediate(go));
  }
  watch.end();
  return told;
}

test('a network that can send is asked once more after 10 s, then every 60 s', async () => {
  const told = ['true after 0', 'true after 10000', 'true after 70000'];
  assert.deepEqual(await toldAfter(() => READY), told);
});

test('one of which nothing is known is asked again after 10 s', async () => {
  const later = ['true after 10000', 'true after 20000', 'true after 80000'];
  assert.deepEqual(await toldAfter(() => UNKNOWN), ['unknown after 0', ...later]);
  const away = (): never => {
    throw new Error('the store is away');
  };
  assert.deepEqual(await toldAfter(away), later);
});
