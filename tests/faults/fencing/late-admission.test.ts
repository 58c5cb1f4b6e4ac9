/**
 * A call's admission that comes when its partition has gone to another owner: the call has been
 * asked again there, and may have run (actors/runtime/host).
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Kind } from '../../../actors/runtime/api.ts';
import { Host } from '../../../actors/runtime/host.ts';
import type { Answer, IncomingAsk, OwnerBus } from '../../../shared/ports/bus.ts';
import type { Admission } from '../../../shared/wire/caller.ts';
import { SILENT } from '../../support/engine.ts';
import { ManualClock } from '../../support/manual-clock.ts';

const ADMISSION = { outcome: 'admitted-with-caller', rates: {}, caller: {} } as Admission;
const CHANGED: Answer = { status: 200, body: '', admission: ADMISSION };

/** One ask with its admission on board; `lost` between the two. */
async function answerOf(lost: (host: Host, lease: { stands: boolean }) => void) {
  const clock = new ManualClock();
  const lease = { stands: true };
  const admission = Promise.withResolvers<Answer>();
  const handlers: Parameters<OwnerBus['own']>[1][] = [];
  const bus = {
    ask: () => admission.promise,
    own: (_: unknown, on: Parameters<OwnerBus['own']>[1]) => {
      handlers.push(on);
      return () => undefined;
    },
  } as unknown as OwnerBus;
  const host = new Host({
    ...{ bus, clock, log: SILENT, kinds: [{ kind: 'deal' } as unknown as Kind] },
    ...{
      leaseHeld: () => lease.stands,
      journalBarrier: async () => undefined,
      onTurn: () => undefined,
    },
  });
  host.acquire({ kind: 'deal', number: 1 }, 1);
  const answered = Promise.withResolvers<Answer | null>();
  const ask = {
    ...{ address: { kind: 'deal', key: 'deal_1' }, command: { id: 'cmd_1', type: 'change' } },
    ...{ deadline: clock.now() + 8_000, repeat: false, answer: answered.resolve },
    admission: { orgId: 'org_1', command: { id: 'adm_1', type: 'admit', digest: 'd' } },
  } as unknown as IncomingAsk;
  handlers[0]?.ask(ask);
  lost(host, lease);
  admission.resolve(CHANGED);
  const answer = await answered.promise;
  host.close();
  return answer;
}

test('who still owns the actor says that the command was not run', async () => {
  const answer = await answerOf(() => undefined);
  assert.deepEqual(answer, CHANGED);
});

test('who does not own it any more says nothing: the next owner may have run it', async () => {
  const dropped = await answerOf((host) => host.dropAll());
  assert.equal(dropped, null);
  const doubted = await answerOf((_, lease) => {
    lease.stands = false;
  });
  assert.equal(doubted, null);
});
