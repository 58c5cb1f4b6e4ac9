/** Actors that pass commands on to each other never wait for each other (D141). */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LearnContact } from '../../../actors/model/contact.ts';
import type { Mailbox } from '../../../actors/runtime/mailbox.ts';
import { Forwarded, forwardAsk } from '../../../actors/runtime/turn.ts';
import type { Address, Answer, Command, CommandOf } from '../../../shared/ports/bus.ts';
import { SILENT } from '../../support/engine.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { mailboxOf } from './mailboxes.ts';
import { settle } from './settle.ts';

const TIMEOUT_MS = 60_000;

test('a command is passed on although the store did not answer at first', async () => {
  let barriers = 0;
  const journalBarrier = async () => {
    barriers += 1;
    if (barriers === 1) throw new Error('the store refused');
  };
  const passed: string[] = [];
  const clock = new ManualClock();
  const box = mailboxOf('a', {
    ...{ clock, journalBarrier },
    forward: ({ command }) => passed.push(command.id),
    open: () => ({
      turn: async (command) => {
        const to = { kind: 'contact', key: 'b' } as const;
        throw new Forwarded({ to, command: command as LearnContact });
      },
    }),
  });
  const address = { kind: 'contact', key: 'a' } as const;
  const deadline = clock.now() + TIMEOUT_MS;
  for (const id of ['cmd_1', 'cmd_2']) {
    const command = { id, type: 'learn' } as CommandOf;
    box.post({ address, command, deadline, repeat: false, answer: () => assert.fail() });
  }
  await settle();
  clock.advance(1_000);
  await settle();
  assert.deepEqual(passed, ['cmd_1', 'cmd_2'], 'the next one is not held up either');
});

/** Two contacts, each of which sends everything but `locate` on to the other one. */
function pair() {
  const clock = new ManualClock();
  const boxes = new Map<string, Mailbox>();
  const turns: string[] = [];
  const ask = (address: Address, sent: Command): Promise<Answer> => {
    const command = sent as CommandOf;
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const deadline = clock.now() + TIMEOUT_MS;
    const answer = (given: Answer | null) => (given ? resolve(given) : reject(new Error('null')));
    boxes.get(address.key)?.post({ address, command, deadline, repeat: false, answer });
    return promise;
  };
  const open = (key: string, other: string) =>
    mailboxOf(key, {
      clock,
      forward: (given, passed, repeat) =>
        forwardAsk({ bus: { ask }, log: SILENT }, { ask: given, forwarded: passed, repeat }),
      open: () => ({
        turn: async (command) => {
          turns.push(`${command.type} ${key}`);
          if (command.type === 'locate') return { status: 200, body: key };
          throw new Forwarded({
            to: { kind: 'contact', key: other },
            command: command as LearnContact,
          });
        },
      }),
    });
  boxes.set('a', open('a', 'b'));
  boxes.set('b', open('b', 'a'));
  return { ask, turns };
}

test('a command in a circle ends, and holds up no other', async () => {
  const { ask, turns } = pair();
  const circling = ask({ kind: 'contact', key: 'a' }, { id: 'cmd_1', type: 'learn' });
  const ended = assert.rejects(circling, /null/);
  const stays = await ask({ kind: 'contact', key: 'a' }, { id: 'cmd_2', type: 'locate' });
  assert.equal(stays.body, 'a');
  await ended;
  const passes = turns.filter((each) => each.startsWith('learn'));
  assert.ok(passes.length <= 17, `${passes.length} turns`);
  assert.ok(turns.indexOf('locate a') < turns.length - 1, 'it waited for no circle');
});
