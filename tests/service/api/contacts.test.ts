/** Contacts over the real stack (C4.5, C4.6). */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as v from 'valibot';
import {
  type Contact,
  ContactAnswer,
  ListContactsAnswer,
  UpsertContactAnswer,
} from '../../../shared/api/contact.ts';
import { parseAnswer } from '../../support/api/answers.ts';
import { assertRefused, freshPhone, issuePaths } from '../../support/api.ts';
import { pluck } from '../../support/pluck.ts';
import { useOrganizations, useStack } from '../../support/stack-hooks.ts';

const stack = useStack();
const { a, pages } = useOrganizations(stack, { a: {}, pages: {} });

interface Upserted {
  readonly status: number;
  readonly created: boolean;
  readonly contact: Contact;
}

async function upsert(body: Record<string, unknown>, { key } = a): Promise<Upserted> {
  const answer = await stack.call('POST', '/api/v1/contacts', { key, body });
  assert.ok(answer.status === 200 || answer.status === 201, answer.text);
  const { data, created } = v.parse(UpsertContactAnswer, answer.json);
  return { status: answer.status, created, contact: data };
}

async function list(query: string, { key } = a) {
  const answer = await stack.call('GET', `/api/v1/contacts?${query}`, { key });
  return parseAnswer(answer, ListContactsAnswer);
}

const CONTACT_FIELDS =
  'id,phone,name,email,fields,tags,optIn,optInAt,optOutAt,source,createdAt,updatedAt';

describe('POST /api/v1/contacts (contract section 4)', () => {
  test('creates with 201, and repeating it updates with 200 and does not duplicate', async () => {
    const phone = freshPhone();
    const first = await upsert({ phone, name: 'Ana' });
    assert.deepEqual([first.status, first.created], [201, true]);
    const { id, createdAt, updatedAt, ...rest } = first.contact;
    assert.deepEqual(rest, {
      phone,
      name: 'Ana',
      email: null,
      fields: {},
      tags: [],
      optIn: false,
      optInAt: null,
      optOutAt: null,
      source: 'api',
    });
    assert.equal(createdAt, updatedAt);
    const again = await upsert({ phone, name: 'Ana' });
    assert.deepEqual([again.status, again.created, again.contact.id], [200, false, id]);
    assert.equal((await list(`phone=${phone}`)).total, 1);
  });

  test('the body has the order of section 2, created beside data', async () => {
    const body = { phone: freshPhone() };
    const { json } = await stack.call('POST', '/api/v1/contacts', { key: a.key, body });
    assert.deepEqual(Object.keys(json as object), ['data', 'created']);
    const { data } = json as { data: object };
    assert.equal(Object.keys(data).join(), CONTACT_FIELDS);
  });

  test('merges fields, keeps what is not named, and an empty e-mail clears', async () => {
    const phone = freshPhone();
    await upsert({ phone, name: 'Bia', email: 'bia@example.com', fields: { a: '1', b: '2' } });
    const { contact } = await upsert({ phone, fields: { b: '3', c: '4' } });
    assert.deepEqual(contact.fields, { a: '1', b: '3', c: '4' });
    assert.deepEqual([contact.name, contact.email], ['Bia', 'bia@example.com']);
    assert.equal((await upsert({ phone, email: '' })).contact.email, null);
    assert.deepEqual(await stack.contact(a.key, phone), {
      ...contact,
      email: null,
      updatedAt: (await stack.contact(a.key, phone))?.updatedAt,
    });
  });

  test('tags are added, compared without regard to case, kept as first written (decisions: Contacts)', async () => {
    const [one, other] = [freshPhone(), freshPhone()];
    assert.deepEqual((await upsert({ phone: one, tags: ['VIP', 'vip', 'Ouro'] })).contact.tags, [
      'VIP',
      'Ouro',
    ]);
    assert.deepEqual((await upsert({ phone: one, tags: ['novo'] })).contact.tags, [
      'VIP',
      'Ouro',
      'novo',
    ]);
    assert.deepEqual((await upsert({ phone: other, tags: ['vIp'] })).contact.tags, ['VIP']);
    assert.deepEqual((await upsert({ phone: one, tags: [] })).contact.tags.length, 3);
  });

  test('opt-in and opt-out record their times and source; absent changes nothing', async () => {
    const phone = freshPhone();
    const given = (await upsert({ phone, optIn: true })).contact;
    assert.deepEqual([given.optIn, given.source, given.optOutAt], [true, 'api', null]);
    assert.ok(given.optInAt);
    const kept = (await upsert({ phone, name: 'Caio' })).contact;
    assert.deepEqual([kept.optIn, kept.optInAt], [true, given.optInAt]);
    const taken = (await upsert({ phone, optIn: false })).contact;
    assert.equal(taken.optIn, false);
    assert.ok(taken.optOutAt);
  });

  test('unknown properties are ignored and never stored (decisions: Shapes)', async () => {
    const phone = freshPhone();
    const { contact } = await upsert({
      phone,
      id: 'mine',
      source: 'panel',
      createdAt: 'x',
      zzz: 1,
    });
    assert.notEqual(contact.id, 'mine');
    assert.equal(contact.source, 'api');
    assert.equal(Object.keys(contact).join(), CONTACT_FIELDS);
  });

  test('any formatting of a phone is one contact, with and without the ninth digit', async () => {
    const { contact } = await upsert({ phone: '+55 (21) 97654-3210' });
    assert.equal(contact.phone, '5521976543210');
    const spellings = ['5521976543210', '21976543210', '21 7654-3210', '+552176543210'];
    for (const phone of spellings) {
      const again = await upsert({ phone });
      assert.deepEqual([again.created, again.contact.id], [false, contact.id], phone);
    }
    const landline = await upsert({ phone: '(21) 2654-3210' });
    assert.equal(landline.contact.phone, '552126543210');
  });

  test('20 parallel upserts of a new phone create it once, and none is lost', async () => {
    const phone = freshPhone();
    const all = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        upsert({ phone, fields: { [`f${index}`]: String(index) }, tags: [`t${index}`] }),
      ),
    );
    assert.equal(all.filter(({ created }) => created).length, 1);
    const contact = await stack.contact(a.key, phone);
    assert.equal(Object.keys(contact?.fields ?? {}).length, 20);
    assert.equal(contact?.tags.length, 20);
    assert.equal((await list(`phone=${phone}`)).total, 1);
  });

  test('every problem is reported at once, with its path: 422 (contract section 7)', async () => {
    const body = {
      phone: 'abc',
      name: 'n'.repeat(121),
      email: 'no',
      fields: { plano: 1, x: 'v'.repeat(501) },
      tags: ['', 'ok', 'x'.repeat(41)],
      optIn: 'yes',
    };
    const answer = await stack.call('POST', '/api/v1/contacts', { key: a.key, body });
    assert.deepEqual(issuePaths(answer), [
      'email',
      'fields.plano',
      'fields.x',
      'name',
      'optIn',
      'phone',
      'tags.0',
      'tags.2',
    ]);
  });

  test('lengths are limits of code points, at their edge (contract section 8)', async () => {
    const edge = {
      phone: freshPhone(),
      name: '😀'.repeat(120),
      fields: { v: '😀'.repeat(500) },
      tags: Array.from({ length: 20 }, (_, index) => `${index}`.padEnd(40, 'é')),
    };
    assert.equal((await upsert(edge)).status, 201);
    const beyond: [Record<string, unknown>, string[]][] = [
      [{ name: 'é'.repeat(121) }, ['name']],
      [{ tags: Array.from({ length: 21 }, (_, index) => `t${index}`) }, ['tags']],
      [{ phone: '1234567' }, ['phone']],
      [{ phone: '+'.padEnd(31, '1') }, ['phone']],
      [{ phone: undefined }, ['phone']],
      [{ fields: [] }, ['fields']],
      [{ tags: 'vip' }, ['tags']],
      [{ name: null }, ['name']],
    ];
    for (const [wrong, paths] of beyond) {
      const body = { phone: freshPhone(), ...wrong };
      const answer = await stack.call('POST', '/api/v1/contacts', { key: a.key, body });
      assert.deepEqual(issuePaths(answer), paths, JSON.stringify(wrong));
    }
  });

  test('a contact holds up to 200 fields, and a refused upsert changes nothing (invariant 4)', async () => {
    const phone = freshPhone();
    const many = (prefix: string, count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`${prefix}${index}`, 'x']));
    await upsert({ phone, fields: many('a', 150) });
    const body = { phone, name: 'Davi', tags: ['x'], optIn: false, fields: many('b', 51) };
    const answer = await stack.call('POST', '/api/v1/contacts', { key: a.key, body });
    assert.deepEqual(issuePaths(answer), ['fields']);
    const contact = await stack.contact(a.key, phone);
    assert.deepEqual([contact?.name, contact?.tags, contact?.optOutAt], [null, [], null]);
    assert.equal((await upsert({ phone, fields: many('b', 50) })).status, 200);
  });
});

describe('GET /api/v1/contacts (contract section 4)', () => {
  test('pages by last update, newest first, neither repeat nor skip, with the total beside', async () => {
    const phones: string[] = [];
    for (let index = 0; index < 25; index++) {
      const phone = freshPhone();
      phones.unshift(phone);
      await upsert({ phone }, pages);
    }
    const seen: string[] = [];
    for (const page of [1, 2, 3, 4]) {
      const answer = await list(`page=${page}&limit=10`, pages);
      assert.deepEqual([answer.page, answer.limit, answer.total], [page, 10, 25]);
      seen.push(...answer.data.map(({ phone }) => phone));
    }
    assert.deepEqual(seen, phones);
    const oldest = phones.at(-1) ?? '';
    await upsert({ phone: oldest, name: 'Eva' }, pages);
    assert.equal((await list('limit=1', pages)).data[0]?.phone, oldest);
    const plain = await list('', pages);
    assert.deepEqual([plain.page, plain.limit, plain.data.length], [1, 50, 25]);
  });

  test('a list right after a 201 shows the contact', async () => {
    for (let index = 0; index < 10; index++) {
      const phone = freshPhone();
      await upsert({ phone });
      assert.equal((await list('limit=1')).data[0]?.phone, phone);
    }
  });

  test('query is a literal, case- and accent-insensitive substring of name, phone or e-mail', async () => {
    const phone = freshPhone();
    await upsert({ phone, name: 'João Conceição (50%)', email: 'joao.c+1@example.com' });
    const finds = ['JOAO', 'conceicao', 'ção', '(50%)', phone.slice(2, 13), 'JOAO.C+1@'];
    for (const query of finds) {
      const { data, total } = await list(`query=${encodeURIComponent(query)}`);
      assert.deepEqual([data.map((each) => each.phone), total], [[phone], 1], query);
    }
    for (const query of ['jo.o', 'joão x', '.*', '^Jo', '[a-z]']) {
      assert.equal((await list(`query=${encodeURIComponent(query)}`)).total, 0, query);
    }
  });

  test('phone finds one contact in any formatting; an invalid one is 422', async () => {
    const { contact } = await upsert({ phone: '+55 (31) 98765-4321', name: 'Gil' });
    for (const phone of ['+55 31 98765-4321', '31 8765 4321', '5531987654321', '31.98765.4321']) {
      const { data } = await list(`phone=${encodeURIComponent(phone)}`);
      assert.deepEqual(pluck(data, 'id'), [contact.id], phone);
    }
    for (const phone of ['abc', '12', '']) {
      const path = `/api/v1/contacts?phone=${phone}`;
      assert.deepEqual(issuePaths(await stack.request('GET', path, { key: a.key })), ['phone']);
    }
  });

  test('page and limit outside of their range, and repeated parameters, are 422', async () => {
    const wrong: [string, string[]][] = [
      ['page=0&limit=0', ['limit', 'page']],
      ['page=-1&limit=201', ['limit', 'page']],
      ['page=1.5&limit=ten', ['limit', 'page']],
      ['page=&limit=1e2', ['limit', 'page']],
      ['page=1&page=2', ['page']],
      ['phone=11999999999&phone=11999999998&limit=x', ['limit', 'phone']],
    ];
    for (const [query, paths] of wrong) {
      const answer = await stack.call('GET', `/api/v1/contacts?${query}`, { key: a.key });
      assert.deepEqual(issuePaths(answer), paths, query);
    }
    const far = await list('page=100000&limit=200');
    assert.deepEqual(far.data, []);
    assertRefused(await stack.call('GET', '/api/v1/contacts?limit=1000', { key: a.key }), 422);
  });
});

describe('POST /api/v1/contacts/{id} (D422)', () => {
  const change = (id: string, body: object, key = a.key) =>
    stack.call('POST', `/api/v1/contacts/${id}`, { key, body });
  const changed = async (id: string, body: object) =>
    parseAnswer(await change(id, body), ContactAnswer).data;

  test('changes what it names, and takes away what it names so', async () => {
    const phone = freshPhone();
    const fields = { plano: 'ouro', cidade: 'Natal' };
    const before = (await upsert({ phone, name: 'Ana', fields, tags: ['Troca', 'fica'] })).contact;
    const { id } = before;
    const first = await changed(id, {
      ...{
        email: 'ana@example.com',
        fields: { cidade: 'Recife' },
        removeFields: ['plano', 'nada'],
      },
      ...{ tags: ['nova'], removeTags: ['TROCA', 'nada'], optIn: true },
    });
    assert.deepEqual([first.name, first.email], ['Ana', 'ana@example.com']);
    assert.deepEqual(first.fields, { cidade: 'Recife' });
    assert.deepEqual([first.tags, first.optIn], [['fica', 'nova'], true]);
    assert.deepEqual(await stack.contact(a.key, phone), first);
    const second = await changed(id, { name: null, email: '' });
    assert.deepEqual([second.name, second.email, second.tags], [null, null, ['fica', 'nova']]);
    assert.equal((await changed(id, { name: '' })).name, null);
    assert.equal(second.phone, phone);
  });

  test('POST /api/v1/contacts takes away as well', async () => {
    const phone = freshPhone();
    await upsert({ phone, fields: { a: '1', b: '2' }, tags: ['um', 'dois'] });
    const { contact } = await upsert({ phone, removeFields: ['a'], removeTags: ['UM'] });
    assert.deepEqual([contact.fields, contact.tags], [{ b: '2' }, ['dois']]);
  });

  test('says what to correct: nothing, the phone, and what is set and removed at once', async () => {
    const { id } = (await upsert({ phone: freshPhone() })).contact;
    assert.deepEqual(issuePaths(await change(id, {})), ['']);
    assert.deepEqual(issuePaths(await change(id, { phone: freshPhone(), name: 'Ana' })), ['phone']);
    const both = {
      ...{ tags: ['vip', 'novo'], removeTags: ['outra', 'VIP'] },
      ...{ fields: { plano: 'ouro' }, removeFields: ['plano', 'cidade'] },
    };
    assert.deepEqual(issuePaths(await change(id, both)), ['removeFields.0', 'removeTags.1']);
    const phone = freshPhone();
    const answer = await stack.call('POST', '/api/v1/contacts', {
      key: a.key,
      body: { phone, ...both },
    });
    assert.deepEqual(issuePaths(answer), ['removeFields.0', 'removeTags.1']);
    assert.equal((await list(`phone=${phone}`)).total, 0, 'nothing is stored');
    const many = { removeTags: Array.from({ length: 21 }, (_, n) => `t${n}`) };
    assert.deepEqual(issuePaths(await change(id, many)), ['removeTags']);
  });

  test('creates none: an unknown id and another organization’s are 404 alike', async () => {
    const { id } = (await upsert({ phone: freshPhone(), name: 'Ana' })).contact;
    const foreign = await change(id, { name: 'Bia' }, pages.key);
    const unknown = await change('ctc_none', { name: 'Bia' }, pages.key);
    assertRefused(foreign, 404);
    assert.deepEqual([foreign.status, foreign.text], [unknown.status, unknown.text]);
    assert.equal((await change(id, { name: 'Bia' }, a.shopKey)).status, 200, 'a channel key');
  });
});
