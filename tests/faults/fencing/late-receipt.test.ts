/**
 * Two owners of a conversation record receipts on one message at a time: the higher status stays on
 * record, whichever write is last. A `$max` does not report that it lost
 * (actors/domain/conversation/network-message.ts, 3).
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { entryDocument } from '../../../actors/conversation/log/documents.ts';
import type { Receipt } from '../../../actors/domain/conversation/network-message.ts';
import type { EntryDocument } from '../../../actors/model/conversation.ts';
import { STATUS_RANK } from '../../../shared/message.ts';
import type { CommandOf } from '../../../shared/ports/bus.ts';
import {
  conversationFixture,
  outboundFixture,
} from '../../support/actors/domain/message-fixture.ts';
import type { Store } from '../../support/plain-store.ts';
import { bothStores } from './both-stores.ts';
import { Owner } from './owners.ts';

const STATUSES = ['sent', 'delivered', 'read', 'failed'] as const;
type Status = (typeof STATUSES)[number];

let made = 0;

/** A message that is on its way to the network, in a conversation of its own. */
async function sending(store: Store): Promise<EntryDocument> {
  const state = { ...conversationFixture(), id: `cnv_${made++}`, seq: 1 };
  const message = { ...outboundFixture(), status: 'sending' as const };
  const document = entryDocument(`msg_${made++}`, { state, message, outbox: [], queued: false });
  await store.commit([{ insert: 'entries', document }]);
  return document;
}

function receipt(messageId: string, status: Status): CommandOf {
  const error = status === 'failed' ? { error: { code: '1', message: 'Não foi.' } } : {};
  const told: Receipt = { status, at: 1_000, externalId: 'wamid', ...error };
  return { id: `cmd_${made++}`, type: 'receipt', messageId, receipt: told, networkId: null };
}

/**
 * Both have read the message before either writes; `first` writes first. Returns the shown status.
 */
async function race(store: Store, first: Status, second: Status): Promise<string | undefined> {
  const entry = await sending(store);
  const owners = [first, second].map((status) => {
    const owner = new Owner('conversation', store);
    const held = owner.holdCommit();
    const turn = owner.turn(entry.conversationId, receipt(entry._id, status));
    return { ...held, turn };
  });
  await Promise.all(owners.map(({ inFlight }) => inFlight));
  for (const { release, turn } of owners) {
    release();
    await turn;
  }
  const shown = await store.byId('entries', entry._id);
  return shown?.message?.status;
}

for (const [name, storeOf] of bothStores()) {
  describe(`receipts of two owners on ${name}`, () => {
    for (const first of STATUSES) {
      for (const second of STATUSES.filter((status) => status !== first)) {
        const higher = STATUS_RANK[first] > STATUS_RANK[second] ? first : second;
        test(`${second} that lands after ${first} leaves ${higher}`, async () => {
          assert.equal(await race(storeOf(), first, second), higher);
        });
      }
    }
  });
}
