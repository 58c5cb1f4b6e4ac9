/** Calls that read one record by its id, the team, and the tags (D419). */
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import * as v from 'valibot';
import { ContactAnswer, ListContactsAnswer } from '../../../shared/api/contact.ts';
import { ConversationAnswer } from '../../../shared/api/conversation.ts';
import { DealAnswer } from '../../../shared/api/deal.ts';
import { ListMembersAnswer } from '../../../shared/api/member.ts';
import { GetMessageAnswer } from '../../../shared/api/message.ts';
import { ListTagsAnswer } from '../../../shared/api/tag.ts';
import { TaskAnswer } from '../../../shared/api/task.ts';
import { parseAnswer } from '../../support/api/answers.ts';
import { crmFixtureOf, TEAM } from '../../support/api/crm-fixture.ts';
import { assertRefused, freshPhone, issuePaths } from '../../support/api.ts';
import { connectMcp } from '../../support/mcp.ts';
import { pluck } from '../../support/pluck.ts';
import { useOrganizations, useStack } from '../../support/stack-hooks.ts';

const stack = useStack();
const { a, b, tagged } = useOrganizations(stack, { a: TEAM, b: {}, tagged: {} });
const crm = crmFixtureOf(stack, a);

interface Ids {
  readonly contacts: string;
  readonly conversations: string;
  readonly messages: string;
  readonly deals: string;
  readonly tasks: string;
}

let ids: Ids;

before(async () => {
  const phone = freshPhone();
  const sent = await stack.send(a.key, { channelId: a.main, phone, text: 'Olá' });
  const contact = (await stack.contact(a.key, phone)) ?? assert.fail('the contact is there');
  const deal = await crm.deal({ contactId: contact.id });
  const task = await crm.task({ dealId: deal.id });
  ids = {
    contacts: contact.id,
    conversations: sent.conversationId,
    messages: sent.messageId,
    deals: deal.id,
    tasks: task.id,
  };
});

const NOBODYS: Ids = {
  ...{ contacts: 'ctc_none', conversations: 'cnv_none', messages: 'msg_none' },
  ...{ deals: 'deal_none', tasks: 'task_none' },
};
const KINDS = ['contacts', 'conversations', 'messages', 'deals', 'tasks'] as const;

function get(path: string, key = a.key) {
  return stack.call('GET', `/api/v1/${path}`, { key });
}

describe('one record by its id', () => {
  test('is as in its list', async () => {
    const { data: contact } = parseAnswer(await get(`contacts/${ids.contacts}`), ContactAnswer);
    assert.deepEqual(contact, await stack.contact(a.key, contact.phone));
    const { data } = parseAnswer(
      await get(`conversations/${ids.conversations}`),
      ConversationAnswer,
    );
    const listed = await stack.conversations(a.key, `?contactId=${ids.contacts}`);
    assert.deepEqual([data], listed.data);
    const { data: deal } = parseAnswer(await get(`deals/${ids.deals}`), DealAnswer);
    assert.deepEqual([deal], (await crm.deals()).data);
    const { data: task } = parseAnswer(await get(`tasks/${ids.tasks}`), TaskAnswer);
    assert.deepEqual([task], (await crm.tasks()).data);
  });

  test('of a message, is named with its conversation', async () => {
    const answer = await get(`messages/${ids.messages}`);
    const { conversationId, data } = parseAnswer(answer, GetMessageAnswer);
    assert.equal(conversationId, ids.conversations);
    assert.equal(Object.keys(Object(answer.json)).join(), 'conversationId,data');
    const history = await stack.history(a.key, ids.conversations);
    const withoutStatus = ({ id, text, author, createdAt }: typeof data) => {
      return { id, text, author, createdAt };
    };
    assert.deepEqual([withoutStatus(data)], history.map(withoutStatus));
  });

  test('another organization’s is 404, exactly as one that nobody has', async () => {
    for (const kind of KINDS) {
      const unknown = await get(`${kind}/${NOBODYS[kind]}`, b.key);
      const foreign = await get(`${kind}/${ids[kind]}`, b.key);
      assertRefused(foreign, 404);
      assert.deepEqual([foreign.status, foreign.text], [unknown.status, unknown.text], kind);
    }
  });

  test('a channel key reads its own channel’s; another’s conversation and message are 403', async () => {
    for (const kind of KINDS) {
      assert.equal((await get(`${kind}/${ids[kind]}`, a.mainKey)).status, 200, kind);
      const isOfChannel = kind === 'conversations' || kind === 'messages';
      assert.equal((await get(`${kind}/${ids[kind]}`, a.shopKey)).status, isOfChannel ? 403 : 200);
    }
  });

  test('is a tool too, for the official client', async () => {
    await using mcp = await connectMcp(stack.baseUrl, a.key);
    const names = ['getContact', 'getConversation', 'getMessage', 'getDeal', 'getTask'];
    for (const [at, kind] of KINDS.entries()) {
      const called = await mcp.call(names[at] ?? '', { id: ids[kind] });
      assert.equal(called.status, 200);
      assert.equal(v.parse(v.object({ id: v.string() }), called.body.data).id, ids[kind]);
    }
    assert.equal((await mcp.call('listMembers')).status, 200);
    assert.equal((await mcp.call('listTags', { limit: 1 })).body.limit, 1);
  });
});

describe('GET /api/v1/members', () => {
  test('lists the team by name, without e-mail', async () => {
    const answer = await get('members');
    const { data } = parseAnswer(answer, ListMembersAnswer);
    assert.deepEqual(pluck(data, 'name'), ['Ana Souza', 'Bia Lima', 'Sem Correio']);
    const [ana] = data;
    assert.deepEqual(ana, {
      id: crm.member('ana'),
      name: 'Ana Souza',
      role: ana?.role,
      enabled: true,
    });
    assert.equal(Object.keys(ana ?? {}).join(), 'id,name,role,enabled');
    assert.ok(!answer.text.includes('@'), 'no e-mail');
  });
});

describe('tags', () => {
  const phones = Array.from({ length: 5 }, freshPhone);
  const upsert = (body: object) =>
    stack.call('POST', '/api/v1/contacts', { key: tagged.key, body });
  const list = async (query: string) =>
    parseAnswer(await get(`contacts?${query}`, tagged.key), ListContactsAnswer);
  const phonesOf = async (query: string) => pluck((await list(query)).data, 'phone');

  before(async () => {
    const [one, two, three, four, five] = phones;
    await upsert({ phone: one, name: 'Ana', tags: ['VIP', 'Água'], optIn: true });
    await upsert({ phone: two, name: 'Bia', tags: ['vip'], optIn: false });
    await upsert({ phone: three, name: 'Ana', tags: ['novo'], optIn: true });
    await upsert({ phone: four, name: 'Ana' });
    await upsert({ phone: five, name: 'Eva', tags: ['vip'], optIn: true });
  });

  test('are listed without regard to case, in pages with their total', async () => {
    const page = async (query: string) =>
      parseAnswer(await get(`tags?${query}`, tagged.key), ListTagsAnswer);
    const all = await page('');
    assert.deepEqual([all.page, all.limit, all.total], [1, 50, 3]);
    assert.deepEqual(pluck(all.data, 'name').toSorted(), ['VIP', 'novo', 'Água']);
    const pages = [
      await page('limit=2'),
      await page('limit=2&page=2'),
      await page('limit=2&page=3'),
    ];
    assert.deepEqual(
      pages.flatMap(({ data }) => data),
      all.data,
    );
    assert.deepEqual(pluck(pages, 'total'), [3, 3, 3]);
    assert.deepEqual(issuePaths(await get('tags?limit=201', tagged.key)), ['limit']);
  });

  test('filter contacts in any case, newest first, with the exact total', async () => {
    const [one, two, , , five] = phones;
    for (const tag of ['vip', 'VIP', 'Vip', '%20viP%20']) {
      assert.deepEqual(await phonesOf(`tag=${tag}`), [five, two, one], tag);
    }
    assert.deepEqual(await phonesOf('tag=%C3%A1gua'), [one]);
    assert.deepEqual(await phonesOf('tag=A%CC%81GUA'), [one], 'an accent in two characters');
    assert.deepEqual(await phonesOf('tag=nenhuma'), []);
    const second = await list('tag=vip&limit=1&page=2');
    assert.deepEqual([pluck(second.data, 'phone'), second.total], [[two], 3]);
    assert.equal((await list('tag=vip&limit=2&page=9')).total, 3);
    assert.deepEqual(issuePaths(await get('contacts?tag=', tagged.key)), ['tag']);
  });

  test('and opt-in, each with the other filters', async () => {
    const [one, two, three, four, five] = phones;
    assert.deepEqual(await phonesOf('optIn=true'), [five, three, one]);
    assert.deepEqual(await phonesOf('optIn=false'), [four, two]);
    assert.equal((await list('optIn=true&limit=2')).total, 3);
    assert.deepEqual(await phonesOf('tag=vip&optIn=true'), [five, one]);
    assert.deepEqual(await phonesOf('tag=vip&query=ana'), [one]);
    assert.deepEqual(await phonesOf('optIn=true&query=ana'), [three, one]);
    assert.deepEqual(await phonesOf(`tag=vip&phone=${two}`), [two]);
    assert.deepEqual(await phonesOf(`tag=novo&phone=${two}`), []);
    assert.deepEqual(await phonesOf(`optIn=true&phone=${two}`), []);
    assert.deepEqual(issuePaths(await get('contacts?optIn=talvez', tagged.key)), ['optIn']);
  });

  test('in the spelling that a contact has kept when the tag was made anew', async () => {
    const { ref } = tagged;
    const phone = freshPhone();
    await upsert({ phone, tags: ['Prata'] });
    await stack.apply({ orgs: [{ ref, tags: [{ ref: 'Prata', remove: true }] }] });
    const other = freshPhone();
    await upsert({ phone: other, tags: ['PRATA'] });
    assert.deepEqual(await phonesOf('tag=prata'), [other, phone]);
  });
});
