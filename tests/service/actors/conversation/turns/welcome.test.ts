/** A contact who opens the chat for the first time, and writes nothing (D403). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { freshPhone } from '../../../../support/api.ts';
import { pluckRows } from '../../../../support/pluck.ts';
import { useOrganizations, useStack } from '../../../../support/stack-hooks.ts';
import { waitUntil } from '../../../../support/wait-for.ts';

const MENU = {
  ref: 'main',
  name: 'Principal',
  isMain: true,
  steps: [
    { id: 'hi', do: 'send', text: 'Menu', next: 'w' },
    { id: 'w', do: 'wait', saveAs: 'said', next: 'bye' },
    { id: 'bye', do: 'send', text: 'Você disse {{answers.said}}', next: 'end' },
    { id: 'end', do: 'end' },
  ],
};
const ADVERTISED = {
  ...{ ref: 'main', name: 'Principal', isMain: true },
  steps: [
    { id: 'hi', do: 'send', text: 'Oferta: {{contact.firstAd.headline}}', next: 'end' },
    { id: 'end', do: 'end' },
  ],
};
const FIRST = {
  ref: 'first',
  name: 'Primeira',
  triggers: [{ on: 'first-message' }],
  steps: [
    { id: 'hi', do: 'send', text: 'Boas-vindas', next: 'end' },
    { id: 'end', do: 'end' },
  ],
};

const stack = useStack();
const { menu, first, advertised } = useOrganizations(stack, {
  advertised: { more: { flows: [ADVERTISED] } },
  menu: { more: { flows: [MENU] } },
  first: { more: { flows: [MENU, FIRST] } },
});

type Organization = typeof menu;

const opens = (org: Organization, from: string, id: string, times = 1) =>
  stack.network.control('POST /inbound', { channelId: org.main, from, welcome: true, id, times });

/** Direction and text of the contact's history, oldest first; null without a conversation. */
async function historyOf(org: Organization, phone: string) {
  const contact = await stack.contact(org.key, phone);
  if (contact === null) return null;
  const { data } = await stack.conversations(org.key, `?contactId=${contact.id}`);
  const [conversation] = data;
  if (conversation === undefined) return null;
  const history = await stack.history(org.key, conversation.id);
  return {
    unread: conversation.unread,
    said: pluckRows([...history].reverse(), 'direction', 'text'),
  };
}

test('the main flow starts without a message, once, and hears what the contact writes', async () => {
  const phone = freshPhone();
  await opens(menu, phone, 'wamid.open-1', 2);
  await opens(menu, phone, 'wamid.open-1');
  const greeted = await waitUntil('the menu is sent', async () => {
    const history = await historyOf(menu, phone);
    return history?.said.length ? history : null;
  });
  assert.deepEqual(greeted, { unread: 0, said: [['out', 'Menu']] });
  await stack.network.inbound({ channelId: menu.main, from: phone, text: 'quero comprar' });
  await waitUntil(
    'the answer is heard',
    async () => (await historyOf(menu, phone))?.said.length === 3,
  );
  assert.deepEqual((await historyOf(menu, phone))?.said, [
    ['out', 'Menu'],
    ['in', 'quero comprar'],
    ['out', 'Você disse quero comprar'],
  ]);
});

test('where a first message has a flow of its own, that flow waits for the message', async () => {
  const phone = freshPhone();
  await opens(first, phone, 'wamid.open-2');
  await stack.network.inbound({ channelId: first.main, from: phone, text: 'oi' });
  await waitUntil('it is greeted', async () => (await historyOf(first, phone))?.said.length === 2);
  assert.deepEqual((await historyOf(first, phone))?.said, [
    ['in', 'oi'],
    ['out', 'Boas-vindas'],
  ]);
});

test('an opening that is told hours later greets nobody', async () => {
  const phone = freshPhone();
  const at = Date.now() - 5 * 3_600_000;
  const told = { channelId: menu.main, from: phone, welcome: true, at };
  await stack.network.control('POST /inbound', told);
  await opens(menu, freshPhone(), 'wamid.open-3');
  assert.deepEqual((await historyOf(menu, phone))?.said, []);
});

test('an opening that an advertisement led to tells the flow of it (D413)', async () => {
  const phone = freshPhone();
  const referral = { source_id: '120900', source_type: 'ad', headline: 'Aquecedores' };
  const told = { channelId: advertised.main, from: phone, welcome: true, referral };
  await stack.network.control('POST /inbound', told);
  const greeted = await waitUntil('it is greeted', async () => {
    const history = await historyOf(advertised, phone);
    return history?.said.length ? history.said : null;
  });
  assert.deepEqual(greeted, [['out', 'Oferta: Aquecedores']]);
  assert.equal((await stack.contact(advertised.key, phone))?.firstAd?.sourceId, '120900');
});
