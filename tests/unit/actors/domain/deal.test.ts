/** The deal against its table of transitions, as data (C3.3). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  type DealChange,
  type DealState,
  decideChange,
  decideCreate,
} from '../../../../actors/domain/deal.ts';
import { findStage, newDefaultPipeline } from '../../../../actors/domain/organization/state.ts';
import { createIds } from '../../../../infra/adapters/ids/ids.ts';
import type { DealStatus } from '../../../../shared/vocabulary.ts';

const RUNS = { numRuns: 5_000 };
const NOW = Date.UTC(2026, 4, 4, 12, 0, 0);
const PIPELINE = newDefaultPipeline(createIds(new Uint8Array(32)), 'org_1');
const STAGES = PIPELINE.stages.map(({ id }) => id);
const [FIRST = '', SECOND = ''] = STAGES;
const circumstances = (now = NOW) => ({
  now,
  isMember: (id: string) => id === 'ana',
  stage: (stageId: string) => findStage([PIPELINE], stageId),
});

function created(): DealState {
  const decision = decideCreate(
    {
      id: 'deal_1',
      orgId: 'org_1',
      contactId: 'ctc_1',
      title: 'Plano',
      valueCents: 0,
      ownerId: null,
      expectedCloseOn: null,
      conversationId: null,
    },
    { pipelineId: PIPELINE.id, stageId: FIRST },
    circumstances(),
  );
  assert.ok('accepted' in decision);
  assert.deepEqual(decision.events, [{ event: 'deal.created' }]);
  return decision.accepted;
}

function inStatus(status: DealStatus): DealState {
  if (status === 'open') return created();
  const lostReason = status === 'lost' ? { lostReason: 'Preço' } : {};
  return accept(created(), { status, ...lostReason }).accepted;
}

function accept(state: DealState, change: DealChange, now = NOW) {
  const decision = decideChange(state, change, circumstances(now));
  assert.ok('accepted' in decision, JSON.stringify(decision));
  return decision;
}

/** C3.3, row by row; `stage` is the stage asked for. */
const TABLE: readonly {
  readonly from: readonly DealStatus[];
  readonly change: DealChange;
  readonly to: DealStatus | 409;
  readonly events: readonly string[];
}[] = [
  { from: ['open'], change: { stageId: SECOND }, to: 'open', events: ['deal.stage_changed'] },
  { from: ['open'], change: { stageId: FIRST }, to: 'open', events: [] },
  { from: ['won', 'lost'], change: { stageId: SECOND }, to: 409, events: [] },
  { from: ['won', 'lost'], change: { stageId: FIRST }, to: 409, events: [] },
  { from: ['open'], change: { status: 'won' }, to: 'won', events: ['deal.won'] },
  {
    from: ['open'],
    change: { status: 'lost', lostReason: 'Preço' },
    to: 'lost',
    events: ['deal.lost'],
  },
  { from: ['won', 'lost'], change: { status: 'won' }, to: 409, events: [] },
  { from: ['won', 'lost'], change: { status: 'lost', lostReason: 'x' }, to: 409, events: [] },
  { from: ['won', 'lost'], change: { status: 'open' }, to: 'open', events: ['deal.reopened'] },
  // D26.
  { from: ['open'], change: { status: 'open' }, to: 'open', events: [] },
  {
    from: ['open'],
    change: { stageId: SECOND, status: 'won' },
    to: 'won',
    events: ['deal.stage_changed', 'deal.won'],
  },
  { from: ['won', 'lost'], change: { stageId: SECOND, status: 'open' }, to: 409, events: [] },
];

test('section 3, Deal: every row of the table', () => {
  for (const { from, change, to, events } of TABLE) {
    for (const status of from) {
      const state = inStatus(status);
      const what = `${status} ${JSON.stringify(change)}`;
      const decision = decideChange(state, change, circumstances(NOW + 1));
      if (to === 409) {
        assert.ok('refused' in decision, what);
        assert.ok(['closed_deal_moved', 'deal_closed'].includes(decision.refused.kind), what);
        continue;
      }
      assert.ok('accepted' in decision, what);
      assert.equal(decision.accepted.status, to, what);
      assert.deepEqual(
        decision.events.map(({ event }) => event),
        events,
        what,
      );
      if (events.length === 0) assert.equal(decision.accepted, state, `${what}: nothing moves`);
    }
  }
});

test('section 3, Deal: closing sets closedAt, reopening clears it and the reason', () => {
  const lost = accept(created(), { status: 'lost', lostReason: 'Preço' }, NOW + 5).accepted;
  assert.deepEqual([lost.closedAt, lost.lostReason], [NOW + 5, 'Preço']);
  const open = accept(lost, { status: 'open' }, NOW + 9).accepted;
  assert.deepEqual([open.closedAt, open.lostReason, open.stageId], [null, null, FIRST]);
});

test('section 3, Deal: a move goes to the top of the stage and tells both stages', () => {
  const { accepted, events } = accept(created(), { stageId: SECOND });
  assert.deepEqual(events, [
    { event: 'deal.stage_changed', fromStageId: FIRST, toStageId: SECOND },
  ]);
  assert.ok(accepted.arrivedAt > created().arrivedAt);
});

const changeArb: fc.Arbitrary<DealChange> = fc.record(
  {
    title: fc.constantFrom('Plano', 'Outro'),
    valueCents: fc.constantFrom(0, 100),
    ownerId: fc.constantFrom(null, 'ana', 'stranger'),
    expectedCloseOn: fc.constantFrom(null, '2026-12-01'),
    stageId: fc.constantFrom(...STAGES, 'nowhere'),
    status: fc.constantFrom('open' as const, 'won' as const, 'lost' as const),
  },
  { requiredKeys: [] },
);

/** The same rules, said another way. */
function modelRefuses({ status }: DealState, change: DealChange): string | null {
  if (change.ownerId === 'stranger') return 'invalid';
  if (change.stageId === 'nowhere') return 'stage_not_found';
  if (status === 'open') return null;
  if (change.stageId !== undefined) return 'closed_deal_moved';
  return change.status === 'won' || change.status === 'lost' ? 'deal_closed' : null;
}

test('section 3, Deal: any sequence is all or nothing, and each transition tells one event', () => {
  fc.assert(
    fc.property(fc.array(changeArb, { maxLength: 12 }), (changes) => {
      let state = created();
      for (const [at, named] of changes.entries()) {
        const change = named.status === 'lost' ? { ...named, lostReason: 'Preço' } : named;
        const decision = decideChange(state, change, circumstances(NOW + at));
        const refusal = modelRefuses(state, change);
        if ('refused' in decision) {
          assert.equal(decision.refused.kind, refusal);
          continue;
        }
        assert.equal(refusal, null);
        const next = decision.accepted;
        const told = decision.events.map(({ event }) => event);
        const closes = next.status !== state.status && next.status !== 'open';
        assert.equal(told.includes('deal.stage_changed'), next.stageId !== state.stageId);
        assert.equal(told.includes('deal.won') || told.includes('deal.lost'), closes);
        assert.equal(next.closedAt === null, next.status === 'open');
        assert.equal(next.lostReason === null, next.status !== 'lost');
        assert.equal(next.version, next === state ? state.version : state.version + 1);
        assert.ok(next.updatedAt >= state.updatedAt && next.arrivedAt >= state.arrivedAt);
        state = next;
      }
    }),
    RUNS,
  );
});

test('section 4, POST /deals: a stage that does not exist is 404, a stranger as owner 422', () => {
  const { status: _s, pipelineId, stageId, ...deal } = created();
  const unknown = decideCreate(deal, null, circumstances());
  assert.ok('refused' in unknown && unknown.refused.kind === 'stage_not_found');
  const place = { pipelineId, stageId };
  const stranger = decideCreate({ ...deal, ownerId: 'stranger' }, place, circumstances());
  assert.ok('refused' in stranger && stranger.refused.issues?.[0]?.path === 'ownerId');
});

test('decisions, Default pipeline: its name, its stages, and ids of the organization alone', () => {
  assert.equal(PIPELINE.name, 'Funil de vendas');
  assert.deepEqual(
    PIPELINE.stages.map(({ name }) => name),
    ['Novo', 'Em contato', 'Proposta', 'Negociação'],
  );
  const ids = createIds(new Uint8Array(32));
  assert.deepEqual(newDefaultPipeline(ids, 'org_1'), PIPELINE);
  assert.notEqual(newDefaultPipeline(ids, 'org_2').id, PIPELINE.id);
});

test('a deal that is created is open and on top of its stage', () => {
  const { status, lostReason, closedAt, version, createdAt, updatedAt, arrivedAt } = created();
  assert.deepEqual([status, lostReason, closedAt, version], ['open', null, null, 1]);
  assert.deepEqual([createdAt, updatedAt, arrivedAt], [NOW, NOW, NOW]);
});

test('each field changes by itself and tells nothing; said again it changes nothing', () => {
  const state = { ...created(), ownerId: 'ana', expectedCloseOn: '2026-06-01' };
  const table: readonly DealChange[] = [
    { title: 'Outro' },
    { valueCents: 7 },
    { title: 'Outro', valueCents: 7, ownerId: null },
    { valueCents: 0 },
    { ownerId: null },
    { expectedCloseOn: null },
    { expectedCloseOn: '2026-07-01' },
  ];
  for (const change of table) {
    const decision = decideChange({ ...state, valueCents: 9 }, change, circumstances(NOW + 5));
    const expected = { ...state, valueCents: 9, ...change, updatedAt: NOW + 5, version: 2 };
    assert.deepEqual(decision, { accepted: expected, events: [] });
  }
  const { title, valueCents, ownerId, expectedCloseOn, stageId } = state;
  const same = { title, valueCents, ownerId, expectedCloseOn, stageId, status: 'open' } as const;
  const decision = decideChange(state, same, circumstances(NOW + 5));
  assert.ok('accepted' in decision && decision.accepted === state);
});

test('a deal arrives later than it was, however the clock goes', () => {
  const state = { ...created(), arrivedAt: NOW + 50, updatedAt: NOW + 50 };
  const moved = decideChange(state, { stageId: SECOND }, circumstances(NOW));
  assert.ok('accepted' in moved);
  assert.deepEqual([moved.accepted.arrivedAt, moved.accepted.updatedAt], [NOW + 51, NOW + 50]);
  const later = decideChange(state, { stageId: SECOND }, circumstances(NOW + 99));
  assert.ok('accepted' in later && later.accepted.arrivedAt === NOW + 99);
});

test('a closed deal takes other changes, and neither a move nor another end', () => {
  const won = decideChange(created(), { status: 'won' }, circumstances(NOW + 1));
  assert.ok('accepted' in won);
  const refused = (change: DealChange) => {
    const decision = decideChange(won.accepted, change, circumstances(NOW + 2));
    return 'refused' in decision ? decision.refused.kind : null;
  };
  assert.equal(refused({ title: 'Outro' }), null);
  assert.equal(refused({ status: 'lost', lostReason: 'x' }), 'deal_closed');
  assert.equal(refused({ status: 'won' }), 'deal_closed');
  assert.equal(refused({ stageId: SECOND }), 'closed_deal_moved');
  assert.equal(refused({ stageId: 'stg_none' }), 'stage_not_found');
  assert.equal(refused({ ownerId: 'stranger', stageId: 'stg_none' }), 'invalid');
  assert.equal(refused({ status: 'open' }), null);
});

test('a deal that is created is in its first version', () => {
  const { status: _s, pipelineId, stageId, ...deal } = created();
  const decision = decideCreate(deal, { pipelineId, stageId }, circumstances());
  assert.ok('accepted' in decision);
  assert.equal(decision.accepted.version, 1);
  assert.equal(decision.accepted.arrivedAt, NOW);
  const state = { ...decision.accepted, arrivedAt: NOW + 50 };
  const moved = decideChange(state, { stageId: SECOND }, circumstances(NOW));
  assert.ok('accepted' in moved && moved.accepted.arrivedAt === NOW + 51);
});
