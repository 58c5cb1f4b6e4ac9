/** Every further step of a flow, on the real service (docs/flows.md). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as v from 'valibot';
import { ListMessagesAnswer } from '../../../../../shared/api/message.ts';
import {
  type ContactFixture,
  contactFixtureOf,
} from '../../../../support/actors/conversation/flow/contact-fixture.ts';
import { assertStatus } from '../../../../support/api/answers.ts';
import { named } from '../../../../support/applied.ts';
import { onFilePort } from '../../../../support/file-ports.ts';
import { pluckRows } from '../../../../support/pluck.ts';
import { useOrganizations, useStack, useUntil } from '../../../../support/stack-hooks.ts';
import { record } from '../../../../support/stand-ins/server.ts';
import { waitUntil } from '../../../../support/wait-for.ts';
import { END, flowsOf, say } from './steps-fixture.ts';

const stack = useStack();
const body = '{"order":{"total":42,"items":["café"]}}';
const server = useUntil(
  () =>
    onFilePort((place) =>
      record(({ path }) => ({ status: path.includes('broken') ? 503 : 200, body }), place),
    ),
  ({ close }) => close(),
);
const { org } = useOrganizations(stack, () => {
  const members = [
    { ref: 'ana', name: 'Ana Souza', email: 'ana@example.com' },
    { ref: 'bia', name: 'Bia Lima' },
  ];
  const tags = ['Novo', 'Lead', 'antigo'];
  const more = { members, tags, flows: flowsOf(server.port) };
  return { org: { more } };
});

async function known(more: Readonly<Record<string, unknown>> = {}): Promise<ContactFixture> {
  const fixture = contactFixtureOf(stack, org);
  const body = { phone: fixture.phone, name: 'Maria', ...more };
  assertStatus(await stack.call('POST', '/api/v1/contacts', { key: org.key, body }), 201);
  return fixture;
}

async function started(flow: string) {
  const fixture = await known();
  await fixture.start(flow);
  return fixture;
}

async function conversationOf(fixture: ContactFixture) {
  const { data } = await stack.conversations(org.key, '?limit=200');
  const found = data.find(({ contact }) => contact.phone === fixture.phone);
  assert.ok(found);
  return found;
}

async function listed(path: string): Promise<Record<string, unknown>[]> {
  const { json } = await stack.request('GET', path, { key: org.key });
  return Reflect.get(Object(json), 'data');
}

test('what a flow changes in the contact is there for its next step', async () => {
  const fixture = await known({ tags: ['Antigo'], fields: { x: 'y' } });
  await fixture.start('contact');
  assert.deepEqual(await fixture.untilReceived(1), ['tudo certo']);
  const contact = await stack.contact(org.key, fixture.phone);
  assert.deepEqual(contact?.tags, ['Novo', 'Lead']);
  assert.deepEqual(contact?.fields, { x: 'y', origem: `Loja ${org.ref}` });
  assert.equal(contact?.optIn, true);
});

test('opting out ends the flow', async () => {
  const fixture = await started('out');
  assert.deepEqual(await fixture.untilReceived(1), ['Até mais.']);
  await fixture.untilStatus('open');
  await waitUntil(
    'the opt-out is recorded',
    async () => (await stack.contact(org.key, fixture.phone))?.optOutAt !== null,
  );
  assert.equal((await fixture.start('ask')).status, 409);
});

test('deals and tasks are made once, moved and closed in order', async () => {
  const fixture = await started('crm');
  await fixture.untilReceived(1);
  const contact = await stack.contact(org.key, fixture.phone);
  const deals = await listed(`/api/v1/deals?contactId=${contact?.id}`);
  const conversation = await conversationOf(fixture);
  assert.deepEqual(pluckRows(deals, 'title', 'valueCents', 'status', 'conversationId'), [
    ['Plano', 990, 'won', conversation.id],
  ]);
  const pipelines = (await listed('/api/v1/pipelines')) as {
    stages: { id: string; name: string }[];
  }[];
  const stage = pipelines[0]?.stages.find(({ id }) => id === deals[0]?.stageId);
  assert.equal(stage?.name, 'Proposta');
  const tasks = await listed(`/api/v1/tasks?contactId=${contact?.id}`);
  assert.deepEqual(pluckRows(tasks, 'title', 'assigneeId', 'dueHasTime'), [
    ['Ligar para Maria', named(org.applied.members, 'ana'), true],
  ]);
});

test('a handoff ends the flow, assigns, notes and pauses automation', async () => {
  const fixture = await started('hand');
  await fixture.untilStatus('open');
  const conversation = await conversationOf(fixture);
  const [ana, bia] = ['ana', 'bia'].map((ref) => named(org.applied.members, ref));
  assert.equal(conversation.assignedTo, bia);
  assert.deepEqual(conversation.participants, [ana, bia]);
  const until = Date.parse(conversation.automationPausedUntil ?? '');
  assert.ok(until > Date.now() + 7_100_000 && until <= Date.now() + 7_200_000);
  const path = `/api/v1/messages?conversationId=${conversation.id}&includeNotes=true`;
  const { json } = await stack.request('GET', path, { key: org.key });
  const [note] = v.parse(ListMessagesAnswer, json).data;
  assert.deepEqual([note?.direction, note?.text], ['note', 'Quer Maria']);
  assert.equal((await fixture.start('ask')).status, 409, 'automation is paused');
});

test('a flow goes over into another one', async () => {
  const fixture = await started('first');
  assert.deepEqual(await fixture.untilReceived(2), ['um', 'dois']);
  await fixture.untilStatus('open');
  const { id } = await conversationOf(fixture);
  const labels = (await stack.history(org.key, id)).map(({ author }) => author.label);
  assert.deepEqual(labels, ['Dois', 'Um']);
});

test('an http step calls with a key of its own, and its answer is used', async () => {
  const fixture = await known({ fields: { token: 'segredo' } });
  await fixture.start('call');
  assert.deepEqual(await fixture.untilReceived(1), ['café 42']);
  const [mine, ...more] = server.arrived.filter(({ path }) => path.includes(fixture.phone));
  assert.ok(mine && more.length === 0, 'once');
  assert.deepEqual(
    [mine.method, mine.path, mine.headers.authorization, mine.bytes.toString('utf8')],
    ['POST', `/ok?phone=${fixture.phone}`, 'Bearer segredo', '{"name":"Maria"}'],
  );
  assert.match(String(mine.headers['idempotency-key']), /^call_\w{22}$/);
});

test('an http step that is not answered 2xx takes the other way', async () => {
  const fixture = await started('broken');
  assert.deepEqual(await fixture.untilReceived(1), ['Sem resposta.']);
});

test('a template that costs too much ends its run and harms nobody', async () => {
  const fixture = await started('costly');
  await fixture.untilStatus('open');
  assert.deepEqual(await fixture.received(), []);
});

test('a person answering pauses the run; after the pause the next message is the answer', async () => {
  const fixture = await started('ask');
  await fixture.untilReceived(1);
  const { id } = await conversationOf(fixture);
  const does = async (...args: readonly string[]) => {
    const ran = await stack.recado(['conversations', ...args]);
    assert.equal(ran.code, 0, ran.stderr);
  };
  await does('reply', id, '--member', 'ana', '--text', 'Sou a Ana');
  await fixture.send('oi Ana');
  await fixture.untilReceived(2);
  await fixture.untilStatus('in_flow');
  await does('resume', id);
  await fixture.send('Rita');
  assert.deepEqual(await fixture.untilReceived(3), ['Nome?', 'Sou a Ana', 'Oi Rita']);
});

test('a member who resolves the conversation ends its run', async () => {
  const fixture = await started('ask');
  await fixture.untilReceived(1);
  const { id } = await conversationOf(fixture);
  await stack.ask('conversations', 'resolve', id);
  await fixture.untilStatus('resolved');
  await stack.ask('conversations', 'resume', id);
  assert.equal((await fixture.start('second')).status, 201, 'another may start');
});

test('the first message starts its flow, the second does not', async () => {
  const fixture = contactFixtureOf(stack, org);
  await fixture.send('olá');
  assert.deepEqual(await fixture.untilReceived(1), ['Bem-vindo']);
  await fixture.untilStatus('open');
  await fixture.send('alguém?');
  await fixture.start('second');
  assert.deepEqual(await fixture.untilReceived(2), ['Bem-vindo', 'dois']);
});

test('a run goes on in the version that it was started in', async () => {
  const fixture = await started('ask');
  await fixture.untilReceived(1);
  const steps = [say('q', 'Outra coisa?'), END];
  await stack.apply({ orgs: [{ ref: org.ref, flows: [{ ref: 'ask', steps }] }] });
  await fixture.send('Eva');
  assert.deepEqual(await fixture.untilReceived(2), ['Nome?', 'Oi Eva']);
  await fixture.start('ask');
  assert.deepEqual(await fixture.untilReceived(3), ['Nome?', 'Oi Eva', 'Outra coisa?']);
});
