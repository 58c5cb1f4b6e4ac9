/**
 * D429, D430: events of conversations and contacts, subscribed by name: each change is told once,
 * whoever made it.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as v from 'valibot';
import { EVENT_DATA } from '../../../shared/api/event.ts';
import { freshPhone } from '../../support/api.ts';
import { named } from '../../support/applied.ts';
import { useOrganizations, useStack, useSubscriber } from '../../support/stack-hooks.ts';
import type { Received } from '../../support/stand-ins/subscriber.ts';
import { waitUntil } from '../../support/wait-for.ts';

const OF_CONVERSATION = [
  'conversation.assigned',
  'conversation.resolved',
  'conversation.reopened',
] as const;
const OF_CONTACT = ['contact.created', 'contact.updated'] as const;
const MEMBERS = [
  { ref: 'ana', name: 'Ana' },
  { ref: 'bia', name: 'Bia' },
];
const FLOW = {
  ...{ ref: 'passa', name: 'Passa', enabled: true },
  triggers: [{ on: 'keyword', keyword: 'passa' }],
  steps: [
    { id: 'dono', do: 'assign', member: 'bia', next: 'campo' },
    { id: 'campo', do: 'set', fields: { plano: 'ouro' }, next: 'fim' },
    { id: 'fim', do: 'end', status: 'resolved' },
  ],
};

const stack = useStack();
const subscriber = useSubscriber();
const { shop } = useOrganizations(stack, () => {
  const to = (ref: string, events: readonly string[]) => {
    return { ref, url: `${subscriber.url}/${ref}`, events };
  };
  const subscriptions = [
    to('conversations', OF_CONVERSATION),
    to('contacts', OF_CONTACT),
    to('star', ['*']),
  ];
  return { shop: { subscriptions, more: { members: MEMBERS, flows: [FLOW] } } };
});

const member = (ref: string) => named(shop.applied.members, ref);

/** So many events about one thing, in the order of the changes, and no more of them. */
async function events(path: string, about: string, count: number): Promise<readonly Received[]> {
  const found = () => subscriber.at(path).filter(({ bytes }) => bytes.includes(about));
  await waitUntil(`${count} events about ${about}`, () => found().length >= count);
  const arrived = found().toSorted((a, b) => time(a) - time(b));
  assert.equal(arrived.length, count, arrived.map(({ event }) => event).join());
  for (const { event, data } of arrived) {
    const [name] = [...OF_CONVERSATION, ...OF_CONTACT].filter((each) => each === event);
    assert.ok(name && v.is(EVENT_DATA[name], data), JSON.stringify(data));
  }
  return arrived;
}

function time({ data }: Received): number {
  return Date.parse(String(data.occurredAt));
}

/** What an event says, without the record. */
function told({ event, data }: Received): Readonly<Record<string, unknown>> {
  const { conversation: _c, contact: _o, occurredAt: _a, ...rest } = data;
  return { event, ...rest };
}

async function begun(phone = freshPhone()): Promise<string> {
  const body = { channelId: shop.main, phone, text: 'Olá' };
  return (await stack.send(shop.key, body)).conversationId;
}

async function change(id: string, body: object): Promise<void> {
  const answer = await stack.call('POST', `/api/v1/conversations/${id}`, { key: shop.key, body });
  assert.equal(answer.status, 200, answer.text);
}

async function save(phone: string, body: object): Promise<void> {
  const answer = await stack.call('POST', '/api/v1/contacts', {
    key: shop.key,
    body: { phone, ...body },
  });
  assert.ok(answer.status < 300, answer.text);
}

function write(from: string, text: string, name?: string): Promise<unknown> {
  const written = { channelId: shop.main, from, text };
  return stack.network.inbound(name === undefined ? written : { ...written, name });
}

describe('a conversation', () => {
  test('is assigned, resolved and opened by the API, each told once', async () => {
    const id = await begun();
    await change(id, { assignedTo: member('ana') });
    await change(id, { assignedTo: member('ana'), status: 'open' });
    await change(id, { assignedTo: member('bia') });
    await change(id, { status: 'resolved' });
    await change(id, { status: 'open' });
    const arrived = await events('/conversations', id, 4);
    const by = { memberId: null, origin: 'api' };
    const assigned = { event: 'conversation.assigned', ...by };
    assert.deepEqual(arrived.map(told), [
      { ...assigned, fromMemberId: null, toMemberId: member('ana') },
      { ...assigned, fromMemberId: member('ana'), toMemberId: member('bia') },
      { event: 'conversation.resolved', ...by },
      { event: 'conversation.reopened', ...by },
    ]);
    const answer = await stack.call('GET', `/api/v1/conversations/${id}`, { key: shop.key });
    assert.deepEqual(arrived.at(-1)?.data.conversation, Object(answer.json).data);
  });

  test('is told of twice where one call changes both', async () => {
    const id = await begun();
    await change(id, { assignedTo: member('ana'), status: 'resolved' });
    const names = (await events('/conversations', id, 2)).map(({ event }) => event);
    assert.deepEqual(names.toSorted(), ['conversation.assigned', 'conversation.resolved']);
  });

  test('is opened by the contact’s message, and changed by a flow and the operator', async () => {
    const phone = freshPhone();
    const id = await begun(phone);
    await stack.ask('conversations', 'resolve', id);
    await write(phone, 'passa');
    const arrived = await events('/conversations', id, 4);
    const of = (origin: string) => ({ memberId: null, origin });
    assert.deepEqual(arrived.map(told), [
      { event: 'conversation.resolved', ...of('panel') },
      { event: 'conversation.reopened', ...of('contact') },
      {
        ...{ event: 'conversation.assigned', ...of('flow') },
        ...{ fromMemberId: null, toMemberId: member('bia') },
      },
      { event: 'conversation.resolved', ...of('flow') },
    ]);
    const updated = (await events('/contacts', phone, 2)).at(-1);
    const told2 = { event: 'contact.updated', changed: ['fields'], origin: 'flow' };
    assert.deepEqual(updated && told(updated), told2);
  });
});

describe('a contact', () => {
  test('is made and changed by the API; what was so before is told to nobody', async () => {
    const phone = freshPhone();
    await save(phone, { name: 'Maria', tags: ['vip'] });
    await save(phone, { name: 'Maria', tags: ['VIP'], fields: {} });
    await save(phone, { name: 'Ana', email: 'ana@example.com', removeTags: ['vip'] });
    await save(phone, { optIn: false });
    await save(phone, { optIn: false });
    const arrived = await events('/contacts', phone, 3);
    assert.deepEqual(arrived.map(told), [
      { event: 'contact.created', origin: 'api' },
      { event: 'contact.updated', changed: ['name', 'email', 'tags'], origin: 'api' },
      { event: 'contact.updated', changed: ['optIn'], origin: 'api' },
    ]);
    const contact = await stack.contact(shop.key, phone);
    const { updatedAt: _, optOutAt: _o, ...last } = Object(arrived.at(-1)?.data.contact);
    const { updatedAt: _u, optOutAt: _p, ...now } = contact ?? assert.fail();
    assert.deepEqual(last, now);
  });

  test('is made by its own message, and changes by its own word', async () => {
    const phone = freshPhone();
    await write(phone, 'Oi', 'Rui');
    // One event, though the network shows the person by several ids, which are on record first.
    await events('/contacts', phone, 1);
    await write(phone, 'SAIR', 'Rui');
    const arrived = await events('/contacts', phone, 2);
    assert.deepEqual(arrived.map(told), [
      { event: 'contact.created', origin: 'contact' },
      { event: 'contact.updated', changed: ['optIn'], origin: 'contact' },
    ]);
    for (const { data } of arrived) assert.equal(Object(data.contact).name, 'Rui');
  });

  test('is made by a message to it, and gets the name of its first answer', async () => {
    const phone = freshPhone();
    await begun(phone);
    await write(phone, 'Oi', 'Eva');
    assert.deepEqual((await events('/contacts', phone, 2)).map(told), [
      { event: 'contact.created', origin: 'api' },
      { event: 'contact.updated', changed: ['name'], origin: 'contact' },
    ]);
  });

  test('is made by the inbound webhook', async () => {
    const phone = freshPhone();
    const path = `/api/webhooks/channel/${shop.main}`;
    const body = { phone, name: 'Lia' };
    assert.ok((await stack.call('POST', path, { key: shop.key, body })).status < 300);
    const [made] = await events('/contacts', phone, 1);
    assert.deepEqual(made && told(made), { event: 'contact.created', origin: 'webhook' });
  });
});

test('none of them is part of `*`', async () => {
  const phone = freshPhone();
  await change(await begun(phone), { status: 'resolved' });
  await events('/contacts', phone, 1);
  const names = new Set<string>([...OF_CONVERSATION, ...OF_CONTACT]);
  assert.ok(subscriber.at('/star').every(({ event }) => !names.has(event)));
});
