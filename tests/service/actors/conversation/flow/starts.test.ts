/** What starts a flow, and what must not: late messages, own numbers, other bots (D409 to D411). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as v from 'valibot';
import { ListMessagesAnswer } from '../../../../../shared/api/message.ts';
import { contactFixtureOf } from '../../../../support/actors/conversation/flow/contact-fixture.ts';
import { freshPhone } from '../../../../support/api.ts';
import { killHard } from '../../../../support/kills.ts';
import type { Organization } from '../../../../support/organization.ts';
import { startStack } from '../../../../support/stack.ts';
import { useOrganizations, useStack } from '../../../../support/stack-hooks.ts';
import { waitFor } from '../../../../support/wait-for.ts';

const HOUR_MS = 3_600_000;
/** So long after an entry its flow would have answered. */
const QUIET_MS = 1_500;
const TURNS = 10;

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
const OWN_PHONES = { main: '551140001000', shop: '551140002000' };

const stack = useStack(startStack);
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

/** What the network takes for one number is what the other one says. Ends when both are silent. */
async function relay({ main, shop }: Organization): Promise<number> {
  const sides = [
    { to: OWN_PHONES.shop, from: OWN_PHONES.main, channelId: shop, seen: 0 },
    { to: OWN_PHONES.main, from: OWN_PHONES.shop, channelId: main, seen: 0 },
  ];
  let hops = 0;
  let lastAt = Number.POSITIVE_INFINITY;
  while (Date.now() - lastAt < 2 * QUIET_MS && hops < 2 * TURNS) {
    for (const side of sides) {
      const sent = await stack.network.sent(side.to);
      for (const { text } of sent.slice(side.seen)) {
        const { channelId, from } = side;
        await stack.network.inbound({ channelId, from, text: text ?? '' });
        side.seen++;
        hops++;
        lastAt = Date.now();
      }
    }
    await pause(20);
  }
  return hops;
}

test('D410: two own numbers with main flows do not answer each other', async () => {
  await stack.send(org.key, { channelId: org.main, phone: OWN_PHONES.shop, text: 'Teste' });
  assert.equal(await relay(org), 1, 'the message itself is all that is said');
});

test('D410: a start by the API for an own number is skipped', async () => {
  const contact = contactFixtureOf(stack, org, '5511940002000');
  const started = await contact.start('main', { phone: OWN_PHONES.shop });
  assert.equal(started.status, 409);
  assert.equal(Reflect.get(Object(started.json), 'data').result, 'skipped');
});

async function notesOf(phone: string) {
  const conversation = await conversationOf(phone, org.main);
  if (!conversation) return [];
  const path = `/api/v1/messages?conversationId=${conversation.id}&includeNotes=true&limit=200`;
  const { json } = await stack.call('GET', path, { key: org.key });
  const { data } = v.parse(ListMessagesAnswer, json);
  return data.filter(({ direction }) => direction === 'note');
}

/** A bot answers everything at once, until a note says why nothing comes any more. */
async function talk(phone: string): Promise<void> {
  let said = 0;
  const says = (text: string) => {
    const id = `wamid.${phone}.${text}`;
    const takes = () =>
      stack.network.inbound({ channelId: org.main, from: phone, text, id }).then(
        () => true,
        () => false,
      );
    return waitFor(takes, { what: 'the service takes it' });
  };
  await says('0');
  const isNoted = async () => {
    const { length } = await stack.network.sent(phone);
    while (said < length) await says(`${++said}`);
    return (await notesOf(phone)).length > 0;
  };
  await waitFor(isNoted, { what: 'the note' });
}

test('D411: another bot is answered ten times, and a note says why no more', async () => {
  const phone = freshPhone();
  await talk(phone);
  const notes = await notesOf(phone);
  assert.equal(notes.length, 1);
  assert.match(notes[0]?.text ?? '', /^Automação pausada por 30 minutos: o fluxo "Principal"/);
  const { length } = await stack.network.sent(phone);
  // The first greeting answers no quick message; on a slow machine others do not either.
  assert.ok(length > TURNS, `${length} messages`);
  await stack.network.inbound({ channelId: org.main, from: phone, text: 'ainda aí?' });
  await pause(QUIET_MS);
  assert.equal((await stack.network.sent(phone)).length, length);
});

test('D411: turns are counted over a crash of the actors, and the note is written', async () => {
  const phone = freshPhone();
  const begun = async () => (await stack.network.sent(phone)).length >= 4;
  const killed = waitFor(begun, { what: 'turns' }).then(() => killHard(stack, 'actors'));
  await talk(phone);
  await killed;
  assert.equal((await notesOf(phone)).length, 1);
});
