/** Actors that pass commands on to each other never wait for each other (D141). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Forwarded, forwardAsk } from '../../actors/runtime/forward-ask.ts';
import { Mailbox } from '../../actors/runtime/mailbox.ts';
import type { Address, Answer, Command } from '../../shared/ports/bus.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { SILENT } from './engine.ts';

const TIMEOUT_MS = 60_000;
const quiet = (): void => undefined;

/** Two contacts, each of which sends everything but `stay` on to the other one. */
function pair() {
  const clock = new ManualClock();
  const boxes = new Map<string, Mailbox>();
  const turns: string[] = [];
  const ask = (address: Address, command: Command): Promise<Answer> => {
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const deadline = clock.now() + TIMEOUT_MS;
    const answer = (given: Answer | null) => (given ? resolve(given) : reject(new Error('null')));
    boxes.get(address.key)?.post({ address, command, deadline, repeat: false, answer });
    return promise;
  };
  const open = (key: string, other: string) =>
    new Mailbox(key, {
      ...{
        clock,
        log: SILENT,
        epoch: 1,
        leaseHeld: () => true,
        journalBarrier: async () => undefined,
      },
      ...{ onTurn: quiet, onInDoubt: quiet, onDisposable: quiet },
      forward: (given, passed, repeat) =>
        forwardAsk({ bus: { ask }, log: SILENT }, { ask: given, forwarded: passed, repeat }),
      open: () => ({
        turn: async (command) => {
          turns.push(`${command.type} ${key}`);
          if (command.type === 'stay') return { status: 200, body: key };
          throw new Forwarded({ kind: 'contact', key: other }, command);
        },
      }),
    });
  boxes.set('a', open('a', 'b'));
  boxes.set('b', open('b', 'a'));
  return { ask, turns };
}

test('a command in a circle ends, and holds up no other', async () => {
  const { ask, turns } = pair();
  const circling = ask({ kind: 'contact', key: 'a' }, { id: 'cmd_1', type: 'circle' });
  const ended = assert.rejects(circling, /null/);
  const stays = await ask({ kind: 'contact', key: 'a' }, { id: 'cmd_2', type: 'stay' });
  assert.equal(stays.body, 'a');
  await ended;
  const passes = turns.filter((each) => each.startsWith('circle'));
  assert.ok(passes.length <= 17, `${passes.length} turns`);
  assert.ok(turns.indexOf('stay a') < turns.length - 1, 'it waited for no circle');
});
