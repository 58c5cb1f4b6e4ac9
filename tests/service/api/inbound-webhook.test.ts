/** C4.20, the inbound webhook: contact, message and flow in one call. */
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import * as v from 'valibot';
import { InboundAnswer, InboundContractAnswer } from '../../../shared/api/inbound.ts';
import { parseAnswer } from '../../support/api/answers.ts';
import { type Answer, assertRefused, freshPhone, issuePaths } from '../../support/api.ts';
import { named } from '../../support/applied.ts';
import {
  ACCOUNT_KEY,
  MAIN,
  startGateway,
  UNKNOWN_KEY,
} from '../../support/gateway/gateway-fixture.ts';
import { type Organization, organizationFile } from '../../support/organization.ts';
import { useOrganizations, useStack } from '../../support/stack-hooks.ts';

const STEPS = [
  { id: 'hi', do: 'send', text: 'Olá', next: 'done' },
  { id: 'done', do: 'end' },
];
const FLOWS = [
  { ref: 'off', name: 'Desligado', enabled: false, channel: null, steps: STEPS },
  { ref: 'elsewhere', name: 'Só na loja', enabled: true, channel: 'shop', steps: STEPS },
];

const stack = useStack();
const { a, b, asleep } = useOrganizations(stack, {
  a: { more: { flows: FLOWS } },
  b: {},
  asleep: {},
});
before(async () => {
  const file = organizationFile(asleep.ref);
  const channels = file.channels.map((channel) => ({ ...channel, enabled: false }));
  await stack.apply({ orgs: [{ ...file, channels }] });
});

interface HookOptions {
  readonly of?: Organization;
  readonly key?: string;
  readonly channel?: string;
}

function hook(body: unknown, { of = a, key = of.mainKey, channel = of.main }: HookOptions = {}) {
  return stack.request('POST', `/api/webhooks/channel/${channel}`, { key, body });
}

function dataOf(answer: Answer, status: number) {
  assert.equal(answer.status, status, answer.text);
  return v.parse(InboundAnswer, answer.json).data;
}

describe('the contact', () => {
  test('section 4: 201 creates, 200 updates; tags, fields and opt-in of origin webhook', async () => {
    const phone = freshPhone();
    const fields = { name: 'Ana', email: 'ana@example.com', fields: { plano: 'ouro' } };
    const body = { phone: `+${phone}`, ...fields, tags: ['Vip'], optIn: true };
    const first = dataOf(await hook(body), 201);
    assert.deepEqual(Object.keys(first), ['contactId', 'created', 'channelId']);
    assert.deepEqual([first.created, first.channelId], [true, a.main]);
    const again = dataOf(await hook({ phone, fields: { cidade: 'Recife' }, tags: ['vip'] }), 200);
    assert.deepEqual(again, { ...first, created: false });
    const contact = await stack.contact(a.key, phone);
    assert.equal(contact?.id, first.contactId);
    assert.deepEqual([contact?.name, contact?.email], ['Ana', 'ana@example.com']);
    assert.deepEqual(contact?.fields, { plano: 'ouro', cidade: 'Recife' });
    assert.deepEqual([contact?.tags, contact?.optIn, contact?.source], [['Vip'], true, 'webhook']);
    const { total } = await stack.conversations(a.key, `?contactId=${first.contactId}`);
    assert.equal(total, 0, 'nothing but the contact was asked for');
  });

  test('section 8: what is wrong is told at once, keys of fields included, and saves nothing', async () => {
    const phone = freshPhone();
    const fields = { ['k'.repeat(61)]: 'v', ok: 'x'.repeat(501) };
    const body = { phone, name: 'n'.repeat(121), fields, message: '', flowId: 'f', optIn: 'yes' };
    const paths = issuePaths(await hook(body));
    assert.deepEqual(paths, [`fields.${'k'.repeat(61)}`, 'fields.ok', 'message', 'name', 'optIn']);
    const both = await hook({ phone, message: 'oi', flowId: 'f' });
    assert.deepEqual(issuePaths(both), ['flowId']);
    assert.deepEqual(issuePaths(await hook({ phone: '123' })), ['phone']);
    assertRefused(await hook('{"phone":'), 400);
    assert.equal(await stack.contact(a.key, phone), null);
    const longest = { phone, fields: { ['😀'.repeat(60)]: 'ok' } };
    dataOf(await hook(longest), 201);
  });
});

describe('the message', () => {
  test('section 4: is sent through the channel as automation and answered 201', async () => {
    const phone = freshPhone();
    const data = dataOf(await hook({ phone, message: 'Seu pedido saiu' }), 201);
    const names = ['contactId', 'created', 'channelId', 'conversationId', 'messageId'];
    assert.deepEqual(Object.keys(data), names);
    const { conversationId = '', messageId = '' } = data;
    const sent = await stack.messageIn(a.key, { conversationId, messageId }, 'read');
    assert.deepEqual(sent.author, { kind: 'automation', label: 'Atendimento' });
    assert.deepEqual([sent.direction, sent.text], ['out', 'Seu pedido saiu']);
    assert.equal((await stack.network.sent(phone)).length, 1);
    const again = dataOf(await hook({ phone, message: 'E chegou' }, { key: a.key }), 201);
    assert.deepEqual([again.created, again.conversationId], [false, conversationId]);
  });

  test('section 4: 409 with the reason while the number is not ready; the contact is saved', async () => {
    const phone = freshPhone();
    const body = { phone, name: 'Guardada', message: 'oi' };
    const refusal = assertRefused(await hook(body, { of: asleep }), 409);
    const [channel] = await stack.channels(asleep.mainKey);
    assert.equal(refusal, channel?.reason);
    assert.equal((await stack.contact(asleep.key, phone))?.name, 'Guardada');
    dataOf(await hook({ phone }, { of: asleep }), 200);
  });
});

describe('the flow (decisions: Inbound webhook with flowId)', () => {
  const refused = async (flow: string, status: number) => {
    const phone = freshPhone();
    const answer = await hook({ phone, flowId: flow });
    assert.ok(await stack.contact(a.key, phone), 'the contact is saved');
    return assertRefused(answer, status);
  };

  test('unknown is 404, also where its name is none; another organization’s too', async () => {
    await refused('flw_unknown', 404);
    await refused('não é um id', 404);
    const phone = freshPhone();
    const flowId = named(a.applied.flows, 'off');
    assertRefused(await hook({ phone, flowId }, { of: b }), 404);
  });

  test('disabled is 409 with a reason, of another channel 403 or 422 at flowId', async () => {
    await refused(named(a.applied.flows, 'off'), 409);
    const elsewhere = named(a.applied.flows, 'elsewhere');
    await refused(elsewhere, 403);
    const answer = await hook({ phone: freshPhone(), flowId: elsewhere }, { key: a.key });
    assert.deepEqual(issuePaths(answer), ['flowId']);
  });
});

describe('who may call (contract section 5)', () => {
  test("403 for another channel's key, 404 for another organization's channel, 401 without", async () => {
    const phone = freshPhone();
    assertRefused(await hook({ phone }, { key: a.shopKey }), 403);
    assertRefused(await hook({ phone }, { channel: 'chn_unknown' }), 403);
    assertRefused(await hook({ phone }, { key: b.key }), 404);
    assertRefused(await hook({ phone }, { key: 'no-key-of-anybody-0123456789' }), 401);
    const path = `/api/webhooks/channel/${a.main}`;
    assertRefused(await stack.request('POST', path, { body: { phone } }), 401);
    assert.equal(await stack.contact(a.key, phone), null);
  });
});

describe('the contract of the webhook', () => {
  test('section 4: GET tells it without a key, derived from the validation of the POST', async () => {
    const path = `/api/webhooks/channel/${a.main}`;
    const { data } = parseAnswer(await stack.request('GET', path), InboundContractAnswer);
    assert.deepEqual([data.method, data.url], ['POST', `${stack.baseUrl}${path}`]);
    const schema = v.parse(
      v.looseObject({
        required: v.array(v.string()),
        properties: v.record(v.string(), v.looseObject({ maxLength: v.optional(v.number()) })),
      }),
      data.schema,
    );
    assert.deepEqual(schema.required, ['phone']);
    const properties = ['phone', 'name', 'email', 'message', 'flowId', 'tags', 'fields', 'optIn'];
    assert.deepEqual(Object.keys(schema.properties), properties);
    assert.equal(schema.properties.message?.maxLength, 4096);
    assert.match(JSON.stringify(schema.properties.fields), /"maxLength":60\b/);
    const statuses = data.answers.map(({ status }) => status);
    assert.deepEqual(statuses, [200, 201, 400, 401, 403, 404, 409, 413, 422, 429, 500, 503]);
    const sample = await hook({ ...data.sample, phone: freshPhone() });
    assert.equal(sample.status, 201, 'the sample is accepted');
  });

  test('an unknown channel is 404, another method 405', async () => {
    assertRefused(await stack.request('GET', '/api/webhooks/channel/chn_unknown'), 404);
    const wrong = await stack.request('DELETE', `/api/webhooks/channel/${a.main}`);
    assertRefused(wrong, 405);
    assert.equal(wrong.headers.get('allow'), 'GET, HEAD, POST');
  });
});

describe('without the system (contract section 4)', () => {
  test('503 while the engine cannot be reached, elsewhere 500', async () => {
    await using gateway = await startGateway();
    const path = `/api/webhooks/channel/${MAIN}`;
    const body = { phone: freshPhone() };
    assert.equal((await gateway.send(path, { body })).status, 200);
    gateway.bus.up = false;
    for (const key of [ACCOUNT_KEY, UNKNOWN_KEY]) {
      assert.equal((await gateway.send(path, { key, body })).status, 503);
    }
    assert.equal((await gateway.send(path, { key: null })).status, 503);
    assert.equal((await gateway.send('/api/v1/me')).status, 500);
  });
});
