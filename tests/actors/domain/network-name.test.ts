/** Under which spellings a message may be on record (D152). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  answeredSpellings,
  namedInChat,
  namesOf,
  spellings,
} from '../../../actors/domain/network-name.ts';

const CHAT = '5511987654321@c.us';

test('the canonical id, and the whole one of earlier releases', () => {
  assert.deepEqual(spellings({ externalId: 'A1' }), ['A1']);
  assert.deepEqual(spellings({ externalId: 'A1', fullId: 'A1' }), ['A1']);
  const fullId = `true_${CHAT}_A1`;
  assert.deepEqual(spellings({ externalId: 'A1', fullId }), ['A1', fullId]);
  assert.deepEqual(namesOf({ externalId: 'A1', fullId }), { externalId: 'A1', fullId });
  assert.deepEqual(namesOf({ externalId: 'A1', fullId: undefined }), { externalId: 'A1' });
});

test('an answered message is in the chat of its answer, of either side', () => {
  const by = { externalId: 'B2', fullId: `false_${CHAT}_B2` };
  assert.deepEqual(answeredSpellings('A1', by), ['A1', `true_${CHAT}_A1`, `false_${CHAT}_A1`]);
  assert.deepEqual(answeredSpellings('A1', { externalId: 'B2' }), ['A1']);
  assert.deepEqual(answeredSpellings('A1', { externalId: 'wamid.2', fullId: 'wamid.2' }), ['A1']);
});

test('a changed message is in the chat of its change, on networks that spell chats', () => {
  const name = { externalId: 'A1' };
  const fullId = `false_${CHAT}_A1`;
  assert.deepEqual(namedInChat(name, { chat: CHAT, fromMe: false }), { ...name, fullId });
  assert.deepEqual(spellings(namedInChat(name, { chat: '5511987654321', fromMe: true })), ['A1']);
  const told = { externalId: 'A1', fullId: 'true_77@lid_A1' };
  assert.deepEqual(namedInChat(told, { chat: CHAT, fromMe: true }), told);
});
