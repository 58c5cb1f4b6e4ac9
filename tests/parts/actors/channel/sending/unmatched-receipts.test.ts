/** Receipts that come before the message's network id is on record (actors/channel). */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ChannelEnvironment } from '../../../../../actors/channel/readiness/configuration.ts';
import { UnmatchedReceipts } from '../../../../../actors/channel/sending/unmatched-receipts.ts';
import type { Receipt } from '../../../../../actors/domain/conversation/network-message.ts';
import { SILENT } from '../../../../support/engine.ts';
import { ManualClock } from '../../../../support/manual-clock.ts';
import type { Write } from '../../../../support/plain-store.ts';

const READ: Receipt = { status: 'read', at: 1 };

test('early receipts that the lease cuts off are kept for the next owner', async () => {
  let leaseHeld = true;
  const written: Write[] = [];
  const store = {
    byId: async () => ({ _id: 'chn_1/ext', receipts: [READ] }),
    commit: async (writes: readonly Write[]) => {
      written.push(...writes);
      return writes.map(() => ({ ok: true }));
    },
  };
  const ask = async (): Promise<never> => {
    leaseHeld = false;
    throw new Error('no owner answers');
  };
  const clock = new ManualClock();
  const ids = { fresh: () => 'cmd_1' };
  const environment = { store, clock, ids, log: SILENT, leaseHeld: () => leaseHeld, bus: { ask } };
  const unmatched = new UnmatchedReceipts('chn_1', environment as unknown as ChannelEnvironment);
  const message = { conversationId: 'cnv_1', messageId: 'msg_1', externalId: 'ext' };
  const applied = unmatched.apply(message);
  for (let turn = 0; turn < 10; turn++) await new Promise((go) => setImmediate(go));
  clock.advance(1_000);
  await applied;
  assert.deepEqual(written, [], 'nothing is removed that was not recorded');
});
