/** The entry that the limit of accepted sends inserts is one of the actors'. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { entryDocument } from '../../../../actors/conversation/log/documents.ts';
import {
  decideSend,
  newConversation,
} from '../../../../actors/domain/conversation/conversation.ts';
import { entryOf } from '../../../../infra/bench/accept/entry.ts';

const AT = Date.UTC(2026, 4, 4, 12);
const SENT = { channelId: `chn_${'0'.repeat(22)}`, phone: '+55 11 90001-1000', text: 'Olá, 7' };
const DRAFT = { kind: 'text', media: null, authorLabel: 'Bench', origin: 'api' } as const;

test('the second send of a conversation is the entry that the actors append', () => {
  const entry = entryOf({ ...SENT, seq: 2, at: AT });
  const { id, orgId, channelId, contact, networkId } = entry.after;
  const begun = newConversation({ id, orgId, channelId, contact, networkId }, AT);
  const first = decideSend(begun, { ...DRAFT, text: 'Olá' }, AT);
  const second = decideSend(first.state, { ...DRAFT, text: SENT.text }, AT);
  assert.deepEqual(entry, entryDocument(entry._id, second, entry.requestId));
});
