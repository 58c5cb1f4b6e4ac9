import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contactFixtureOf } from '../../../../support/actors/conversation/flow/contact-fixture.ts';
import { assertRefused, freshPhone, issuePaths } from '../../../../support/api.ts';
import { named } from '../../../../support/applied.ts';
import { WELCOME } from '../../../../support/example-file.ts';
import { useOrganizations, useStack } from '../../../../support/stack-hooks.ts';
import { waitUntil } from '../../../../support/wait-for.ts';

const FLOWS = [
  WELCOME,
  {
    ref: 'survey',
    name: 'Pesquisa',
    triggers: [{ on: 'keyword', keyword: 'pesquisa' }],
    steps: [
      { id: 'q', do: 'send', text: 'Gostou?', next: 'a' },
      { id: 'a', do: 'wait', saveAs: 'liked', next: 'c' },
      {
        id: 'c',
        do: 'choose',
        cases: [
          { when: { answer: 'liked', equals: 'sim' }, next: 'yes' },
          { when: { answer: 'liked', starts: 'nao' }, next: 'no' },
        ],
        else: 'q',
      },
      { id: 'yes', do: 'send', text: 'Que bom, você disse {{answers.liked}}.', next: 'end' },
      { id: 'no', do: 'send', text: 'Que pena, {{org.name}} agradece.', next: 'end' },
      { id: 'end', do: 'end', status: 'resolved' },
    ],
  },
  {
    ref: 'patience',
    name: 'Paciência',
    channel: 'main',
    steps: [
      { id: 'one', do: 'send', text: 'um', next: 'rest' },
      { id: 'rest', do: 'delay', for: '700ms', next: 'two' },
      { id: 'two', do: 'send', text: 'dois', next: 'ask' },
      { id: 'ask', do: 'wait', timeout: '2500ms', next: 'three', onTimeout: 'late' },
      { id: 'three', do: 'send', text: 'três', next: 'end' },
      { id: 'late', do: 'send', text: 'tarde', next: 'end' },
      { id: 'end', do: 'end' },
    ],
  },
  {
    ref: 'typing',
    name: 'Aos poucos',
    steps: [
      { id: 'q', do: 'send', text: 'Conte.', next: 'a' },
      { id: 'a', do: 'wait', saveAs: 'told', debounce: '1500ms', next: 'r' },
      { id: 'r', do: 'send', text: '<{{answers.told}}>', next: 'end' },
      { id: 'end', do: 'end' },
    ],
  },
  { ref: 'off', name: 'Desligado', enabled: false, steps: [{ id: 'end', do: 'end' }] },
  { ref: 'shop', name: 'Loja', channel: 'shop', steps: [{ id: 'end', do: 'end' }] },
  {
    ref: 'main',
    name: 'Principal',
    isMain: true,
    steps: [
      { id: 'hi', do: 'send', text: 'Menu', next: 'w' },
      { id: 'w', do: 'wait', next: 'bye' },
      { id: 'bye', do: 'send', text: 'Tchau', next: 'end' },
      { id: 'end', do: 'end' },
    ],
  },
];

const stack = useStack();
const { org } = useOrganizations(stack, { org: { more: { tags: ['vip'], flows: FLOWS } } });

async function started(flow: string) {
  const fixture = contactFixtureOf(stack, org);
  await fixture.start(flow);
  return fixture;
}

test('section 4: flows are listed by name, a channel key sees its own and those of any', async () => {
  const names = async (key: string, query = '') => {
    const { status, json, text } = await stack.call('GET', `/api/v1/flows${query}`, { key });
    assert.equal(status, 200, text);
    return (Reflect.get(Object(json), 'data') as { name: string }[]).map(({ name }) => name);
  };
  const all = [
    'Aos poucos',
    'Boas-vindas',
    'Desligado',
    'Loja',
    'Paciência',
    'Pesquisa',
    'Principal',
  ];
  assert.deepEqual(await names(org.key), all);
  assert.deepEqual(
    await names(org.key, '?enabled=true'),
    all.filter((each) => each !== 'Desligado'),
  );
  assert.deepEqual(
    await names(org.mainKey),
    all.filter((each) => each !== 'Loja'),
  );
  const { json } = await stack.call('GET', '/api/v1/flows', { key: org.key });
  const [first] = Reflect.get(Object(json), 'data') as object[];
  assert.deepEqual(Object.keys(first ?? {}), [
    'id',
    'name',
    'enabled',
    'channelId',
    'isMain',
    'updatedAt',
  ]);
});

test('section 4: a start puts the conversation inside the flow; the end leaves it open', async () => {
  const fixture = contactFixtureOf(stack, org);
  await stack.call('POST', '/api/v1/contacts', {
    key: org.key,
    body: { phone: fixture.phone, name: 'Maria' },
  });
  const started = await fixture.start('welcome');
  assert.equal(started.status, 201, started.text);
  const data = Reflect.get(Object(started.json), 'data');
  assert.deepEqual(Object.keys(data), ['conversationId', 'flowId', 'result']);
  assert.equal(data.result, 'started');
  assert.deepEqual(await fixture.untilReceived(1), ['Olá Maria!']);
  await fixture.untilStatus('in_flow');
  const again = await fixture.start('welcome');
  assert.equal(again.status, 409);
  assert.equal(Reflect.get(Object(again.json), 'data').result, 'skipped');
  assert.equal(Reflect.get(Object(again.json), 'error'), undefined);
  const [message] = await stack.history(org.key, data.conversationId);
  assert.deepEqual(message?.author, { kind: 'automation', label: 'Boas-vindas' });
  await fixture.send('tudo bem');
  await fixture.untilStatus('open');
  assert.deepEqual(await fixture.received(), ['Olá Maria!']);
});

test('section 4: refusals of a start', async () => {
  const fixture = contactFixtureOf(stack, org);
  assertRefused(await fixture.start('off'), 409);
  assert.deepEqual(issuePaths(await fixture.start('shop')), ['channelId']);
  const path = `/api/v1/flows/${named(org.applied.flows, 'shop')}/start`;
  const body = { phone: fixture.phone };
  assertRefused(await stack.request('POST', path, { key: org.mainKey, body }), 403);
  const unknown = await stack.call('POST', '/api/v1/flows/flw_none/start', {
    key: org.mainKey,
    body,
  });
  assertRefused(unknown, 404);
  assert.deepEqual(issuePaths(await fixture.start('welcome', { phone: '123' })), ['phone']);
  assert.equal(await fixture.status(), undefined, 'nothing was made');
});

test('a choice follows the answer, whatever its case and accents; the end resolves', async () => {
  const fixture = await started('survey');
  await fixture.untilReceived(1);
  await fixture.send('talvez');
  await fixture.untilReceived(2);
  await fixture.send(' NÃO mesmo ');
  assert.deepEqual(await fixture.untilReceived(3), [
    'Gostou?',
    'Gostou?',
    `Que pena, Loja ${org.ref} agradece.`,
  ]);
  await fixture.untilStatus('resolved');
});

test('a delay passes, a wait times out', async () => {
  const fixture = await started('patience');
  assert.deepEqual(await fixture.untilReceived(3), ['um', 'dois', 'tarde']);
  await fixture.untilStatus('open');
});

test('an answer before the timeout takes the other way', async () => {
  const fixture = await started('patience');
  await fixture.untilReceived(2);
  await fixture.send('aqui');
  assert.deepEqual(await fixture.untilReceived(3), ['um', 'dois', 'três']);
});

test('an answer typed in several messages is gathered', async () => {
  const fixture = await started('typing');
  await fixture.untilReceived(1);
  for (const text of ['eu', 'queria', 'dizer']) await fixture.send(text);
  assert.deepEqual(await fixture.untilReceived(2), ['Conte.', '<eu\nqueria\ndizer>']);
});

test('a keyword starts its flow, anything else the main one', async () => {
  const fixture = contactFixtureOf(stack, org);
  await fixture.send('oi');
  await fixture.untilReceived(1);
  await fixture.send('Pesquisa');
  assert.deepEqual(
    await fixture.untilReceived(2),
    ['Menu', 'Tchau'],
    'the running flow takes the answer',
  );
  await fixture.untilStatus('open');
  await fixture.send('Pesquisa');
  await fixture.untilReceived(3);
  await fixture.send('sim');
  assert.deepEqual(await fixture.untilReceived(4), [
    'Menu',
    'Tchau',
    'Gostou?',
    'Que bom, você disse sim.',
  ]);
});

test('a tag starts its flow in the contact’s conversation, once', async () => {
  const fixture = contactFixtureOf(stack, org);
  await stack.send(org.key, { channelId: org.main, phone: fixture.phone, text: 'antes' });
  const tag = () =>
    stack.call('POST', '/api/v1/contacts', {
      key: org.key,
      body: { phone: fixture.phone, name: 'Rui', tags: ['VIP'] },
    });
  await tag();
  assert.deepEqual(await fixture.untilReceived(2), ['antes', 'Olá Rui!']);
  await fixture.send('oi');
  await fixture.untilStatus('open');
  await tag();
  assert.deepEqual(await fixture.received(), ['antes', 'Olá Rui!']);
});

test('an opt-out stops the flow, and no other starts', async () => {
  const fixture = await started('survey');
  await fixture.untilReceived(1);
  const out = { phone: fixture.phone, optIn: false };
  await stack.call('POST', '/api/v1/contacts', { key: org.key, body: out });
  await fixture.untilStatus('open');
  assert.equal((await fixture.start('survey')).status, 409);
  await fixture.send('sim');
  await waitUntil('the message has come', async () => {
    const { data } = await stack.conversations(org.key, '?limit=200');
    return data.find(({ contact }) => contact.phone === fixture.phone)?.unread === 1;
  });
  assert.deepEqual(await fixture.received(), ['Gostou?']);
});

test('SAIR stops the flow with the very message', async () => {
  const fixture = await started('survey');
  await fixture.untilReceived(1);
  await fixture.send('SAIR');
  await fixture.untilStatus('open');
  assert.deepEqual(await fixture.received(), ['Gostou?']);
});

test('invariant 6: of 50 starts at once one is started, 49 are skipped', async () => {
  const fixture = contactFixtureOf(stack, org, freshPhone());
  const start = () => fixture.start('survey');
  const starts = await Promise.all(Array.from({ length: 50 }, start));
  const count = (wanted: number) => starts.filter(({ status }) => status === wanted).length;
  assert.deepEqual([count(201), count(409)], [1, 49]);
  assert.deepEqual(await fixture.untilReceived(1), ['Gostou?']);
});
