/** C4, C8: every limit at its edges, every issue at once. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  ACCOUNT_KEY,
  issuePaths,
  MAIN,
  useGateway,
} from '../../support/gateway/gateway-fixture.ts';

const gateway = useGateway();

const PHONE = '+55 (11) 98888-7777';
const contact = (fields: Record<string, unknown>) => ({ phone: PHONE, ...fields });
const message = (fields: Record<string, unknown>) => {
  return { channelId: MAIN, phone: PHONE, text: 'oi', ...fields };
};
const many = (count: number) => Array.from({ length: count }, (_, index) => `t${index}`);
const record = (count: number) => Object.fromEntries(many(count).map((key) => [key, 'v']));
/** One code point, two UTF-16 units. */
const WIDE = '😀';

const CONTACTS = '/api/v1/contacts';
const MESSAGES = '/api/v1/messages';

/** Path, body, the paths the 422 points at; none: the request is good. */
const BODIES: readonly (readonly [string, unknown, readonly string[]])[] = [
  [CONTACTS, contact({}), []],
  [CONTACTS, {}, ['phone']],
  [CONTACTS, { phone: null }, ['phone']],
  [CONTACTS, { phone: '1198888' }, ['phone']],
  [CONTACTS, { phone: '119888877' }, ['phone']],
  [CONTACTS, { phone: '1133334444' }, []],
  [CONTACTS, { phone: `${PHONE}${' '.repeat(30 - PHONE.length)}` }, []],
  [CONTACTS, { phone: `${PHONE}${' '.repeat(31 - PHONE.length)}` }, ['phone']],
  [CONTACTS, { phone: '11.98888.7777' }, ['phone']],
  [CONTACTS, { phone: 11988887777 }, ['phone']],
  [CONTACTS, contact({ name: 'n'.repeat(120) }), []],
  [CONTACTS, contact({ name: WIDE.repeat(120) }), []],
  [CONTACTS, contact({ name: 'n'.repeat(121) }), ['name']],
  [CONTACTS, contact({ name: null }), ['name']],
  [CONTACTS, contact({ name: '\ud800' }), ['name']],
  [CONTACTS, contact({ email: '' }), []],
  [CONTACTS, contact({ email: 'a@b.co' }), []],
  [CONTACTS, contact({ email: 'a@b' }), ['email']],
  [CONTACTS, contact({ email: "joana.d'arc@exemplo.com.br" }), []],
  [CONTACTS, contact({ email: 'oi@xn--caf-dma.com' }), []],
  [CONTACTS, contact({ email: 'a@b.xn--p1ai' }), []],
  [CONTACTS, contact({ email: '.a@b.co' }), ['email']],
  [CONTACTS, contact({ email: 'a..b@c.co' }), ['email']],
  [CONTACTS, contact({ email: 'a.@b.co' }), ['email']],
  [CONTACTS, contact({ email: 'a@10.0.0.1' }), ['email']],
  [CONTACTS, contact({ email: 'a@b.co\n' }), ['email']],
  [CONTACTS, contact({ email: `${'a'.repeat(250)}@b.co` }), ['email']],
  [CONTACTS, contact({ email: 5 }), ['email']],
  [CONTACTS, contact({ fields: {} }), []],
  [CONTACTS, contact({ fields: { plano: 'o'.repeat(500) } }), []],
  [CONTACTS, contact({ fields: { plano: 'o'.repeat(501), ok: '1' } }), ['fields.plano']],
  [CONTACTS, contact({ fields: { plano: 5, x: null } }), ['fields.plano', 'fields.x']],
  [CONTACTS, contact({ fields: record(200) }), []],
  [CONTACTS, contact({ fields: record(201) }), ['fields']],
  [CONTACTS, contact({ fields: ['a'] }), ['fields']],
  [CONTACTS, contact({ fields: null }), ['fields']],
  [CONTACTS, contact({ fields: { 'a\u0000b': 'v' } }), ['fields.a\u0000b']],
  [CONTACTS, contact({ fields: { constructor: 'v' } }), ['fields.constructor']],
  [CONTACTS, `{"phone":"${PHONE}","fields":{"__proto__":"v"}}`, ['fields.__proto__']],
  [CONTACTS, contact({ name: 5, fields: { prototype: 'v' } }), ['fields.prototype', 'name']],
  [CONTACTS, contact({ fields: { ['n'.repeat(200)]: 'x', [WIDE.repeat(200)]: 'x' } }), []],
  [CONTACTS, contact({ fields: { ['n'.repeat(201)]: 'x' } }), [`fields.${'n'.repeat(201)}`]],
  [CONTACTS, contact({ fields: { ['n'.repeat(900)]: 'x' } }), [`fields.${'n'.repeat(249)}…`]],
  [CONTACTS, contact({ tags: many(20) }), []],
  [CONTACTS, contact({ tags: many(21) }), ['tags']],
  [CONTACTS, contact({ tags: ['t'.repeat(40), WIDE.repeat(40)] }), []],
  [CONTACTS, contact({ tags: ['ok', 't'.repeat(41), ''] }), ['tags.1', 'tags.2']],
  [CONTACTS, contact({ tags: 'vip' }), ['tags']],
  [CONTACTS, contact({ optIn: false }), []],
  [CONTACTS, contact({ optIn: 'true' }), ['optIn']],
  [CONTACTS, { phone: 'x', name: 5, tags: [1], optIn: 1 }, ['name', 'optIn', 'phone', 'tags.0']],
  [CONTACTS, [], ['']],
  [CONTACTS, 'null', ['']],
  [CONTACTS, '"text"', ['']],
  [MESSAGES, message({}), []],
  [MESSAGES, message({ text: 't'.repeat(4096) }), []],
  [MESSAGES, message({ text: WIDE.repeat(4096) }), []],
  [MESSAGES, message({ text: 't'.repeat(4097) }), ['text']],
  [MESSAGES, message({ text: '' }), ['text']],
  [MESSAGES, message({ text: null }), ['text']],
  [MESSAGES, { channelId: MAIN, text: 'oi' }, ['phone']],
  [MESSAGES, { channelId: MAIN, phone: PHONE }, ['text']],
  [MESSAGES, {}, ['channelId', 'phone', 'text']],
  [MESSAGES, { text: 5 }, ['channelId', 'phone', 'text']],
  [MESSAGES, message({ channelId: '' }), ['channelId']],
  [MESSAGES, message({ channelId: null }), ['channelId']],
  [MESSAGES, message({ channelId: { $ne: null } }), ['channelId']],
  [MESSAGES, message({ conversationId: '' }), ['conversationId']],
  [MESSAGES, message({ mediaId: 'f1', mediaUrl: 'x' }), ['mediaId', 'mediaUrl']],
  [MESSAGES, message({ mediaUrl: 'ftp://example.com/a.png' }), ['mediaUrl']],
  [MESSAGES, message({ mediaId: '' }), ['mediaId']],
  [MESSAGES, message({ mediaId: 'f1', text: 't'.repeat(1025) }), ['text']],
  [MESSAGES, message({ caption: 'c'.repeat(1024) }), []],
  [MESSAGES, message({ caption: 'c'.repeat(1025) }), ['caption']],
];

for (const [path, body, paths] of BODIES) {
  const shown = JSON.stringify(body).slice(0, 80);
  const verdict = paths.length === 0 ? 'is good' : `is 422 at ${JSON.stringify(paths)}`;
  test(`section 8: POST ${path} ${shown} ${verdict}`, async () => {
    const response = await gateway.send(path, { body });
    assert.equal(response.status, paths.length === 0 ? 201 : 422);
    if (paths.length > 0) assert.deepEqual(await issuePaths(response), paths);
  });
}

const QUERIES: readonly (readonly [string, readonly string[]])[] = [
  ['contacts', []],
  ['contacts?page=1&limit=200', []],
  ['contacts?page=999999999', []],
  ['contacts?limit=1', []],
  ['contacts?limit=0', ['limit']],
  ['contacts?limit=201', ['limit']],
  ['contacts?page=0', ['page']],
  ['contacts?page=-1', ['page']],
  ['contacts?page=1.5', ['page']],
  ['contacts?page=1e3', ['page']],
  ['contacts?page=abc&limit=', ['limit', 'page']],
  ['contacts?page=1&page=2', ['page']],
  ['contacts?page=1&page=2&page=3', ['page']],
  ['contacts?other=1&other=2', ['other']],
  ['contacts?other=1', []],
  ['contacts?query=', []],
  ['contacts?query=Jos%C3%A9', []],
  ['contacts?query=%', []],
  ['contacts?phone=%2B55%2011%2098888-7777', []],
  ['contacts?phone=11.98888.7777', []],
  ['contacts?phone=abc', ['phone']],
  ['contacts?phone=', ['phone']],
  ['conversations?status=open', []],
  ['conversations?status=in_flow', []],
  ['conversations?status=closed', ['status']],
  ['conversations?status=', ['status']],
  ['conversations?contactId=nobody', []],
  ['messages', ['conversationId']],
  ['messages?conversationId=', ['conversationId']],
  ['messages?conversationId=cnv_1&includeNotes=true', []],
  ['messages?conversationId=cnv_1&includeNotes=1', ['includeNotes']],
  ['messages?conversationId=cnv_1&limit=201&page=x', ['limit', 'page']],
];

for (const [query, paths] of QUERIES) {
  const verdict = paths.length === 0 ? 'is good' : `is 422 at ${JSON.stringify(paths)}`;
  test(`section 4: GET /api/v1/${query} ${verdict}`, async () => {
    const response = await gateway.send(`/api/v1/${query}`);
    assert.equal(response.status, paths.length === 0 ? 200 : 422);
    if (paths.length > 0) assert.deepEqual(await issuePaths(response), paths);
  });
}

test('decisions: unknown and inherited properties never reach a command', async () => {
  const body = `{"phone":"${PHONE}","__proto__":{"optIn":true},"admin":true,"id":"mine"}`;
  assert.equal((await gateway.send(CONTACTS, { body })).status, 201);
  const command = gateway.bus.commands().at(-1)?.command;
  const known = ['id', 'orgId', 'origin', 'phone', 'source', 'type'];
  assert.deepEqual(Object.keys(command ?? {}).sort(), known);
  assert.notEqual(command?.id, 'mine');
});

test('section 4: list queries carry what was asked, with the defaults of section 8', async () => {
  await gateway.send('/api/v1/contacts?query=mar%C3%ADa&phone=(11)%2098888-7777');
  assert.deepEqual(gateway.bus.queried.at(-1), {
    resource: 'contacts',
    payload: { orgId: 'org_1', query: 'maría', phone: '5511988887777', page: 1, limit: 50 },
  });
  await gateway.send('/api/v1/messages?conversationId=cnv_1&page=3&limit=7');
  const asked = { conversationId: 'cnv_1', includeNotes: false, channelScope: null };
  const payload = { orgId: 'org_1', ...asked, page: 3, limit: 7 };
  assert.deepEqual(gateway.bus.queried.at(-1), { resource: 'messages', payload });
});

test('section 7: a key in the query string is no key', async () => {
  const path = `/api/v1/me?api_key=${ACCOUNT_KEY}`;
  assert.equal((await gateway.send(path, { key: null })).status, 401);
});

test('an id of any length names nothing, and no more than 200 characters of it go on', async () => {
  const conversationId = 'c'.repeat(900_000);
  const body = { channelId: MAIN, conversationId, text: 'oi' };
  await gateway.send('/api/v1/messages', { body });
  const contactId = 'd'.repeat(900_000);
  await gateway.send('/api/v1/deals', { body: { contactId, title: 'x' } });
  const asked = JSON.stringify(gateway.bus.commands());
  assert.ok(asked.includes('d'.repeat(200)));
  assert.ok(!/c{201}|d{201}/.test(asked));
});
