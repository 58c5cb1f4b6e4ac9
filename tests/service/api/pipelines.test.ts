/** Pipelines over the real stack (C2.8, C4.12, D440). */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as v from 'valibot';
import { DealAnswer } from '../../../shared/api/deal.ts';
import {
  ListPipelinesAnswer,
  type Pipeline,
  PipelineAnswer,
} from '../../../shared/api/pipeline.ts';
import { parseAnswer } from '../../support/api/answers.ts';
import { crmFixtureOf } from '../../support/api/crm-fixture.ts';
import { type Answer, assertRefused, issuePaths } from '../../support/api.ts';
import { connectMcp } from '../../support/mcp.ts';
import { pluck } from '../../support/pluck.ts';
import { useOrganizations, useStack, useSubscriber } from '../../support/stack-hooks.ts';
import { waitUntil } from '../../support/wait-for.ts';

const FLOW = {
  ...{ ref: 'crm', name: 'CRM', enabled: true, channel: null, isMain: false, triggers: [] },
  steps: [
    { id: 'made', do: 'deal', action: 'create', title: 'Do fluxo', stage: 'Proposta', next: 'end' },
    { id: 'end', do: 'end' },
  ],
};

const stack = useStack();
const subscriber = useSubscriber();
const { org, shop, full, other } = useOrganizations(stack, () => ({
  org: {},
  shop: {
    more: { flows: [FLOW] },
    subscriptions: [{ ref: 'all', url: `${subscriber.url}/shop`, events: ['*'] }],
  },
  full: {},
  other: {},
}));
const race = crmFixtureOf(stack, org);
const crm = crmFixtureOf(stack, shop);

async function contacts(count: number): Promise<readonly string[]> {
  const phones: string[] = [];
  while (phones.length < count) phones.push((await race.contact()).phone);
  return phones;
}

function create(phone: string): Promise<Answer> {
  const body = { title: 'Plano', phone };
  return stack.call('POST', '/api/v1/deals', { key: org.key, body });
}

describe('GET /api/v1/pipelines (contract section 4)', () => {
  test('the default one is created on the first read, exactly one under any race', async () => {
    const phones = await contacts(10);
    const reads = Array.from({ length: 40 }, () => race.get('pipelines'));
    const creates = phones.map(create);
    const answers = await Promise.all(reads);
    const [first] = answers;
    for (const { text } of answers) assert.equal(text, first?.text);
    const { data } = v.parse(ListPipelinesAnswer, first?.json);
    assert.equal(data.length, 1);
    assert.deepEqual([data[0]?.name, data[0]?.isDefault], ['Funil de vendas', true]);
    assert.deepEqual(
      data[0]?.stages.map(({ name, position }) => `${position} ${name}`),
      ['0 Novo', '1 Em contato', '2 Proposta', '3 Negociação'],
    );
    for (const { status, text, json } of await Promise.all(creates)) {
      assert.equal(status, 201, text);
      const deal = v.parse(DealAnswer, json).data;
      assert.deepEqual([deal.pipelineId, deal.stageId], [data[0]?.id, data[0]?.stages[0]?.id]);
    }
  });
});

const listed = async () => v.parse(ListPipelinesAnswer, (await crm.get('pipelines')).json).data;

async function made(body: object): Promise<Pipeline> {
  const answer = await crm.post('pipelines', { ...body });
  return parseAnswer(answer, PipelineAnswer, 201).data;
}

async function changed(id: string, body: object): Promise<Pipeline> {
  return parseAnswer(await crm.post(`pipelines/${id}`, { ...body }), PipelineAnswer).data;
}

const names = ({ stages }: Pipeline) => pluck(stages, 'name').join();

/** Stages `a` to `d`, by their names. */
async function board(name: string) {
  const pipeline = await made({
    name,
    stages: ['a', 'b', 'c', 'd'].map((each) => ({ name: each })),
  });
  const at = (wanted: string) =>
    pipeline.stages.find((stage) => stage.name === wanted)?.id ?? assert.fail(wanted);
  const order = (wanted: string) => [...wanted].map((each) => ({ id: at(each), name: each }));
  return { id: pipeline.id, at, order };
}

const moves = () =>
  subscriber
    .at('/shop')
    .map(({ bytes }) => JSON.parse(bytes.toString()))
    .filter(({ event }) => event === 'deal.stage_changed');

describe('POST /api/v1/pipelines (D440)', () => {
  test('makes one in the order of its stages, beside the default one', async () => {
    const pipeline = await made({
      name: 'Pós-venda',
      stages: [{ name: 'Aberto' }, { name: 'Fim' }],
    });
    assert.deepEqual(
      [pipeline.name, pipeline.isDefault, names(pipeline)],
      ['Pós-venda', false, 'Aberto,Fim'],
    );
    assert.deepEqual(pluck(pipeline.stages, 'position'), [0, 1]);
    const [first, second] = await listed();
    assert.deepEqual([first?.name, first?.isDefault], ['Funil de vendas', true]);
    assert.deepEqual(second, pipeline);
    const stageId = pipeline.stages[1]?.id;
    assert.equal((await crm.deal({ stageId })).pipelineId, pipeline.id);
  });

  test('says what to correct', async () => {
    const wrong = async (body: object) => issuePaths(await crm.post('pipelines', { ...body }));
    const stages = [{ name: 'x' }];
    assert.deepEqual(await wrong({}), ['name', 'stages']);
    assert.deepEqual(await wrong({ name: 'x'.repeat(61), stages }), ['name']);
    assert.deepEqual(await wrong({ name: ' ', stages: [] }), ['name', 'stages']);
    const many = Array.from({ length: 51 }, (_, n) => ({ name: `s${n}` }));
    assert.deepEqual(await wrong({ name: 'x', stages: many }), ['stages']);
    assert.deepEqual(await wrong({ name: 'x', stages: [...stages, { name: ' X' }] }), [
      'stages.1.name',
    ]);
  });

  test('of twenty at most; a repeated call makes one', async () => {
    const make = (key = full.key, idempotencyKey?: string) =>
      stack.call('POST', '/api/v1/pipelines', {
        key,
        body: { name: 'Mais', stages: [{ name: 'x' }] },
        ...(idempotencyKey === undefined ? {} : { headers: { 'idempotency-key': idempotencyKey } }),
      });
    const [one, two] = [await make(full.key, 'once'), await make(full.key, 'once')];
    assert.deepEqual([one.status, two.text], [201, one.text]);
    const answers = await Promise.all(Array.from({ length: 20 }, () => make()));
    assert.equal(answers.filter(({ status }) => status === 201).length, 18);
    for (const answer of answers) if (answer.status !== 201) assertRefused(answer, 409);
  });
});

describe('POST /api/v1/pipelines/{id} (D440)', () => {
  test('renames, reorders and adds: ids stay', async () => {
    const { id, at } = await board('Um');
    const stages = [
      ...[{ name: 'novo' }, { id: at('d'), name: 'D' }, { id: at('a'), name: 'a' }],
      ...[
        { id: at('c'), name: 'b' },
        { id: at('b'), name: 'c' },
      ],
    ];
    const after = await changed(id, { name: 'Dois', stages });
    assert.deepEqual([after.id, after.name, names(after)], [id, 'Dois', 'novo,D,a,b,c']);
    assert.deepEqual(pluck(after.stages, 'id').slice(1), ['d', 'a', 'c', 'b'].map(at));
    assert.deepEqual(pluck(after.stages, 'position'), [0, 1, 2, 3, 4]);
    assert.deepEqual(
      (await listed()).find((each) => each.id === id),
      after,
    );
  });

  test('the deals of a removed stage are shown in the one in its place, and follow', async () => {
    const { id, at, order } = await board('Mudança');
    const [open, won, still] = [
      await crm.deal({ stageId: at('d'), valueCents: 5 }),
      await crm.deal({ stageId: at('d') }),
      await crm.deal({ stageId: at('a') }),
    ];
    await crm.changeDeal(won.id, { status: 'won' });
    const before = moves().length;
    const body = { stages: order('cab') };
    assertRefused(await crm.post(`pipelines/${id}`, body), 409);
    const after = await changed(id, { ...body, moveTo: { [at('d')]: at('b') } });
    assert.equal(names(after), 'c,a,b');
    const shown = async () => [
      pluck((await crm.deals(`stageId=${at('b')}`)).data, 'id').toSorted(),
      (await crm.deals(`stageId=${at('b')}`)).total,
      (await crm.deals(`stageId=${at('d')}`)).total,
      (await crm.deals(`pipelineId=${id}`)).total,
    ];
    const wanted = [[open.id, won.id].toSorted(), 2, 0, 3];
    assert.deepEqual(await shown(), wanted, 'at once');
    for (const deal of [open, won]) {
      const answer = parseAnswer(await crm.get(`deals/${deal.id}`), DealAnswer);
      assert.equal(answer.data.stageId, at('b'));
    }
    await waitUntil('the open deal followed', () => moves().length > before);
    assert.deepEqual(await shown(), wanted, 'and then');
    const [told, ...more] = moves().slice(before);
    assert.equal(more.length, 0, 'a closed deal follows silently');
    assert.deepEqual(
      [told?.data.deal.id, told?.data.fromStageId, told?.data.toStageId, told?.data.origin],
      [open.id, at('d'), at('b'), 'api'],
    );
    const reopened = await crm.changeDeal(won.id, { status: 'open' });
    assert.equal(reopened.stageId, at('b'));
    assertRefused(await crm.post(`deals/${still.id}`, { stageId: at('d') }), 404);
  });

  test('many deals that enter a stage while it is removed all end where it led', async () => {
    const { id, at, order } = await board('Corrida');
    const { phone } = await crm.contact();
    const entering = Array.from({ length: 24 }, async (_, n) => {
      const deal = await crm.post('deals', {
        ...{ phone, title: `Plano ${n}` },
        stageId: at(n % 2 === 0 ? 'd' : 'a'),
      });
      if (n % 2 === 0 || deal.status !== 201) return deal.status;
      const { data } = parseAnswer(deal, DealAnswer, 201);
      return (await crm.post(`deals/${data.id}`, { stageId: at('d') })).status;
    });
    await changed(id, { stages: order('abc'), moveTo: { [at('d')]: at('c') } });
    for (const status of await Promise.all(entering)) {
      assert.ok([200, 201, 404].includes(status), `${status}`);
    }
    const all = await crm.deals(`pipelineId=${id}&limit=200`);
    for (const deal of all.data) assert.notEqual(deal.stageId, at('d'));
    await waitUntil('every list agrees', async () => {
      const totals = ['a', 'b', 'c'].map(async (each) => {
        return (await crm.deals(`stageId=${at(each)}`)).total;
      });
      const sum = (await Promise.all(totals)).reduce((some, total) => some + total, 0);
      return sum === (await crm.deals(`pipelineId=${id}`)).total;
    });
  });

  test('says what to correct, and changes nothing then', async () => {
    const { id, at, order } = await board('Errada');
    const before = await listed();
    const foreign = before[0]?.stages[0]?.id ?? assert.fail('a stage');
    const wrong = async (body: object) =>
      issuePaths(await crm.post(`pipelines/${id}`, { ...body }));
    assert.deepEqual(await wrong({}), ['']);
    assert.deepEqual(await wrong({ isDefault: false }), ['isDefault']);
    assert.deepEqual(await wrong({ stages: [] }), ['stages']);
    assert.deepEqual(await wrong({ stages: [{ id: foreign, name: 'x' }] }), ['stages.0.id']);
    assert.deepEqual(await wrong({ stages: [...order('ab'), { name: 'B' }] }), ['stages.2.name']);
    const kept = { stages: order('ab'), moveTo: { [at('c')]: foreign, [at('a')]: at('b') } };
    const moved = [at('c'), at('a')].map((stageId) => `moveTo.${stageId}`);
    assert.deepEqual(await wrong({ name: 'Nova', ...kept }), moved.toSorted());
    assert.deepEqual(await listed(), before);
    assertRefused(await crm.post('pipelines/pip_none', { name: 'x' }), 404);
    const answer = await stack.call('POST', `/api/v1/pipelines/${id}`, {
      key: other.key,
      body: { name: 'x' },
    });
    assertRefused(answer, 404);
  });

  test('the default one takes the deals that come without a stage', async () => {
    const { id, at } = await board('Padrão');
    const [former] = (await listed()).filter(({ isDefault }) => isDefault);
    assert.equal((await changed(id, { isDefault: true })).isDefault, true);
    assert.deepEqual(
      (await listed()).filter(({ isDefault }) => isDefault).map((each) => each.id),
      [id],
    );
    assert.equal((await crm.deal()).stageId, at('a'));
    await changed(former?.id ?? '', { isDefault: true });
  });

  test('a flow goes on finding a stage that was renamed, then one that was removed', async () => {
    const pipeline = (await listed()).find(({ isDefault }) => isDefault) ?? assert.fail();
    const stages = pipeline.stages.map(({ id, name }) => ({
      id,
      name: name === 'Proposta' ? 'Oferta' : name,
    }));
    await changed(pipeline.id, { stages });
    const run = async () => {
      const { id, phone } = await crm.contact();
      const body = { phone, channelId: shop.main };
      await crm.post(`flows/${shop.applied.flows.crm}/start`, body);
      return waitUntil('a deal of the flow', async () => {
        return (await crm.deals(`contactId=${id}`)).data[0];
      });
    };
    const offer = pipeline.stages[2]?.id ?? '';
    assert.equal((await run()).stageId, offer);
    const [first] = stages;
    const rest = stages.filter(({ id }) => id !== offer);
    await changed(pipeline.id, { stages: rest, moveTo: { [offer]: first?.id } });
    assert.equal((await run()).stageId, first?.id);
  });

  test('is a tool too, for the official client', async () => {
    await using mcp = await connectMcp(stack.baseUrl, shop.key);
    const created = await mcp.call('createPipeline', { name: 'IA', stages: [{ name: 'x' }] });
    assert.equal(created.status, 201);
    const { id } = v.parse(v.object({ id: v.string() }), created.body.data);
    const renamed = await mcp.call('changePipeline', { id, name: 'Assistente' });
    assert.equal(renamed.status, 200);
  });
});
