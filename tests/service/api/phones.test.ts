/**
 * A phone that the API shows leads to the person it was shown of, however it is given back (C2.4,
 * D308). Bare digits may be a contact's foreign number and a national one of somebody else.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as v from 'valibot';
import { ListContactsAnswer } from '../../../shared/api/contact.ts';
import { assertStatus, parseAnswer } from '../../support/api/answers.ts';
import { assertRefused, freshPhone, issuePaths } from '../../support/api.ts';
import { useOrganizations, useStack } from '../../support/stack-hooks.ts';
import { waitUntil } from '../../support/wait-for.ts';

/** Asks, and answers what the contact has said. */
const ASKING = {
  ...{ ref: 'asking', name: 'Pergunta', channel: 'main', triggers: [] },
  steps: [
    { id: 'ask', do: 'send', text: '¿Su nombre?', next: 'hear' },
    { id: 'hear', do: 'wait', saveAs: 'name', next: 'greet' },
    { id: 'greet', do: 'send', text: 'Hola {{answers.name}}', next: null },
  ],
};

const stack = useStack();
const { a, b, ar, de, mx } = useOrganizations(stack, {
  a: {},
  b: {},
  ar: { more: { country: 'AR' } },
  de: { more: { country: 'DE' } },
  mx: { more: { country: 'MX', flows: [ASKING] } },
});

type Org = typeof a;

let numbers = 0;

/** A mobile in Peru whose digits are also a mobile of area 51 in Brazil. */
function peruvian(): string {
  numbers += 1;
  return `519876${String(10_000 + numbers)}`;
}

/** The contact writes, and is on record. */
async function writes(from: string, { text = 'oi', org = a } = {}): Promise<void> {
  await stack.network.inbound({ channelId: org.main, from, text });
}

async function list(query: string, { key }: Org = a) {
  const answer = await stack.call('GET', `/api/v1/contacts?${query}`, { key });
  return parseAnswer(answer, ListContactsAnswer);
}

async function phonesOf(query: string, org: Org = a): Promise<readonly string[]> {
  return (await list(query, org)).data.map(({ phone }) => phone);
}

async function idOf(phone: string, org: Org = a): Promise<string> {
  const { data } = await list(`phone=${encodeURIComponent(`+${phone}`)}`, org);
  assert.equal(data.length, 1, `${phone} is one contact`);
  return data[0]?.id ?? '';
}

/** Every call of the API that names a person by a phone and changes something. */
const WRITES: readonly (readonly [
  string,
  (phone: string, org: Org) => readonly [string, object],
])[] = [
  ['a message', (phone, org) => ['/api/v1/messages', { phone, text: 'olá', channelId: org.main }]],
  ['an upsert', (phone) => ['/api/v1/contacts', { phone, optIn: false }]],
  ['a deal', (phone) => ['/api/v1/deals', { phone, title: 'Plano' }]],
  ['a task', (phone) => ['/api/v1/tasks', { phone, title: 'Ligar' }]],
  ['an inbound webhook', (phone, org) => [`/api/webhooks/channel/${org.main}`, { phone }]],
];

describe('bare digits that are a contact’s number and a stranger’s', () => {
  test('find the contact whose number is shown so', async () => {
    const shown = peruvian();
    await writes(shown);
    assert.deepEqual(await phonesOf(`phone=${shown}`), [shown]);
    assert.deepEqual(await phonesOf(`phone=${shown}`, b), [], 'of this organization alone');
  });

  for (const [what, callOf] of WRITES.slice(0, 4)) {
    test(`${what} reaches the contact whose number is shown so`, async () => {
      const shown = peruvian();
      await writes(shown);
      const id = await idOf(shown);
      const [path, body] = callOf(shown, a);
      const answer = await stack.call('POST', path, { key: a.key, body });
      assert.ok(answer.status < 300, answer.text);
      assert.deepEqual(await phonesOf(`phone=${encodeURIComponent(`+55${shown}`)}`), []);
      if (what === 'a message') {
        const { data } = await stack.conversations(a.key, `?contactId=${id}`);
        assert.equal(data[0]?.lastMessagePreview, 'olá');
      } else assert.ok(answer.text.includes(id), answer.text);
    });
  }

  for (const [what, callOf] of WRITES) {
    test(`${what} is refused where both are contacts, with both numbers`, async () => {
      const shown = peruvian();
      await writes(shown);
      await writes(`55${shown}`);
      const [path, body] = callOf(shown, a);
      const answer = await stack.call('POST', path, { key: a.key, body });
      assertRefused(answer, 422);
      assert.deepEqual(issuePaths(answer), ['phone']);
      assert.ok(answer.text.includes(`+${shown} ou +55${shown}`), answer.text);
      assert.deepEqual(await phonesOf(`phone=${shown}`), [shown], 'a read gives the exact one');
    });
  }

  test('a form’s digits are refused where they would reach the foreign contact', async () => {
    const shown = peruvian();
    const hook = (phone: string) =>
      stack.call('POST', `/api/webhooks/channel/${a.main}`, { key: a.key, body: { phone } });
    await writes(shown);
    assertRefused(await hook(shown), 422);
    assertStatus(await hook(`+${shown}`), 200);
    assertStatus(await hook(`(51) ${shown.slice(2)}`), 201);
  });

  test('are read nationally where nobody has the foreign number', async () => {
    const national = peruvian();
    const { contactId } = await sendTo(national);
    assert.equal(contactId, await idOf(`55${national}`));
  });

  test('a repeat under an Idempotency-Key keeps its first reading', async () => {
    const national = peruvian();
    const call = {
      key: a.key,
      body: { phone: national, text: 'olá', channelId: a.main },
      headers: { 'idempotency-key': `first-reading-${national}` },
    };
    const first = await stack.call('POST', '/api/v1/messages', call);
    await writes(national);
    const again = await stack.call('POST', '/api/v1/messages', call);
    assert.equal(again.text, first.text);
    assert.equal((await stack.conversations(a.key)).data[0]?.contact.phone, national);
  });

  test('are what was shown in an organization of another country too', async () => {
    for (const shown of ['5511987650001', '4915123456789']) {
      await writes(shown, { org: de });
      assert.deepEqual(await phonesOf(`phone=${shown}`, de), [shown]);
    }
    assert.deepEqual(await phonesOf('phone=0151%2023456789', de), ['4915123456789']);
  });
});

async function sendTo(phone: string, org: Org = a) {
  const sent = await stack.send(org.key, { phone, text: 'olá', channelId: org.main });
  const { data } = await stack.conversations(org.key);
  const conversation = data.find(({ id }) => id === sent.conversationId);
  assert.ok(conversation, 'the conversation is listed');
  return { ...sent, contactId: conversation.contact.id, phone: conversation.contact.phone };
}

test('a number that metadata call impossible is addressable as the network shows it', async () => {
  const shown = '22507123456';
  await writes(shown);
  const id = await idOf(shown);
  for (const phone of [shown, `+${shown}`, `00${shown}`]) {
    assert.deepEqual(await phonesOf(`phone=${encodeURIComponent(phone)}`), [shown]);
    assert.equal((await sendTo(phone)).contactId, id);
  }
  assertRefused(
    await stack.call('POST', '/api/v1/contacts', { key: b.key, body: { phone: `+${shown}` } }),
    422,
  );
});

async function textsTo(account: string) {
  return (await stack.network.sent(account)).map(({ text }) => text);
}

describe('one person with two spellings of a number', () => {
  test('in Mexico is one contact and one conversation, shown without the 1', async () => {
    const sent = await sendTo('+52 55 1234 5678', mx);
    await writes('5215512345678', { org: mx });
    for (const query of ['525512345678', '5215512345678', '%2B52%201%2055%201234%205678']) {
      assert.equal((await list(`query=${query}`, mx)).total, 1, query);
    }
    const { data } = await stack.conversations(mx.key, `?contactId=${sent.contactId}`);
    assert.deepEqual(
      data.map(({ id, contact }) => [id, contact.phone]),
      [[sent.conversationId, '525512345678']],
    );
    const reply = await sendTo('+5215512345678', mx);
    assert.equal(reply.conversationId, sent.conversationId);
    await waitUntil('the reply goes to the id that the network uses', async () =>
      (await stack.network.sent('5215512345678')).some(({ text }) => text === 'olá'),
    );
  });

  test('continues the run that began under the other one', async () => {
    const { json } = await stack.call('GET', '/api/v1/flows', { key: mx.key });
    const { data } = v.parse(v.object({ data: v.array(v.object({ id: v.string() })) }), json);
    const body = { channelId: mx.main, phone: '+52 55 1234 9999' };
    const path = `/api/v1/flows/${data[0]?.id}/start`;
    assertStatus(await stack.call('POST', path, { key: mx.key, body }), 201);
    await waitUntil('the question', async () => (await textsTo('5215512349999')).length === 1);
    await writes('5215512349999', { text: 'Rosa', org: mx });
    await waitUntil('the run goes on', async () =>
      (await textsTo('5215512349999')).includes('Hola Rosa'),
    );
  });

  test('in Argentina is one contact, shown as it was seen first', async () => {
    const sent = await sendTo('+54 11 5555-1234');
    await writes('5491155551234', { text: 'SAIR' });
    await waitUntil('opted out', async () => {
      const [contact] = (await list(`phone=${encodeURIComponent('+5491155551234')}`)).data;
      return contact?.id === sent.contactId && contact.optOutAt !== null;
    });
    assert.equal((await sendTo('+5491155551234')).conversationId, sent.conversationId);
    assert.equal(sent.phone, '541155551234');
    for (const query of ['1155551234', '%2B541155551234', '%2B5491155551234']) {
      assert.deepEqual(await phonesOf(`query=${query}`), ['541155551234'], query);
    }
  });
});

describe('formatting', () => {
  test('any of it is accepted', async () => {
    const phone = freshPhone();
    await writes(phone);
    const [area, first, second] = [phone.slice(2, 4), phone.slice(4, 9), phone.slice(9)];
    const written = [
      `(0xx${area}) ${first}-${second}`,
      `0055 (${area}) ${first}-${second}`,
      `tel:+55${area}${first}${second}`,
      `+55 ${area} ${first}\u2013${second}`,
      `${area}\u00a0${first}\u2011${second}`,
      `\u202a+55${area}${first}${second}\u202c`,
      [...`${area}${first}${second}`]
        .map((each) => String.fromCharCode(each.charCodeAt(0) + 0xfee0))
        .join(''),
    ];
    for (const each of written) {
      const body = { phone: each };
      const answer = await stack.call('POST', '/api/v1/contacts', { key: a.key, body });
      assertStatus(answer, 200);
      assert.deepEqual(await phonesOf(`phone=${encodeURIComponent(each)}`), [phone], each);
    }
    assert.deepEqual(await phonesOf(`phone=+${phone}`), [phone], 'a + that arrives as a space');
  });

  test('a search compares phones by their digits', async () => {
    const phone = freshPhone();
    await writes(phone);
    const [area, eight] = [phone.slice(2, 4), phone.slice(5)];
    for (const query of [
      `(${area}) 9${eight.slice(0, 4)}-${eight.slice(4)}`,
      `9${eight.slice(0, 4)}-${eight.slice(4)}`,
      `+55 ${area} 9${eight}`,
      `${area} ${eight.slice(0, 4)}-${eight.slice(4)}`,
      `+55 (${area}) ${eight}`,
    ]) {
      assert.deepEqual(await phonesOf(`query=${encodeURIComponent(query)}`), [phone], query);
    }
    assert.ok((await phonesOf('query=%2B55+11')).length > 0);
    assert.ok((await phonesOf('query=+55+11')).length > 0, 'a plus that arrives as a space');
  });

  test('a search reads a phone as the organization’s country writes it', async () => {
    const [mobile, withoutNine] = ['5491123456789', '541123450000'];
    for (const from of [mobile, withoutNine]) await writes(from, { org: ar });
    for (const query of ['011 15 2345-6789', '(011) 15-2345-6789', '011 15 2345-6789 ']) {
      assert.deepEqual(await phonesOf(`query=${encodeURIComponent(query)}`, ar), [mobile], query);
    }
    assert.deepEqual(await phonesOf('query=011+15+2345-0000', ar), [withoutNine]);
    await writes(mobile, { org: b });
    assert.deepEqual(await phonesOf('query=011+15+2345-6789', b), [], 'in Brazil it is no phone');
  });
});
