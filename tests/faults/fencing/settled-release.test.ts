/** A partition that is given away answers until what its owner has to write is written. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Host } from '../../../actors/runtime/host.ts';
import type { Kind } from '../../../actors/runtime/kind.ts';
import type { CommandOf, IncomingAsk, OwnerBus } from '../../../shared/ports/bus.ts';
import { SILENT } from '../../support/engine.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { quiet } from './environment.ts';
import { settle } from './settle.ts';

const NAME = 'deal.1';

function hosting() {
  const written = Promise.withResolvers<void>();
  const lease = { held: true };
  const owned = { yet: false };
  let onAsk: (ask: IncomingAsk) => void = quiet;
  const bus = {
    own(_: unknown, on: Parameters<OwnerBus['own']>[1]) {
      onAsk = on.ask;
      owned.yet = true;
      return () => {
        owned.yet = false;
      };
    },
  } as unknown as OwnerBus;
  const kind: Kind = {
    kind: 'deal',
    open: () => ({ turn: async () => ({ status: 200, body: '{}' }) }),
    settle: () => written.promise,
  };
  const host = new Host({
    ...{ bus, clock: new ManualClock(), log: SILENT, kinds: [kind], onTurn: quiet },
    ...{ leaseHeld: () => lease.held, journalBarrier: async () => undefined },
    admit: async () => undefined,
  });
  host.acquire({ kind: 'deal', number: 1 }, 1);
  const ask = async (key: string) => {
    const answered = Promise.withResolvers<unknown>();
    onAsk({
      address: { kind: 'deal', key },
      command: { id: `cmd_${key}`, type: 'change' } as CommandOf,
      ...{ deadline: Number.POSITIVE_INFINITY, repeat: false, answer: answered.resolve },
    });
    return await answered.promise;
  };
  return { host, ask, owned, lease, written: written.resolve };
}

test('asks are answered until what is due is written, and by nobody here after that', async () => {
  const { host, ask, owned, written } = hosting();
  const released = host.release(NAME);
  await settle();
  assert.ok(owned.yet);
  assert.deepEqual(await ask('deal_1'), { status: 200, body: '{}' });
  written();
  await released;
  assert.ok(!owned.yet);
  assert.equal(host.epochOf(NAME), null);
  host.close();
});

test('a lease that is lost meanwhile gives up the partition, and one acquired since is kept', async () => {
  const { host, owned, lease, written } = hosting();
  const released = host.release(NAME);
  lease.held = false;
  host.dropAll();
  lease.held = true;
  host.acquire({ kind: 'deal', number: 1 }, 2);
  written();
  await released;
  assert.equal(host.epochOf(NAME), 2);
  assert.ok(owned.yet);
  host.close();
});
