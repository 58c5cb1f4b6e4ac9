/** A member's call under an `Idempotency-Key`: it is the member's, whatever becomes of the session. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import * as v from 'valibot';
import { parseAnswer } from '../../../support/api/answers.ts';
import { freshPhone } from '../../../support/api.ts';
import type { Browser } from '../../../support/gateway/panel/browser.ts';
import { panel, startPanel } from '../../../support/gateway/panel/people-fixture.ts';

before(startPanel);

const SentSchema = v.object({
  data: v.looseObject({ messageId: v.string(), conversationId: v.string() }),
});

/** Another key for each phone, since both are of one message. */
async function send(browser: Browser, phone: string) {
  const body = { channelId: panel().shop.main, phone, text: 'Segue o boleto' };
  const headers = { 'idempotency-key': `de-${phone}` };
  const answer = await browser.call('POST', '/api/v1/messages', { body, headers });
  const isReplayed = answer.headers.get('idempotent-replayed') === 'true';
  return { ...parseAnswer(answer, SentSchema, 201).data, isReplayed };
}

async function textsOf(conversationId: string) {
  const { stack, shop } = panel();
  return (await stack.history(shop.key, conversationId)).map(({ text }) => text);
}

test('a message is repeated in a later session of its member: it goes once', async () => {
  const phone = freshPhone();
  const first = await panel().signedInAs('bia');
  const sent = await send(first, phone);
  assert.equal((await first.call('POST', '/panel/api/sign-out')).status, 200);
  const again = await send(await panel().signedInAs('bia'), phone);
  assert.deepEqual([again.messageId, again.isReplayed], [sent.messageId, true]);
  assert.deepEqual(await textsOf(sent.conversationId), ['Segue o boleto']);
});

test('the same key of another member is another call', async () => {
  const phone = freshPhone();
  const sent = await send(await panel().signedInAs('bia'), phone);
  const other = await send(await panel().signedInAs('ana'), phone);
  assert.equal(other.isReplayed, false);
  assert.equal((await textsOf(sent.conversationId)).length, 2);
});
