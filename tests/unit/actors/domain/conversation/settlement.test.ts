/** The id of a settlement's entry derives from its message's: the first one stays for ever. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { settlementId } from '../../../../../actors/domain/conversation/settlement.ts';

test('a settlement has one id per message, and no message has it', () => {
  assert.equal(settlementId('msg_1'), 'msg_1-settled', 'logs hold it, so it never changes');
  assert.equal(settlementId('msg_1'), settlementId('msg_1'));
  assert.notEqual(settlementId('msg_1'), settlementId('msg_2'));
});
