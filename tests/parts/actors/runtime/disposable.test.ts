/** An actor that holds nothing for a next turn is forgotten at once, however many there are. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextRound } from 'node:timers/promises';
import { ContactActor } from '../../../../actors/contact/actor.ts';
import { Host } from '../../../../actors/runtime/host.ts';
import type { Actor, Kind } from '../../../../actors/runtime/kind.ts';
import type { CommandOf, IncomingAsk, OwnerBus } from '../../../../shared/ports/bus.ts';
import { SILENT } from '../../../support/engine.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { UNHEARD } from '../../../support/unheard.ts';

const quiet = (): void => undefined;

interface Opened {
  readonly disposable: boolean;
  readonly turn?: Actor['turn'];
}

/** A host of one partition, with the given actors. */
function hostOf({ disposable, turn = async () => ({ status: 200, body: '{}' }) }: Opened) {
  const handlers: Parameters<OwnerBus['own']>[1][] = [];
  const bus = {
    own(_: unknown, on: Parameters<OwnerBus['own']>[1]) {
      handlers.push(on);
      return quiet;
    },
  } as unknown as OwnerBus;
  const kind: Kind = { kind: 'deal', open: () => ({ turn, disposable }) };
  const host = new Host({
    ...{ bus, clock: new ManualClock(), log: SILENT, kinds: [kind] },
    ...{ leaseHeld: () => true, journalBarrier: async () => undefined, onTurn: quiet },
    admit: async () => undefined,
  });
  host.acquire({ kind: 'deal', number: 1 }, 1);
  const ask = (key: string) => {
    const answered = Promise.withResolvers<unknown>();
    const asked: IncomingAsk = {
      address: { kind: 'deal', key },
      command: { id: `cmd_${key}`, type: 'change', orgId: 'org_1', origin: 'api' },
      ...{ deadline: Number.POSITIVE_INFINITY, repeat: false, answer: answered.resolve },
    };
    handlers[0]?.ask(asked);
    return answered.promise;
  };
  return { host, ask };
}

test('a mailbox of a disposable actor goes with its last turn, another one stays', async () => {
  for (const disposable of [true, false]) {
    const { host, ask } = hostOf({ disposable });
    await Promise.all(Array.from({ length: 100 }, (_, n) => ask(`deal_${n}`)));
    await nextRound();
    assert.equal(host.mailboxes().count, disposable ? 0 : 100);
    host.close();
  }
});

test('it stays for as long as a turn is under way in it', async () => {
  const first = Promise.withResolvers<void>();
  let turns = 0;
  const { host, ask } = hostOf({
    disposable: true,
    async turn() {
      if (++turns === 1) await first.promise;
      return { status: 200, body: '{}' };
    },
  });
  const asked = ask('deal_1');
  assert.deepEqual(host.mailboxes(), { count: 1, depth: 1 });
  const next = ask('deal_1');
  first.resolve();
  await Promise.all([asked, next]);
  await nextRound();
  assert.equal(turns, 1, 'the repeat of a command joins it');
  assert.equal(host.mailboxes().count, 0);
  host.close();
});

test('a contact that was only ensured is disposable, one that was changed is not', async () => {
  const clock = new ManualClock();
  const store = {
    byId: async () => null,
    commit: async (writes: readonly unknown[]) => writes.map(() => ({ ok: true })),
  };
  const relay = { numbered: (items: readonly unknown[]) => items };
  const audience = { isHearing: async () => false };
  const parts = { environment: { store, clock, log: SILENT, live: UNHEARD }, relay, audience };
  const contact = new ContactActor('ctc_1', parts as never);
  const asked = { orgId: 'org_1', phone: '5511912345678', source: 'api' };
  const context = { deadline: 0, repeat: false, epoch: 1 };
  const turn = (command: object) => contact.turn(command as CommandOf<'contact'>, context);
  await turn({ id: 'cmd_1', type: 'ensure', profileName: null, ...asked });
  assert.equal(contact.disposable, true);
  await turn({ id: 'cmd_2', type: 'upsert', name: 'Ana', origin: 'api', ...asked });
  assert.equal(contact.disposable, false);
});
