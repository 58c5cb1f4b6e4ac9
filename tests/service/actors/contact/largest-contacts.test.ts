/**
 * The largest contacts over the real stack (D123): which are refused. A page of accepted ones is
 * answered whole.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Collection, type Document, MongoClient } from 'mongodb';
import { CONTACT_MAX_BYTES } from '../../../../shared/limits.ts';
import { assertStatus } from '../../../support/api/answers.ts';
import { freshPhone, issuePaths } from '../../../support/api.ts';
import type { Organization } from '../../../support/organization.ts';
import { useOrganizations, useStack } from '../../../support/stack-hooks.ts';

const LIST = '/api/v1/contacts?limit=200';

const stack = useStack();
const { small, large, earlier } = useOrganizations(stack, { small: {}, large: {}, earlier: {} });

function upsert(body: Readonly<Record<string, unknown>>, { key } = small) {
  return stack.call('POST', '/api/v1/contacts', { key, body });
}

interface Listed {
  readonly data: readonly { readonly id: string; readonly fields: Record<string, string> }[];
  readonly total: number;
}

async function list({ key }: Organization): Promise<Listed> {
  const headers = { authorization: `Bearer ${key}` };
  const response = await fetch(`${stack.baseUrl}${LIST}`, { headers });
  const text = await response.text();
  assert.equal(response.status, 200, text.slice(0, 1_000));
  const body = JSON.parse(text) as Listed;
  assert.deepEqual(Object.keys(body), ['data', 'page', 'limit', 'total']);
  return body;
}

/** Fields of so many bytes altogether, names included. */
function fieldsOf(bytes: number): Record<string, string> {
  const fields: Record<string, string> = {};
  for (let left = bytes; left > 0; ) {
    const name = `f${String(Object.keys(fields).length).padStart(3, '0')}`;
    const value = 'x'.repeat(Math.min(500, left - name.length));
    fields[name] = value;
    left -= name.length + value.length;
  }
  return fields;
}

async function inContacts<T>(work: (contacts: Contacts) => Promise<T>): Promise<T> {
  await using client = await MongoClient.connect(stack.runFile().mongodbUrl);
  return await work(client.db('recado').collection<StoredContact>('contacts'));
}

interface StoredContact extends Document {
  readonly _id: string;
}
type Contacts = Collection<StoredContact>;

describe('POST /api/v1/contacts (decisions: D123)', () => {
  test('a name of a field has at most 200 characters', async () => {
    const phone = freshPhone();
    assertStatus(await upsert({ phone, fields: { ['😀'.repeat(200)]: 'x' } }), 201);
    const name = 'n'.repeat(201);
    const refused = await upsert({ phone, fields: { [name]: 'x', b: 'y' } });
    assert.deepEqual(issuePaths(refused), [`fields.${name}`]);
    assert.deepEqual(Object.keys((await stack.contact(small.key, phone))?.fields ?? {}).length, 1);
  });

  test('a refusal does not repeat a name of 950,000 characters', async () => {
    const refused = await upsert({ phone: freshPhone(), fields: { ['n'.repeat(950_000)]: 'x' } });
    const [path = ''] = issuePaths(refused);
    assert.match(path, /^fields\.n+…$/);
    assert.ok(refused.text.length < 1_000, `${refused.text.length} characters`);
  });

  test('name, e-mail, tags and fields have 64 KiB of UTF-8 together', async () => {
    const phone = freshPhone();
    const known = { phone, name: 'João', email: 'j@example.com', tags: ['vip'] };
    const beside = Buffer.byteLength('Joãoj@example.comvip');
    const fields = fieldsOf(CONTACT_MAX_BYTES - beside);
    const fits = await upsert({ ...known, fields });
    assert.equal(fits.status, 201, fits.text.slice(0, 1_000));
    for (const more of [{ fields: { z: '' } }, { tags: ['z'] }, { name: 'Joãoz' }]) {
      assert.deepEqual(issuePaths(await upsert({ phone, ...more })), ['fields']);
    }
    assert.equal((await upsert({ phone, name: 'Joaz', optIn: true })).status, 200);
    assert.equal((await upsert({ phone, name: 'Jo', tags: ['zz'] })).status, 200);
    const webhook = `/api/webhooks/channel/${small.main}`;
    const body = { phone, tags: ['zzzz'] };
    const told = await stack.request('POST', webhook, { key: small.key, body });
    assert.deepEqual(issuePaths(told), ['fields']);
  });
});

describe('GET /api/v1/contacts with the largest contacts (decisions: D123)', () => {
  test('200 of the largest are one answer, many times at once', async () => {
    const fields = fieldsOf(CONTACT_MAX_BYTES);
    for (let made = 0; made < 200; made += 20) {
      const some = Array.from({ length: 20 }, () =>
        stack.call('POST', '/api/v1/contacts', {
          key: large.key,
          body: { phone: freshPhone(), fields },
        }),
      );
      for (const { status, text } of await Promise.all(some)) assert.equal(status, 201, text);
    }
    const answers = await Promise.all(Array.from({ length: 4 }, () => list(large)));
    for (const { data, total } of answers) {
      assert.equal(total, 200);
      assert.equal(new Set(data.map(({ id }) => id)).size, 200);
      for (const each of data) assert.deepEqual(each.fields, fields);
    }
  });

  test('larger ones that were stored earlier are listed', async () => {
    const phone = freshPhone();
    assert.equal((await upsert({ phone }, earlier)).status, 201);
    const name = 'n'.repeat(950_000);
    await inContacts(async (contacts) => {
      const one = await contacts.findOne({ orgId: earlier.id });
      assert.ok(one);
      const copies = Array.from({ length: 90 }, (_, n) => ({
        ...one,
        _id: `${one._id}${n}`,
        phone: freshPhone(),
        fields: { [name]: `${n}` },
      }));
      for (const copy of copies) await contacts.insertOne(copy);
      await contacts.updateOne({ _id: one._id }, { $set: { fields: { [name]: 'one' } } });
    });
    for (const { data, total } of await Promise.all([list(earlier), list(earlier)])) {
      assert.deepEqual([data.length, total], [91, 91]);
      for (const { fields } of data) assert.deepEqual(Object.keys(fields), [name]);
    }
  });
});
