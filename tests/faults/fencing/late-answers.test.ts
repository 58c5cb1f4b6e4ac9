/**
 * A turn, or a call's admission, that ends after its process has lost the lease, joined anew and
 * acquired the partition under another epoch. Its results belong to an owner that is no more
 * (actors/runtime/mailbox): the next one may have run the command (actors/runtime/host).
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Host } from '../../../actors/runtime/host.ts';
import type { Actor, Kind } from '../../../actors/runtime/kind.ts';
import type { Answer, IncomingAsk, OwnerBus } from '../../../shared/ports/bus.ts';
import type { Admission } from '../../../shared/wire/caller.ts';
import { SILENT } from '../../support/engine.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { settle } from './settle.ts';

const PARTITION = { kind: 'deal', number: 1 } as const;
const NAME = 'deal.1';
const DONE: Answer = { status: 200, body: '{}' };
const ADMITTED = { outcome: 'admitted-with-caller', rates: {}, caller: {} } as Admission;
const CHANGED: Answer = { status: 200, body: '', admission: ADMITTED };
const DRAIN_STEP_MS = 5;

/** A host with one partition, of actors that answer when the test says so. */
function hosting(way: 'turn' | 'beside') {
  const clock = new ManualClock();
  const lease = { held: true };
  const found = Promise.withResolvers<Answer>();
  const flushed = Promise.withResolvers<void>();
  const released: number[] = [];
  let onAsk: (ask: IncomingAsk) => void = () => undefined;
  const admission = Promise.withResolvers<Answer>();
  const bus = {
    own: (_: unknown, on: Parameters<OwnerBus['own']>[1]) => {
      onAsk = on.ask;
      return () => undefined;
    },
  } as unknown as OwnerBus;
  const answer = () => found.promise;
  const actor: Actor = { turn: answer, ...(way === 'beside' ? { sharedHandler: answer } : {}) };
  const kind = {
    ...{ kind: 'deal', open: () => actor, flush: () => flushed.promise },
    release: (number: number) => void released.push(number),
  } as unknown as Kind;
  const host = new Host({
    ...{ bus, clock, log: SILENT, kinds: [kind], leaseHeld: () => lease.held },
    ...{ journalBarrier: async () => undefined, onTurn: () => undefined },
    admit: async () => (await admission.promise).admission,
  });
  host.acquire(PARTITION, 1);
  const ask = (more = {}): Promise<Answer | null> => {
    const answered = Promise.withResolvers<Answer | null>();
    onAsk({
      ...{ address: { kind: 'deal', key: 'deal_1' }, command: { id: 'cmd_1', type: 'change' } },
      ...{ deadline: clock.now() + 8_000, repeat: false, answer: answered.resolve },
      ...more,
    } as unknown as IncomingAsk);
    return answered.promise;
  };
  const admitted = admission.resolve;
  /** The lease is lost, and the process joins anew. */
  const rejoin = () => {
    lease.held = false;
    host.dropAll();
    lease.held = true;
  };
  return { clock, lease, found, flushed, givenUp: released, host, ask, admitted, rejoin };
}

type Hosting = ReturnType<typeof hosting>;

const LOSSES: Readonly<Record<string, (hosting: Hosting) => void>> = {
  'whose lease has lapsed': ({ lease }) => {
    lease.held = false;
  },
  'that has lost its lease and joined anew': ({ rejoin }) => rejoin(),
  'that has lost its lease and taken the partition anew': ({ host, rejoin }) => {
    rejoin();
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
    fixture.rejoin();
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
  const { host, rejoin, flushed, givenUp: released, clock } = hosting('turn');
  const handedOver = host.release(NAME);
  clock.advance(DRAIN_STEP_MS);
  await settle();
  rejoin();
  host.acquire(PARTITION, 2);
  const before = released.length;
  flushed.resolve();
  await handedOver;
  assert.equal(host.epochOf(NAME), 2);
  assert.equal(released.length, before);
  host.close();
});

/** An ask with its admission on board, which comes after what the test makes happen. */
async function admittedAfter(happens: (fixture: Hosting) => void): Promise<Answer | null> {
  const fixture = hosting('turn');
  const command = { id: 'adm_1', type: 'admit', digest: 'd' };
  const answer = fixture.ask({ admission: { orgId: 'org_1', command } });
  happens(fixture);
  fixture.admitted(CHANGED);
  const given = await answer;
  fixture.host.close();
  return given;
}

test('at an admission who still owns the actor says that the command was not run', async () => {
  assert.deepEqual(await admittedAfter(() => undefined), CHANGED);
});

test('at an admission who does not own it any more says nothing: the next may have run it', async () => {
  assert.equal(await admittedAfter(({ host }) => host.dropAll()), null);
  const doubted = await admittedAfter(({ lease }) => {
    lease.held = false;
  });
  assert.equal(doubted, null);
});
