/**
 * A stalled disk: writes can be read, and are not journaled. Nothing is answered on the strength of
 * them (I1), however often it is asked.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { journalBarrier } from '../../../actors/runtime/journal-barrier.ts';
import type { Address, CommandOf } from '../../../shared/ports/bus.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import type { Store } from '../../support/plain-store.ts';
import { Database } from '../simulation/memory/database.ts';
import { environmentOf, kindOf } from './environment.ts';
import { AskedMailbox } from './mailboxes.ts';
import { modelStore } from './model-store.ts';
import { settle } from './settle.ts';

const ORG = 'org_1';
const said = { orgId: ORG, phone: '5511998877665', origin: 'api' } as const;

/** Its writes are seen at once; while the disk is stalled none is ever confirmed. */
class StandingStill {
  stands = true;
  readonly #model = modelStore(new Database());
  readonly store: Store = {
    ...this.#model,
    commit: async (writes) => {
      const outcomes = await this.#model.commit(writes);
      // Made in time, and in vain: as the real store's deadline would say.
      if (this.stands) throw new Error('the store could not say whether it wrote');
      return outcomes;
    },
  };
}

interface Asked {
  readonly kind: Address['kind'];
  readonly key: string;
  readonly command: CommandOf;
  /** A command that is answered and journaled before the disk stalls. */
  readonly before?: CommandOf;
}

const network = {
  ...({ type: 'inbound', channelId: 'chn_1', contactId: 'ctc_1' } as const),
  networkId: '5511998877665',
  ...({ profileName: null, externalId: 'ext_1', replyToExternalId: null, kind: 'text' } as const),
  ...({ text: 'oi', at: 1, channelLabel: 'Vendas' } as const),
};

const ASKED: Readonly<Record<string, Asked>> = {
  'a send': {
    kind: 'conversation',
    key: 'cnv_1',
    command: {
      ...{ id: 'msg_1', type: 'send', channelId: 'chn_1', byConversation: false },
      ...{ channelScope: false, text: 'oi', authorLabel: 'ERP' },
      ...said,
    },
  },
  'a contact': {
    kind: 'contact',
    key: 'ctc_1',
    command: { id: 'cmd_1', type: 'upsert', source: 'api', name: 'Bia', ...said },
  },
  'what a network tells twice': {
    kind: 'conversation',
    key: 'cnv_1',
    command: { id: 'cmd_1', ...network, ...said },
    before: { id: 'cmd_0', ...network, ...said, externalId: 'ext_0' },
  },
};

function mailboxOf(store: Store, clock: ManualClock, asked: Asked): AskedMailbox {
  const ask = async ({ key: id }: Address) => {
    const contact = { id, phone: said.phone, name: null };
    return { status: 200, body: JSON.stringify(contact) };
  };
  const kind = kindOf(asked.kind, environmentOf({ store, clock, bus: { ask } }));
  const own = {
    journalBarrier: () => journalBarrier(store),
    open: (key: string, stale: boolean) => kind.open(key, 1, stale),
  };
  return new AskedMailbox(asked, own, clock);
}

for (const [what, asked] of Object.entries(ASKED)) {
  test(`${what} is answered when it is journaled`, async () => {
    const disk = new StandingStill();
    const clock = new ManualClock();
    const mailbox = mailboxOf(disk.store, clock, asked);
    const { answers } = mailbox;
    const pass = async (ms: number) => {
      for (let left = ms; left > 0; left -= 50) {
        await settle();
        clock.advance(50);
      }
    };
    if (asked.before) {
      disk.stands = false;
      mailbox.ask(asked.before);
      await pass(6_000);
      disk.stands = true;
      answers.length = 0;
    }
    mailbox.ask(asked.command);
    // The network tells it again, which is no repeat of an ask.
    if (asked.before) mailbox.ask({ ...asked.command, id: 'cmd_2' });
    await pass(5_000);
    assert.equal(answers.length, 0, 'it is on record, and may still be lost');
    disk.stands = false;
    await pass(1_000);
    assert.ok(answers.length > 0);
    assert.ok(answers.every((answer) => answer !== null && answer.status < 300));
  });
}

test('a keyed command that a new owner finds on record is answered when it is journaled', async () => {
  const disk = new StandingStill();
  const clock = new ManualClock();
  const asked: Asked = {
    kind: 'contact',
    key: 'ctc_1',
    command: { id: 'cmd_1', type: 'upsert', source: 'api', lasting: true, ...said },
  };
  const askNewOwner = async () => {
    const mailbox = mailboxOf(disk.store, clock, asked);
    mailbox.ask(asked.command);
    await settle();
    mailbox.close();
    clock.advance(1_000);
    await settle();
    return mailbox.answers;
  };
  assert.deepEqual(await askNewOwner(), [null], 'it is on record, and may still be lost');
  // The call is made again under its key: for its owner that is no repeat of an ask.
  assert.deepEqual(await askNewOwner(), [null]);
  disk.stands = false;
  const [answer] = await askNewOwner();
  assert.equal(answer?.status, 201);
});
