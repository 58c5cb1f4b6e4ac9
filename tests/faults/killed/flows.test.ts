/** kill -9 of the process that runs the flows, at every step: each sentence is said once. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type ContactFixture,
  contactFixtureOf,
} from '../../support/actors/conversation/flow/contact-fixture.ts';
import { freshPhone } from '../../support/api.ts';
import { onFilePort } from '../../support/file-ports.ts';
import { killHard } from '../../support/kills.ts';
import { useOrganizations, useStack, useUntil } from '../../support/stack-hooks.ts';
import { json, record } from '../../support/stand-ins/server.ts';
import { waitFor } from '../../support/wait-for.ts';

const IS_GOLD = [{ field: 'plano', equals: 'ouro' }, { tag: 'cliente' }];
/** Every kind of step that waits, asks others or says something. */
const STEPS = [
  { id: 's1', do: 'send', text: 'um', next: 's2' },
  { id: 's2', do: 'send', text: 'dois', next: 'd1' },
  { id: 'd1', do: 'delay', for: '200ms', next: 's3' },
  { id: 's3', do: 'send', text: 'três', next: 'set' },
  { id: 'set', do: 'set', fields: { plano: 'ouro' }, next: 'tag' },
  { id: 'tag', do: 'tag', tags: ['Cliente'], next: 'c1' },
  { id: 'c1', do: 'choose', cases: [{ when: { all: IS_GOLD }, next: 's4' }], else: 'wrong' },
  { id: 'wrong', do: 'send', text: 'errado', next: 's4' },
  { id: 's4', do: 'send', text: 'quatro {{contact.fields.plano}}', next: 'call' },
  { id: 'call', do: 'http', url: '{{contact.fields.url}}', saveAs: 'reply', next: 's5' },
  { id: 's5', do: 'send', text: 'cinco {{answers.reply.word}}', next: 'ask' },
  { id: 'ask', do: 'wait', saveAs: 'said', debounce: '200ms', next: 's6' },
  { id: 's6', do: 'send', text: 'seis {{answers.said}}', next: 'deal' },
  { id: 'deal', do: 'deal', action: 'create', title: 'Negócio {{contact.phone}}', next: 'slow' },
  { id: 'slow', do: 'wait', timeout: '300ms', next: 's7' },
  { id: 's7', do: 'send', text: 'sete', next: 'end' },
  { id: 'end', do: 'end', status: 'resolved' },
];
const BEFORE_ANSWER = ['um', 'dois', 'três', 'quatro ouro', 'cinco certo'];
const ALL = [...BEFORE_ANSWER, 'seis sim', 'sete'];

const flows = [{ ref: 'all', name: 'Tudo', steps: STEPS }];
const stack = useStack();
const { org } = useOrganizations(stack, { org: { more: { tags: ['Cliente'], flows } } });
const server = useUntil(
  () => onFilePort((place) => record(() => json({ word: 'certo' }), place)),
  ({ close }) => close(),
);

/**
 * Resolves when the service sends and hears of it again. Killed without a pause for longer than
 * 12 s it could not hear what the network has accepted, and would send it again (I29).
 */
async function kill(): Promise<void> {
  await killHard(stack, 'actors');
  const canary = { channelId: org.main, phone: freshPhone(), text: 'canário' };
  await stack.messageIn(org.key, await stack.send(org.key, canary), 'read');
}

async function begin(): Promise<ContactFixture> {
  const fixture = contactFixtureOf(stack, org);
  const contact = { phone: fixture.phone, fields: { url: `${server.url}/` } };
  await stack.call('POST', '/api/v1/contacts', { key: org.key, body: contact });
  const started = await fixture.start('all');
  assert.equal(started.status, 201, started.text);
  return fixture;
}

async function finish(fixture: ContactFixture): Promise<void> {
  await fixture.untilReceived(BEFORE_ANSWER.length);
  await fixture.send('sim');
  await saidOnce(fixture);
}

/** In the log of the conversation, and at the network. */
async function saidOnce(fixture: ContactFixture): Promise<void> {
  await fixture.untilStatus('resolved');
  await fixture.untilReceived(ALL.length);
  const { data } = await stack.conversations(org.key, '?limit=200');
  const id = data.find(({ contact }) => contact.phone === fixture.phone)?.id ?? '';
  const history = (await stack.history(org.key, id)).filter(({ direction }) => direction === 'out');
  assert.deepEqual(history.map(({ text }) => text).reverse(), ALL, 'the log says each once');
  assert.deepEqual(await fixture.received(), ALL, 'the network was given each once');
}

test('killed after each sentence in turn, a run says every sentence once', async () => {
  const others: ContactFixture[] = [];
  for (let heard = 0; heard < BEFORE_ANSWER.length; heard++) {
    const fixture = await begin();
    others.push(fixture);
    if (heard > 0) await fixture.untilReceived(heard);
    await kill();
  }
  for (const fixture of others) await fixture.untilReceived(BEFORE_ANSWER.length);
  for (const [index, fixture] of others.entries()) {
    await fixture.send('sim');
    if (index < 2) await kill();
  }
  for (const fixture of others) await saidOnce(fixture);
  const deals = await stack.call('GET', '/api/v1/deals?limit=200', { key: org.key });
  const { data } = deals.json as { data: { title: string }[] };
  const titles = others.map(({ phone }) => `Negócio ${phone}`).sort();
  assert.deepEqual(data.map(({ title }) => title).sort(), titles, 'one deal each');
  const keys = new Set(server.arrived.map(({ headers }) => headers['idempotency-key']));
  assert.equal(keys.size, others.length, 'one idempotency key per visit');
});

test('killed again and again while many runs are under way, none is lost or doubled', async () => {
  const fixtures = await Promise.all(Array.from({ length: 12 }, begin));
  for (let round = 0; round < 3; round++) {
    await waitFor(async () => (await stack.network.sent()).length > round * 12, {
      what: 'something is said',
    });
    await kill();
  }
  await Promise.all(fixtures.map(finish));
});
