/** Turns of messages, as their owner logs them: what goes before a message is counted by them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SendFixture } from '../send-fixture.ts';

test('the turn of each message is logged as it comes: by its insert, and in a batch', async () => {
  const fixture = await SendFixture.warm({ perSecond: 2 });
  fixture.turns.length = 0;
  for (const id of ['a', 'b', 'c', 'd']) await fixture.send(`cnv_${id}`, id, `msg_${id}`);
  assert.deepEqual(fixture.turns, [['msg_a'], ['msg_b']], 'claimed');
  await fixture.pass(2_000);
  assert.deepEqual(fixture.turns.slice(2).flat(), ['msg_c', 'msg_d']);
  assert.deepEqual(fixture.texts(), ['a', 'b', 'c', 'd']);
});

test('a message has its turn before its owner looks for the one before it', async () => {
  const fixture = await SendFixture.warm();
  await fixture.send('cnv_a', 'a', 'msg_a');
  await fixture.pass(1_000);
  await fixture.own();
  fixture.turns.length = 0;
  const answer = fixture.holdLookUps();
  await fixture.send('cnv_a', 'b', 'msg_b');
  await fixture.send('cnv_b', 'c', 'msg_c');
  await fixture.pass(1_000);
  assert.deepEqual(fixture.turns, [['msg_b'], ['msg_c']]);
  assert.deepEqual(fixture.texts(), ['a', 'c']);
  answer();
  await fixture.pass(1_000);
  assert.deepEqual(fixture.turns, [['msg_b'], ['msg_c'], ['msg_b']], 'it keeps it');
  assert.deepEqual(fixture.texts(), ['a', 'c', 'b']);
});
