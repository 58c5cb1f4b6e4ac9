/**
 * Contacts that were stored under two spellings of a number, before it had one key (D309): the
 * first touch joins them, and a command joins all.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as v from 'valibot';
import { idsOf } from '../../../../infra/adapters/ids/ids.ts';
import { UpsertContactAnswer } from '../../../../shared/api/contact.ts';
import { DealAnswer } from '../../../../shared/api/deal.ts';
import { parseAnswer } from '../../../support/api/answers.ts';
import { pluck } from '../../../support/pluck.ts';
import { useDatabase, useOrganizations, useStack } from '../../../support/stack-hooks.ts';
import { waitUntil } from '../../../support/wait-for.ts';

const stack = useStack();
const used = useDatabase(stack);
const { a, command } = useOrganizations(stack, { a: {}, command: {} });

let numbers = 0;

/** One number's two spellings, shown form first. */
function mexican(): readonly [string, string] {
  numbers += 1;
  const line = String(5_500_000_000 + numbers);
  return [`52${line}`, `521${line}`];
}

async function upsert(body: Record<string, unknown>, org = a) {
  const answer = await stack.call('POST', '/api/v1/contacts', { key: org.key, body });
  assert.ok(answer.status < 300, answer.text);
  return v.parse(UpsertContactAnswer, answer.json).data;
}

interface StoredContact {
  readonly _id: string;
  readonly [field: string]: unknown;
}

/** A contact as it was stored before: its id derived from the spelling itself. */
async function stored(
  phone: string,
  { org = a, ageMs = 0, ...fields }: { org?: typeof a; ageMs?: number; [field: string]: unknown },
): Promise<string> {
  const contacts = used.db.collection<StoredContact>('contacts');
  const model = await upsert({ phone: '+5511987650000' }, org);
  const like = await contacts.findOne({ _id: model.id });
  const { salt } = v.parse(SaltSchema, await used.db.collection('installation').findOne({}));
  const id = idsOf({ salt }).derive('ctc', org.id, phone);
  const own = { phone, search: phone, version: 1 };
  const createdAt = Date.now() - ageMs;
  await contacts.insertOne({ ...like, ...own, ...fields, createdAt, _id: id });
  return id;
}

const SaltSchema = v.object({ salt: v.string() });
const HOUR_MS = 3_600_000;
const OPTED_OUT = { optIn: false, optOutAt: Date.now() - HOUR_MS };

async function totalOf(digits: string, org = a): Promise<number> {
  const { json } = await stack.call('GET', `/api/v1/contacts?query=${digits}`, { key: org.key });
  return v.parse(v.object({ total: v.number() }), json).total;
}

describe('a contact under the second spelling alone', () => {
  test('keeps its id, is shown by the first, and has one conversation', async () => {
    const [shown, second] = mexican();
    const id = await stored(second, { ageMs: HOUR_MS, name: 'Rosa' });
    const contact = await upsert({ phone: `+${shown}`, tags: ['vip'] });
    assert.deepEqual([contact.id, contact.name, contact.tags], [id, 'Rosa', ['vip']]);
    const sent = await stack.send(a.key, { phone: `+${shown}`, text: 'oi', channelId: a.main });
    await stack.network.inbound({ channelId: a.main, from: second, text: 'olá' });
    const { data } = await stack.conversations(a.key, `?contactId=${id}`);
    assert.deepEqual(
      data.map((each) => [each.id, each.contact.id, each.contact.phone]),
      [[sent.conversationId, id, shown]],
    );
    assert.equal((await stack.contact(a.key, shown))?.phone, shown);
    assert.equal(await totalOf(shown.slice(2)), 1);
  });
});

describe('two contacts of one number', () => {
  for (const leads of ['the first', 'the second'] as const) {
    test(`become the older one, ${leads}, and an opt-out of either holds at once`, async () => {
      const [shown, second] = mexican();
      const isFirst = leads === 'the first';
      const first = await stored(shown, { tags: ['vip'], ageMs: isFirst ? 2 * HOUR_MS : 0 });
      const id = await stored(second, { ageMs: HOUR_MS, ...OPTED_OUT, fields: { plano: 'ouro' } });
      const contact = await upsert({ phone: `+${shown}`, fields: { cor: 'azul' } });
      assert.equal(contact.id, isFirst ? first : id);
      assert.deepEqual([contact.optIn, contact.optOutAt !== null], [false, true]);
      assert.deepEqual([contact.tags, contact.fields], [['vip'], { plano: 'ouro', cor: 'azul' }]);
      await waitUntil('one is listed', async () => (await totalOf(shown.slice(2))) === 1);
      const title = 'Pelo outro id';
      const named = { key: a.key, body: { contactId: isFirst ? id : first, title } };
      const { data } = parseAnswer(
        await stack.call('POST', '/api/v1/deals', named),
        DealAnswer,
        201,
      );
      assert.equal(data.contact.id, contact.id);
    });
  }
});

test('contacts join joins all of an organization, and says how many', async () => {
  const [, alone] = mexican();
  const [shown, second] = mexican();
  for (const phone of [alone, shown, second]) await stored(phone, { org: command });
  const asked = ['contacts', 'join', '--org', command.ref] as const;
  assert.deepEqual(await stack.ask(...asked), { found: 2, joined: 1 });
  await waitUntil('one is listed', async () => (await totalOf(shown.slice(2), command)) === 1);
  assert.deepEqual(await stack.ask(...asked), { found: 0, joined: 0 });
});

test('a number that got two digits has one contact, whichever of them is shown first (D483)', async () => {
  for (const [eight, ten] of [
    ['22997123456', '2290197123456'],
    ['22507123456', '2250707123456'],
  ] as const) {
    const { id } = await upsert({ phone: `+${ten}` });
    await stack.network.inbound({ channelId: a.main, from: eight, text: 'bonjour' });
    const { data } = await stack.conversations(a.key, `?contactId=${id}`);
    assert.deepEqual(pluck(data, 'status'), ['open']);
    assert.equal((await upsert({ phone: `+${eight}` })).id, id);
    assert.equal((await stack.contact(a.key, eight))?.id, id);
  }
});
