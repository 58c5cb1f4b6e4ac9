/** What starts a flow, and what must not (D409). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contactFixtureOf } from '../../../../support/actors/conversation/flow/contact-fixture.ts';
import { freshPhone } from '../../../../support/api.ts';
import { useOrganizations, useStack } from '../../../../support/stack-hooks.ts';
import { waitFor } from '../../../../support/wait-for.ts';

const HOUR_MS = 3_600_000;
/** So long after an entry its flow would have answered. */
const QUIET_MS = 1_500;

const MAIN = {
  ref: 'main',
  name: 'Principal',
  isMain: true,
  steps: [
    { id: 'hi', do: 'send', text: 'Menu', next: 'end' },
    { id: 'end', do: 'end' },
  ],
};
const ASKING = {
  ref: 'ask',
  name: 'Pergunta',
  triggers: [{ on: 'keyword', keyword: 'pergunta' }],
  steps: [
    { id: 'q', do: 'send', text: 'Nome?', next: 'w' },
    { id: 'w', do: 'wait', saveAs: 'name', next: 'r' },
    { id: 'r', do: 'send', text: 'Oi {{answers.name}}', next: 'end' },
    { id: 'end', do: 'end' },
  ],
};

const stack = useStack();
const { org } = useOrganizations(stack, { org: { more: { flows: [MAIN, ASKING] } } });

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

async function conversationOf(phone: string, channelId: string) {
  const { data } = await stack.conversations(org.key, '?limit=200');
  return data.find((each) => each.contact.phone === phone && each.channel.id === channelId);
}

/** The network posts what a contact wrote some time ago. */
function writesLate(channelId: string, from: string, { text, agoMs }: Late): Promise<unknown> {
  return stack.network.control('POST /inbound', { channelId, from, text, at: Date.now() - agoMs });
}

interface Late {
  readonly text: string;
  readonly agoMs: number;
}

for (const network of ['main', 'shop'] as const) {
  test(`D409: a webhook hours late starts no greeting (${network})`, async () => {
    const phone = freshPhone();
    const channelId = org[network];
    for (const hours of [30, 5]) {
      await writesLate(channelId, phone, { text: `há ${hours} h`, agoMs: hours * HOUR_MS });
    }
    await pause(QUIET_MS);
    assert.deepEqual(await stack.network.sent(phone), []);
    const conversation = await conversationOf(phone, channelId);
    assert.ok(conversation);
    const history = await stack.history(org.key, conversation.id);
    const ages = history.map(({ createdAt }) => (Date.now() - Date.parse(createdAt)) / HOUR_MS);
    assert.deepEqual(
      ages.map(Math.round).toSorted((a, b) => a - b),
      [5, 30],
      'their own times',
    );
    await writesLate(channelId, phone, { text: 'agora', agoMs: 60_000 });
    await waitFor(async () => (await stack.network.sent(phone)).length === 1, { what: 'greeting' });
  });
}

test('D409: a flow that runs takes a late answer', async () => {
  const contact = contactFixtureOf(stack, org);
  await contact.send('pergunta');
  await contact.untilReceived(1);
  await writesLate(org.main, contact.phone, { text: 'Ana', agoMs: 5 * HOUR_MS });
  assert.deepEqual(await contact.untilReceived(2), ['Nome?', 'Oi Ana']);
});
