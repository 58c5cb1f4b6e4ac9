/** An echo finds the message of ours that it shows, in whichever log of the chat it is (D491). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findEchoed } from '../../../../../actors/channel/receiving/echoed-send.ts';
import { SentIndex } from '../../../../../actors/channel/sending/sent-index.ts';
import type {
  NetworkMessageCommand,
  SendAgenda,
} from '../../../../../actors/model/conversation.ts';
import { conversationId } from '../../../../../shared/entity-ids.ts';
import type { Ids } from '../../../../../shared/ports/ids.ts';
import { modelStore } from '../../../../faults/fencing/model-store.ts';
import { Database } from '../../../../faults/simulation/memory/database.ts';
import {
  CONTACT,
  conversationFixture,
  NOW,
  outboundFixture,
} from '../../../../support/actors/domain/message-fixture.ts';

const CHANNEL = 'chn_1';
const IDS = { derive: (...parts: readonly string[]) => parts.join('.') } as unknown as Ids;
const OF_NUMBER = conversationId(IDS, CHANNEL, 'ctc_number');
const OF_HIDDEN = conversationId(IDS, CHANNEL, 'ctc_hidden');
const OURS = { conversationId: OF_HIDDEN, messageId: 'msg_1' };

/** The number's contact was merged into the one that was known by a hidden id. */
function chat({ text = 'oi', ...more }: { text?: string } & Partial<SendAgenda> = {}) {
  const database = new Database();
  const contact = (_id: string, more: object) => ({
    insert: 'contacts',
    document: { _id, ...more },
  });
  database.apply(contact('ctc_number', { phone: '', mergedInto: 'ctc_hidden' }));
  database.apply(contact('ctc_hidden', { phone: CONTACT.phone }));
  const send = { state: 'sending', attempt: 1, at: NOW, since: NOW, ...more };
  const document = {
    ...{ _id: 'msg_1', channelId: CHANNEL, conversationId: OF_HIDDEN, seq: 1 },
    ...{ message: outboundFixture({ text }), after: conversationFixture({ id: OF_HIDDEN }) },
    send,
  };
  database.apply({ insert: 'entries', document });
  const sent = new SentIndex(CHANNEL);
  const waits: string[] = [];
  const context = {
    channelId: CHANNEL,
    environment: { store: modelStore(database), ids: IDS },
    sent,
    oldestOf: () => undefined,
    whenIdle: async (id: string) => {
      waits.push(id);
    },
  } as unknown as Parameters<typeof findEchoed>[0];
  return { context, sent, waits };
}

const COMMAND = {
  ...{ orgId: 'org_1', contactId: 'ctc_number', phone: CONTACT.phone },
  ...{ text: 'oi', at: NOW + 50 },
} as unknown as NetworkMessageCommand;
const ECHO = { conversationId: OF_NUMBER, externalId: 'ext_1', command: COMMAND };

test('the message in doubt is found where the merged contact has its conversation', async () => {
  const { context } = chat();
  assert.deepEqual(await findEchoed(context, ECHO, true), OURS);
});

test('other words, or a message under an id of ours, are a person’s', async () => {
  assert.equal(await findEchoed(chat({ text: 'outra' }).context, ECHO, true), null);
  assert.equal(await findEchoed(chat({ ownId: '3EB0' }).context, ECHO, true), null);
});

test('a message that has been in doubt is found in the queue, and after another attempt', async () => {
  const again = { attempt: 2, since: NOW + 600_000, doubtSince: NOW };
  for (const state of ['queued', 'sending'] as const) {
    assert.deepEqual(await findEchoed(chat({ ...again, state }).context, ECHO, true), OURS, state);
  }
});

test('a message that never was in doubt waits for its turn, whatever is typed meanwhile', async () => {
  const { context } = chat({ state: 'queued', attempt: 0 });
  assert.equal(await findEchoed(context, ECHO, true), null);
});

test('the answer to a message in flight is waited for there too', async () => {
  const { context, sent, waits } = chat({ text: 'outra' });
  const answered = async (id: string) => {
    waits.push(id);
    if (id === OF_HIDDEN) sent.keep('ext_1', OURS);
  };
  assert.deepEqual(await findEchoed({ ...context, whenIdle: answered }, ECHO, true), OURS);
  assert.deepEqual(waits, [OF_NUMBER, OF_HIDDEN]);
});

test('a network without a look-up shows no send as typed', async () => {
  assert.equal(await findEchoed(chat().context, ECHO, false), null);
});
