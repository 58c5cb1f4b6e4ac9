/**
 * A turn that ends after its process has lost the lease, joined anew and acquired the partition
 * under another epoch. Its results belong to an owner that is no more (actors/runtime/mailbox).
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Actor, Kind } from '../../../actors/runtime/api.ts';
import { Host } from '../../../actors/runtime/host.ts';
import type { Answer, IncomingAsk, OwnerBus } from '../../../shared/ports/bus.ts';
import { SILENT } from '../../support/engine.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { settle } from './members.ts';

const PARTITION = { kind: 'deal', number: 1 } as const;
const NAME = 'deal.1';
const DONE: Answer = { status: 200, body: '{}' };
const DRAIN_STEP_MS = 5;

interface Lease {
  held: boolean;
}

/** A host with one partition, of actors that answer when the test says so. */
function hosting(way: 'turn' | 'beside') {
  const clock = new ManualClock();
  const lease: Lease = { held: true };
  const found = Promise.withResolvers<Answer>();
  const flushed = Promise.withResolvers<void>();
  const released: number[] = [];
  let onAsk: (ask: IncomingAsk) => void = () => undefined;
  const bus = {
    own: (_: unknown, on: Parameters<OwnerBus['own']>[1]) => {
      onAsk = on.ask;
      return () => undefined;
    },
  } as unknown as OwnerBus;
  const actor: Actor =
    way === 'turn'
      ? { turn: () => found.promise }
      : { turn: () => found.promise, sharedHandler: () => found.promise };
  const kind = {
    ...{ kind: 'deal', open: () => actor, flush: () => flushed.promise },
    release: (number: number) => void released.push(number),
  } as unknown as Kind;
  const host = new Host({
    ...{ bus, clock, log: SILENT, kinds: [kind], leaseHeld: () => lease.held },
    ...{ journalBarrier: async () => undefined, onTurn: () => undefined },
  });
  host.acquire(PARTITION, 1);
  const ask = (): Promise<Answer | null> => {
    const answered = Promise.withResolvers<Answer | null>();
    onAsk({
      ...{ address: { kind: 'deal', key: 'deal_1' }, command: { id: 'cmd_1', type: 'change' } },
      ...{ deadline: clock.now() + 8_000, repeat: false, answer: answered.resolve },
    } as unknown as IncomingAsk);
    return answered.promise;
  };
  return { clock, lease, found, flushed, givenUp: released, host, ask };
}

type Hosting = ReturnType<typeof hosting>;

const LOSSES: Readonly<Record<string, (hosting: Hosting) => void>> = {
  'whose lease has lapsed': ({ lease }) => {
    lease.held = false;
  },
  'that has lost its lease and joined anew': ({ host, lease }) => {
    lease.held = false;
    host.dropAll();
    lease.held = true;
  },
  'that has lost its lease and taken the partition anew': ({ host, lease }) => {
    lease.held = false;
    host.dropAll();
    lease.held = true;
    host.acquire(PARTITION, 2);
  },
};

for (const way of ['turn', 'beside'] as const) {
  for (const [whose, lose] of Object.entries(LOSSES)) {
    test(`an answer found ${way} is not given by a process ${whose}`, async () => {
      const fixture = hosting(way);
      const answer = fixture.ask();
      lose(fixture);
      fixture.found.resolve(DONE);
      assert.equal(await answer, null);
      fixture.host.close();
    });
  }

  test(`a fault found ${way} is no answer of a process that owns no more`, async () => {
    const fixture = hosting(way);
    const answer = fixture.ask();
    fixture.lease.held = false;
    fixture.host.dropAll();
    fixture.lease.held = true;
    fixture.found.reject(new TypeError('a fault'));
    await settle();
    fixture.clock.advance(1_000);
    assert.equal(await answer, null);
    fixture.host.close();
  });

  test(`an answer found ${way} is given by an owner`, async () => {
    const fixture = hosting(way);
    const answer = fixture.ask();
    fixture.found.resolve(DONE);
    assert.deepEqual(await answer, DONE);
    fixture.host.close();
  });
}

test('an ask that its admission held up is not answered beside by who may not act', async () => {
  const { host, lease, ask, found } = hosting('beside');
  found.resolve(DONE);
  lease.held = false;
  assert.equal(await ask(), null);
  host.close();
});

test('a hand-over that the loss of the lease overtook leaves alone what was taken since', async () => {
  const { host, lease, flushed, givenUp: released, clock } = hosting('turn');
  const handedOver = host.release(NAME);
  clock.advance(DRAIN_STEP_MS);
  await settle();
  lease.held = false;
  host.dropAll();
  lease.held = true;
  host.acquire(PARTITION, 2);
  const before = released.length;
  flushed.resolve();
  await handedOver;
  assert.equal(host.epochOf(NAME), 2);
  assert.equal(released.length, before);
  host.close();
});
