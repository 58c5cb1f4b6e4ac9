/** D326: a caller sees which names of a request had no effect. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import {
  ACCOUNT_KEY,
  type Fixture,
  LIMITED_KEY,
  MAIN,
  REVOKED_KEY,
  startGateway,
} from '../../support/gateway/gateway-fixture.ts';
import { connectMcp } from '../../support/mcp.ts';

const PHONE = '+55 11 98888-7777';
const SEND = { channelId: MAIN, phone: PHONE };

let gateway: Fixture;
before(async () => {
  gateway = await startGateway();
});
after(() => gateway.stop());

async function ignored(path: string, body?: unknown, key = ACCOUNT_KEY): Promise<string | null> {
  const response = await gateway.send(path, { key, ...(body === undefined ? {} : { body }) });
  return response.headers.get('x-ignored');
}

const template = { name: 'aviso', language: 'pt_BR' };
const BODIES: readonly (readonly [path: string, body: object, ignored: string | null])[] = [
  ['contacts', { phone: PHONE, tags: ['a'], fields: { anything: 'x' }, optIn: true }, null],
  ['contacts', { phone: PHONE, tag: 'a', dueAt: null }, 'tag, dueAt'],
  ['contacts', { phone: PHONE, constructor: 1, 'dois pontos:': 1, çã: 1 }, 'constructor, ?'],
  ['contacts', { phone: PHONE, ['x'.repeat(40)]: 1, ['y'.repeat(41)]: 1 }, `${'x'.repeat(40)}, ?`],
  ['contacts', JSON.parse(`{"phone":"${PHONE}","__proto__":{"a":1}}`), '__proto__'],
  ['contacts', { telefone: PHONE }, 'telefone'],
  ['contacts?verbose=true&dry-run=1', { phone: PHONE, a: 1 }, 'verbose, dry-run, a'],
  ['messages', { ...SEND, template: { ...template, lang: 'pt' } }, 'template.lang'],
  ['messages', { ...SEND, template: { ...template, body: { nome: 'Ana' } } }, null],
  [
    'messages',
    { ...SEND, contacts: [{ name: 'B', phones: ['123'] }, { nome: 'C' }] },
    'contacts.1.nome',
  ],
  [
    'messages',
    {
      ...SEND,
      interactive: { type: 'buttons', text: 'a', buttons: [{ id: 'a', title: 'b', x: 1 }], y: 1 },
    },
    'interactive.buttons.0.x, interactive.y',
  ],
];

describe('names that an operation does not have', () => {
  for (const [path, body, names] of BODIES) {
    test(`${path} ${JSON.stringify(body).slice(0, 90)}: ${names ?? 'none'}`, async () => {
      assert.equal(await ignored(`/api/v1/${path}`, body), names);
    });
  }

  test('are named where a row has no parameters or no body', async () => {
    assert.equal(await ignored('/api/v1/me?a=1'), 'a');
    assert.equal(await ignored('/api/v1/contacts?page=1&pagina=2&limite=3'), 'pagina, limite');
    assert.equal(await ignored('/api/v1/contacts?page=1'), null);
    assert.equal(await ignored('/api/v1/messages/msg_1/read', { now: true }), 'now');
  });

  test('are twenty at most', async () => {
    const many = Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`n${at}`, at]));
    const names = (await ignored('/api/v1/contacts', { phone: PHONE, ...many }))?.split(', ');
    assert.deepEqual([names?.length, names?.[0], names?.[19]], [20, 'n0', 'n19']);
  });

  test('are not named where the content was not read', async () => {
    const body = { phone: PHONE, tag: 'a' };
    for (const key of [REVOKED_KEY, LIMITED_KEY]) {
      assert.equal(await ignored('/api/v1/contacts', body, key), null);
    }
    assert.equal(await ignored('/api/v1/contacts', '{"tag":'), null);
  });

  test('are named by a tool as well', async () => {
    await using mcp = await connectMcp(gateway.base, ACCOUNT_KEY);
    const metaOf = async (name: string, given: Readonly<Record<string, unknown>>) =>
      (await mcp.call(name, given)).ignored;
    assert.deepEqual(await metaOf('upsertContact', { phone: PHONE, tag: 'a' }), ['tag']);
    assert.deepEqual(await metaOf('listContacts', { page: 1, pagina: 2 }), ['pagina']);
    assert.deepEqual(await metaOf('getMe', { a: null }), ['a']);
    assert.equal(await metaOf('listContacts', { page: 1 }), undefined);
  });
});
