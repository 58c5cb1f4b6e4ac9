/** Bound of the channels' caches: a process has one, however many channels it owns. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SentIndex, type SentMessage } from '../../../../../actors/channel/sending/sent-index.ts';
import { GenerationalCache } from '../../../../../shared/generational-cache.ts';

const sent = (messageId: string): SentMessage => ({ conversationId: 'cnv_1', messageId });

test('channels share the room, and no name', () => {
  const names = new GenerationalCache<string, SentMessage>(3);
  const [one, other] = [new SentIndex('chn_1', names), new SentIndex('chn_2', names)];
  one.keep('wamid.1', sent('msg_1'));
  other.keep('wamid.1', sent('msg_2'));
  assert.equal(one.find('wamid.1')?.messageId, 'msg_1');
  assert.equal(other.find('wamid.1')?.messageId, 'msg_2');
  for (let n = 0; n < 100; n++) new SentIndex(`chn_${n}`, names).keep('wamid.2', sent(`msg_${n}`));
  assert.ok(names.size <= 3);
  assert.equal(one.find('wamid.1'), undefined);
});
