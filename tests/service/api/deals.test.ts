/** Deals over the real stack (C2.9, C3.3, C4.13, C4.14, C4.15). */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { crmFixtureOf, TEAM } from '../../support/api/crm-fixture.ts';
import { assertRefused, freshPhone, issuePaths } from '../../support/api.ts';
import { pluck } from '../../support/pluck.ts';
import { useOrganizations, useStack, useSubscriber } from '../../support/stack-hooks.ts';
import { waitUntil } from '../../support/wait-for.ts';

const stack = useStack();
const subscriber = useSubscriber();
const made = useOrganizations(stack, () => {
  const subscriptions = [
    { ref: 'all', url: `${subscriber.url}/a`, events: ['*', 'deal.reopened'] },
  ];
  return { a: { ...TEAM, subscriptions }, b: {}, lists: TEAM };
});
const org = made.a;
const a = crmFixtureOf(stack, made.a);
const b = crmFixtureOf(stack, made.b);
const lists = crmFixtureOf(stack, made.lists);

const DEAL_FIELDS =
  'id,title,valueCents,status,pipelineId,stageId,contact,ownerId,expectedCloseOn,lostReason,' +
  'conversationId,closedAt,createdAt,updatedAt';

/** So many events about one deal, and no more. */
async function events(id: string, count: number) {
  const about = () => subscriber.at('/a').filter(({ bytes }) => bytes.includes(id));
  await waitUntil(`${count} events about ${id}`, () => about().length >= count);
  assert.equal(
    about().length,
    count,
    about()
      .map(({ event }) => event)
      .join(),
  );
  return about();
}

async function moved(id: string, position: number) {
  const stageId = (await a.pipeline()).stages[position]?.id;
  return a.changeDeal(id, { stageId });
}

describe('POST /api/v1/deals (contract section 4)', () => {
  test('creates with 201 in the order of section 2, in the first stage, without value', async () => {
    const contact = await a.contact('Ana');
    const answer = await a.post('deals', { contactId: contact.id, title: 'Plano', extra: 1 });
    assert.equal(answer.status, 201);
    const { data } = answer.json as { data: Record<string, unknown> };
    assert.equal(Object.keys(data).join(), DEAL_FIELDS);
    const pipeline = await a.pipeline();
    const { id: _, createdAt, updatedAt, ...rest } = data;
    assert.equal(createdAt, updatedAt);
    assert.deepEqual(rest, {
      title: 'Plano',
      valueCents: 0,
      status: 'open',
      pipelineId: pipeline.id,
      stageId: pipeline.stages[0]?.id,
      contact: { id: contact.id, phone: contact.phone, name: 'Ana' },
      ownerId: null,
      expectedCloseOn: null,
      lostReason: null,
      conversationId: null,
      closedAt: null,
    });
  });

  test('every field is stored; by phone in any formatting; not idempotent', async () => {
    const { phone, id } = await a.contact();
    const stageId = (await a.pipeline()).stages[2]?.id;
    const ownerId = a.member('ana');
    const body = { title: 'X', valueCents: 100_000_000_000, stageId, ownerId };
    const dated = {
      ...body,
      expectedCloseOn: '2028-02-29',
      phone: `+${phone.slice(0, 2)} ${phone.slice(2)}`,
    };
    const deal = await a.deal(dated);
    assert.deepEqual(
      [deal.contact.id, deal.valueCents, deal.stageId, deal.ownerId, deal.expectedCloseOn],
      [id, 100_000_000_000, stageId, ownerId, '2028-02-29'],
    );
    assert.notEqual((await a.deal(dated)).id, deal.id);
  });

  test('conversationId is stored only if the conversation is that contact’s', async () => {
    const { phone } = await a.contact();
    const other = await a.contact();
    const { conversationId } = await stack.send(org.key, {
      channelId: org.main,
      phone,
      text: 'oi',
    });
    assert.equal((await a.deal({ phone, conversationId })).conversationId, conversationId);
    assert.equal((await a.deal({ phone: other.phone, conversationId })).conversationId, null);
    assert.equal((await a.deal({ phone, conversationId: 'cnv_unknown' })).conversationId, null);
  });

  test('422 tells every field at once, rules across fields too', async () => {
    const many = await a.post('deals', {
      title: 'x'.repeat(121),
      valueCents: 1.5,
      expectedCloseOn: '2026-02-29',
      ownerId: null,
      phone: 'x',
    });
    assert.deepEqual(issuePaths(many), [
      'expectedCloseOn',
      'ownerId',
      'phone',
      'title',
      'valueCents',
    ]);
    const { id, phone } = await a.contact();
    const cases: readonly [Record<string, unknown>, string][] = [
      [{ title: 'X' }, 'contactId'],
      [{ title: 'X', contactId: id, phone }, 'phone'],
      [{ contactId: id }, 'title'],
      [{ contactId: id, title: '' }, 'title'],
      [{ contactId: id, title: 'X', valueCents: -1 }, 'valueCents'],
      [{ contactId: id, title: 'X', valueCents: 100_000_000_001 }, 'valueCents'],
      [{ contactId: id, title: 'X', expectedCloseOn: '20261120' }, 'expectedCloseOn'],
      [{ contactId: id, title: 'X', ownerId: 'mbr_unknown' }, 'ownerId'],
      [{ contactId: id, title: 'X', ownerId: '' }, 'ownerId'],
    ];
    for (const [body, path] of cases) {
      assert.deepEqual(issuePaths(await a.post('deals', body)), [path], JSON.stringify(body));
    }
    const widest = await a.deal({ title: '😀'.repeat(120) });
    assert.equal([...widest.title].length, 120, 'code points are counted');
  });

  test('404 for an unknown contact, phone or stage, and for another organization’s', async () => {
    const theirs = await b.contact();
    const mine = await a.contact();
    const before = (await a.deals()).total;
    const foreign = (await b.pipeline()).stages[0]?.id;
    assertRefused(await a.post('deals', { title: 'X', contactId: theirs.id }), 404);
    assertRefused(await a.post('deals', { title: 'X', contactId: 'ctc_unknown' }), 404);
    assertRefused(await a.post('deals', { title: 'X', phone: freshPhone() }), 404);
    for (const stageId of [foreign, 'stg_unknown', '']) {
      assertRefused(await a.post('deals', { title: 'X', contactId: mine.id, stageId }), 404);
    }
    const deal = await b.deal();
    assertRefused(await a.post(`deals/${deal.id}`, { status: 'won' }), 404);
    assertRefused(await a.post('deals/deal_unknown', { status: 'won' }), 404);
    assert.equal((await a.deals()).total, before);
  });
});

describe('POST /api/v1/deals/{id} (contract sections 3 and 4)', () => {
  test('changes what is named, null clears, and an empty change is 422', async () => {
    const deal = await a.deal({ ownerId: a.member('ana'), expectedCloseOn: '2026-12-01' });
    const changed = await a.changeDeal(deal.id, { title: 'Novo', valueCents: 5, ownerId: null });
    assert.deepEqual(
      [changed.title, changed.valueCents, changed.ownerId, changed.expectedCloseOn],
      ['Novo', 5, null, '2026-12-01'],
    );
    assert.equal((await a.changeDeal(deal.id, { expectedCloseOn: null })).expectedCloseOn, null);
    assert.deepEqual(issuePaths(await a.post(`deals/${deal.id}`, {})), ['']);
    assert.deepEqual(issuePaths(await a.post(`deals/${deal.id}`, { unknown: 1 })), ['']);
  });

  test('lostReason goes with status lost, and only with it', async () => {
    const { id } = await a.deal();
    const refused = [
      { status: 'lost' },
      { lostReason: 'Preço' },
      { status: 'won', lostReason: 'Preço' },
      { status: 'lost', lostReason: '' },
      { status: 'lost', lostReason: 'x'.repeat(81) },
    ];
    for (const body of refused) {
      assert.deepEqual(issuePaths(await a.post(`deals/${id}`, body)), ['lostReason']);
    }
    assert.deepEqual(issuePaths(await a.post(`deals/${id}`, { status: 'closed' })), ['status']);
    const lost = await a.changeDeal(id, { status: 'lost', lostReason: 'Preço' });
    assert.deepEqual([lost.status, lost.lostReason], ['lost', 'Preço']);
    assert.ok(lost.closedAt);
  });

  test('all or nothing: a refused part stores nothing', async () => {
    const deal = await a.deal();
    await a.changeDeal(deal.id, { status: 'won' });
    const [before] = (await a.deals(`contactId=${deal.contact.id}`)).data;
    const stageId = (await a.pipeline()).stages[1]?.id;
    assertRefused(await a.post(`deals/${deal.id}`, { title: 'Outro', stageId }), 409);
    assertRefused(await a.post(`deals/${deal.id}`, { title: 'Outro', status: 'won' }), 409);
    assertRefused(await a.post(`deals/${deal.id}`, { stageId, status: 'open' }), 409);
    assertRefused(await a.post(`deals/${deal.id}`, { title: 'Outro', stageId: 'x' }), 404);
    assert.deepEqual(
      issuePaths(await a.post(`deals/${deal.id}`, { title: 'Outro', ownerId: 'x' })),
      ['ownerId'],
    );
    assert.deepEqual((await a.deals(`contactId=${deal.contact.id}`)).data, [before]);
  });

  test('each transition emits its event once, with the deal as the API shows it', async () => {
    const deal = await a.deal();
    const second = await moved(deal.id, 1);
    assert.deepEqual(await moved(deal.id, 1), second, 'nothing moves');
    await a.changeDeal(deal.id, { status: 'open' });
    const won = await a.changeDeal(deal.id, { status: 'won' });
    await a.changeDeal(deal.id, { status: 'open' });
    const stageId = (await a.pipeline()).stages[3]?.id;
    await a.changeDeal(deal.id, { stageId, status: 'lost', lostReason: 'Preço' });
    const told = await events(deal.id, 6);
    assert.deepEqual(
      pluck(told, 'event').toSorted(),
      ['created', 'lost', 'reopened', 'stage_changed', 'stage_changed', 'won'].map(
        (name) => `deal.${name}`,
      ),
    );
    const data = told.find(({ event }) => event === 'deal.won')?.data;
    assert.deepEqual(data, { deal: won, occurredAt: won.updatedAt, origin: 'api' });
    const move = told.find(({ data: { toStageId } }) => toStageId === second.stageId)?.data;
    assert.equal(Object.keys(move ?? {}).join(), 'deal,fromStageId,toStageId,occurredAt,origin');
    assert.equal(move?.fromStageId, deal.stageId);
  });

  test('of 30 parallel closings one wins', async () => {
    const { id } = await a.deal();
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, n) =>
        a.post(`deals/${id}`, n % 2 ? { status: 'won' } : { status: 'lost', lostReason: `${n}` }),
      ),
    );
    assert.deepEqual(answers.map(({ status }) => status).sort(), [
      200,
      ...Array.from({ length: 29 }, () => 409),
    ]);
    const told = await events(id, 2);
    assert.equal(told.filter(({ event }) => /won|lost/.test(event)).length, 1);
  });
});

describe('GET /api/v1/deals (contract section 4)', () => {
  test('by last touched, newest first, each filter, pages; the contact’s name is fresh', async () => {
    const contact = await lists.contact('Antes');
    const made = [];
    for (let n = 0; n < 5; n++)
      made.push(await lists.deal({ contactId: contact.id, title: `${n}` }));
    const [zero, one] = made;
    assert.ok(zero && one);
    await lists.changeDeal(zero.id, { status: 'won' });
    const stageId = (await lists.pipeline()).stages[1]?.id;
    await lists.changeDeal(one.id, { stageId });
    await lists.changeDeal(one.id, { stageId });
    const titles = async (query: string) =>
      (await lists.deals(query)).data.map(({ title }) => title).join('');
    assert.equal(await titles(''), '10432');
    assert.equal(await titles('status=won'), '0');
    assert.equal(await titles('status=open'), '1432');
    assert.equal(await titles(`stageId=${stageId}`), '1');
    assert.equal(await titles(`pipelineId=${zero.pipelineId}&status=open`), '1432');
    assert.equal(await titles(`contactId=${contact.id}&page=2&limit=2`), '43');
    assert.equal(await titles('contactId=nobody'), '');
    const page = await lists.deals('limit=2&status=open');
    assert.deepEqual([page.page, page.limit, page.total], [1, 2, 4]);
    await lists.post('contacts', { phone: contact.phone, name: 'Depois' });
    for (const deal of (await lists.deals()).data) assert.equal(deal.contact.name, 'Depois');
  });

  test('any other status is 422, and a channel key sees all deals', async () => {
    assert.deepEqual(issuePaths(await a.get('deals?status=closed&limit=201')), ['limit', 'status']);
    const all = await a.deals();
    const { json } = await stack.call('GET', '/api/v1/deals', { key: org.shopKey });
    assert.equal((json as { total: number }).total, all.total);
  });
});
