/** A flow for any channel at the `web` network: no buttons, no window, and no silence. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as v from 'valibot';
import { loggedLines } from '../../../../../infra/adapters/log/logged-lines.ts';
import { ListMessagesAnswer } from '../../../../../shared/api/message.ts';
import { LOG_EVENT } from '../../../../../shared/log-events.ts';
import { freshPhone } from '../../../../support/api.ts';
import { pluck } from '../../../../support/pluck.ts';
import { useOrganizations, useStack } from '../../../../support/stack-hooks.ts';
import { waitUntil } from '../../../../support/wait-for.ts';
import { talkContactOf } from './talk-contact.ts';

const FLOW = {
  ref: 'offer',
  name: 'Oferta',
  triggers: [{ on: 'keyword', keyword: 'oferta' }],
  steps: [
    {
      id: 'buttons',
      do: 'send',
      interactive: { type: 'buttons', text: 'Quer?', buttons: [{ id: 'sim', title: 'Sim' }] },
      next: 'end',
      onError: 'think',
    },
    { id: 'think', do: 'delay', for: '1s', typing: true, next: 'plain' },
    { id: 'plain', do: 'send', text: 'Quer? Responda sim.', reply: true, next: 'window' },
    {
      id: 'window',
      do: 'choose',
      cases: [{ when: { window: 'closed' }, next: 'end' }],
      else: 'heart',
    },
    { id: 'heart', do: 'send', reaction: { emoji: '❤️' }, next: 'end' },
    { id: 'end', do: 'end' },
  ],
};

const stack = useStack();
const { org } = useOrganizations(stack, { org: { more: { flows: [FLOW] } } });

test('buttons become a note and the way after the error; the rest is sent', async () => {
  const phone = freshPhone();
  const contact = talkContactOf(stack, org.shop, phone);
  await stack.network.inbound({ channelId: org.shop, from: phone, text: 'oferta' });
  const expected = ['(reply) Quer? Responda sim.', '(❤️)'];
  const isThere = async () => (await contact.received()).length >= expected.length;
  await waitUntil('all is received', isThere);
  assert.deepEqual(await contact.received(), expected);
  const shown = await stack.network.shown(phone);
  assert.ok(
    shown.some(({ kind }) => kind === 'typing'),
    JSON.stringify(shown),
  );
  const { data } = await stack.conversations(org.key, '?limit=200');
  const conversation = data.find((each) => each.contact.phone === phone);
  assert.ok(conversation);
  const path = `/api/v1/messages?conversationId=${conversation.id}&includeNotes=true`;
  const { json } = await stack.request('GET', path, { key: org.key });
  const notes = v.parse(ListMessagesAnswer, json).data.filter((each) => each.direction === 'note');
  assert.deepEqual(pluck(notes, 'text'), [
    'Fluxo "Oferta", etapa "buttons": a mensagem não foi enviada. interactive: Este número não aceita este tipo de mensagem.',
  ]);
  const line = await waitUntil('a log line', () =>
    loggedLines(stack.dataDir, LOG_EVENT.sendStepUnable).find(
      ({ conversationId }) => conversationId === conversation.id,
    ),
  );
  assert.deepEqual([line.stepId, line.reason], ['buttons', 'not_on_web']);
});
