/**
 * kill -9 of the process that lets the deals of a removed stage follow, half way: every open deal
 * moves once and says so once, and the lists agree (D440).
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Pipeline, PipelineAnswer } from '../../../shared/api/pipeline.ts';
import { parseAnswer } from '../../support/api/answers.ts';
import { crmFixtureOf } from '../../support/api/crm-fixture.ts';
import { killHard } from '../../support/kills.ts';
import {
  useDatabase,
  useOrganizations,
  useStack,
  useSubscriber,
} from '../../support/stack-hooks.ts';
import { waitUntil } from '../../support/wait-for.ts';

const OPEN = 240;
const CLOSED = 30;
const STAYING = 5;
const AT_ONCE = 20;

const stack = useStack();
const subscriber = useSubscriber();
const { shop } = useOrganizations(stack, () => ({
  shop: {
    subscriptions: [{ ref: 'all', url: `${subscriber.url}/all`, events: ['deal.stage_changed'] }],
  },
}));
const database = useDatabase(stack);
const crm = crmFixtureOf(stack, shop);

interface Board {
  readonly pipeline: Pipeline;
  readonly left: string;
  readonly to: string;
}

/** A stage that is to be removed, with deals of both kinds, and the one in its place. */
async function board(name: string): Promise<Board & { readonly open: readonly string[] }> {
  const stages = ['Entrada', 'Destino', 'Removida'].map((each) => ({ name: each }));
  const made = await crm.post('pipelines', { name, stages });
  const pipeline = parseAnswer(made, PipelineAnswer, 201).data;
  const [, { id: to } = { id: '' }, { id: left } = { id: '' }] = pipeline.stages;
  const { phone } = await crm.contact();
  const fill = async (count: number, stageId: string) => {
    const ids: string[] = [];
    while (ids.length < count) {
      const some = Math.min(AT_ONCE, count - ids.length);
      const body = { phone, stageId };
      const deals = await Promise.all(Array.from({ length: some }, () => crm.deal(body)));
      ids.push(...deals.map(({ id }) => id));
    }
    return ids;
  };
  await fill(STAYING, to);
  const open = await fill(OPEN, left);
  const closed = await fill(CLOSED, left);
  for (const id of closed) await crm.changeDeal(id, { status: 'won' });
  return { pipeline, left, to, open };
}

const remove = ({ pipeline, left, to }: Board, key: string) => {
  const stages = pipeline.stages.filter(({ id }) => id !== left);
  return stack.call('POST', `/api/v1/pipelines/${pipeline.id}`, {
    key: shop.key,
    body: { stages: stages.map(({ id, name }) => ({ id, name })), moveTo: { [left]: to } },
    headers: { 'idempotency-key': key },
  });
};

/** Deals that the store still has in the stage: they are shown in the one in its place. */
const behind = ({ left }: Board) =>
  database.db.collection('deals').countDocuments({ 'state.stageId': left });

/** Kills the owner while some have followed, and some have not; false: it was too fast. */
async function killHalfWay(removed: Board): Promise<boolean> {
  const before = await behind(removed);
  await waitUntil('some have followed', async () => (await behind(removed)) < before);
  const killed = killHard(stack, 'actors');
  const rest = await behind(removed);
  await killed;
  return rest > 0;
}

async function assertFollowed(removed: Board, open: readonly string[]): Promise<void> {
  const { pipeline, left, to } = removed;
  await waitUntil('none is left behind', async () => (await behind(removed)) === 0);
  const moves = () =>
    subscriber
      .at('/all')
      .map(({ bytes, delivery }) => ({ delivery, ...JSON.parse(bytes.toString()) }))
      .filter(({ data }) => data.deal.pipelineId === pipeline.id && data.fromStageId === left);
  const told = () => new Set(moves().map(({ data }) => data.deal.id));
  await waitUntil(
    () => `${told().size} of ${open.length} moves`,
    () => told().size >= open.length,
  );
  // A delivery may come again, and a move may not.
  const deliveries = new Map(moves().map(({ delivery, data }) => [delivery, data.deal.id]));
  assert.deepEqual([...deliveries.values()].toSorted(), open.toSorted(), 'each move is told once');
  for (const { event, data } of moves()) {
    assert.deepEqual([event, data.toStageId], ['deal.stage_changed', to]);
  }
  const total = async (query: string) => (await crm.deals(`${query}&limit=1`)).total;
  const all = OPEN + CLOSED + STAYING;
  assert.deepEqual(
    {
      there: await total(`stageId=${to}`),
      open: await total(`stageId=${to}&status=open`),
      won: await total(`stageId=${to}&status=won`),
      left: await total(`stageId=${left}`),
      pipeline: await total(`pipelineId=${pipeline.id}`),
    },
    { there: all, open: OPEN + STAYING, won: CLOSED, left: 0, pipeline: all },
  );
}

test('killed half way, again and again, every open deal of a removed stage moves once', async () => {
  const { open, ...removed } = await board('Meio caminho');
  const first = await remove(removed, 'meio-caminho');
  assert.equal(first.status, 200, first.text);
  assert.ok(await killHalfWay(removed), 'killed half way');
  await killHalfWay(removed);
  assert.equal((await remove(removed, 'meio-caminho')).text, first.text, 'a repeat is met');
  await assertFollowed(removed, open);
});

test('killed within the call, a stage is removed once, and its deals follow', async () => {
  const { open, ...removed } = await board('Na chamada');
  const called = remove(removed, 'na-chamada');
  await killHard(stack, 'actors');
  const answer = await called;
  assert.equal(answer.status, 200, answer.text);
  await killHalfWay(removed);
  assert.equal((await remove(removed, 'na-chamada')).text, answer.text, 'a repeat is met');
  await assertFollowed(removed, open);
});
