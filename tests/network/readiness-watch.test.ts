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

const CONFIGURATION = { network: { provider: 'cloud' } };

interface Given {
  /** How the first look at the network ends. */
  readonly first?: () => Readiness;
  /** How each reading of the configuration ends; the last stands for those after it. */
  readonly readings?: readonly (() => typeof CONFIGURATION | null)[];
}

/** What the organization was told after a first look, and when. */
async function toldAfter({
  first = () => READY,
  readings = [() => CONFIGURATION],
}: Given): Promise<readonly string[]> {
  const clock = new ManualClock();
  const began = clock.now();
  const told: string[] = [];
  let looks = 0;
  let read = 0;
  const status = async (): Promise<Readiness> => (looks++ === 0 ? first() : READY);
  const world = { clock, log: SILENT, networks: { driver: () => ({ status }) } };
  const reload = async () => readings[Math.min(read++, readings.length - 1)]?.();
  const watch = new ReadinessWatch(
    {
      ...{ channelId: 'chn_1', closed: () => false, world: world as unknown as DeskWorld },
      configuration: { reload } as unknown as KnownConfiguration,
    },
    {
      report: async ({ ready }) => void told.push(`${ready} after ${clock.now() - began}`),
      onReady: () => undefined,
      onConfigured: () => undefined,
    },
  );
  // As a channel is configured: the failure is the caller's.
  await watch.look().then(
    (readiness) => watch.report(readiness),
    () => undefined,
  );
  for (let passed = 0; passed < 90_000; passed += 1_000) {
    clock.advance(1_000);
    for (let turn = 0; turn < 10; turn++) await new Promise((go) => setImmediate(go));
  }
  watch.end();
  return told;
}

test('a network that can send is asked once more after 10 s, then every 60 s', async () => {
  const told = ['true after 0', 'true after 10000', 'true after 70000'];
  assert.deepEqual(await toldAfter({}), told);
});

test('one of which nothing is known is asked again after 10 s', async () => {
  const later = ['true after 10000', 'true after 20000', 'true after 80000'];
  assert.deepEqual(await toldAfter({ first: () => UNKNOWN }), ['unknown after 0', ...later]);
  const away = (): never => {
    throw new Error('the store is away');
  };
  assert.deepEqual(await toldAfter({ first: away }), later);
});

test('a look that could not read the configuration, or found none, is repeated', async () => {
  const away = (): never => {
    throw new Error('the store is away');
  };
  const later = ['true after 10000', 'true after 20000', 'true after 80000'];
  assert.deepEqual(await toldAfter({ readings: [away, () => CONFIGURATION] }), later);
  const absent = await toldAfter({ readings: [() => null, () => CONFIGURATION] });
  assert.deepEqual(absent, ['unknown after 0', ...later]);
});

test('a desk is probed before anybody asks it to', async () => {
  const clock = new ManualClock();
  let looks = 0;
  const status = async (): Promise<Readiness> => (looks++ === 0 ? UNKNOWN : READY);
  const world = { clock, log: SILENT, networks: { driver: () => ({ status }) } };
  const configuration = { reload: async () => CONFIGURATION };
  const watch = new ReadinessWatch(
    {
      ...{ channelId: 'chn_1', closed: () => false, world: world as unknown as DeskWorld },
      configuration: configuration as unknown as KnownConfiguration,
    },
    { report: async () => undefined, onReady: () => undefined, onConfigured: () => undefined },
  );
  watch.begin();
  clock.advance(10_000);
  await new Promise((go) => setImmediate(go));
  assert.equal(looks, 1);
  watch.end();
  assert.equal(clock.waiting, 0);
});
