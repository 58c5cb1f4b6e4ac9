/** The deal against its table of transitions, as data (C3.3, C4.15). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  type DealChange,
  type DealState,
  decideChange,
  decideCreate,
} from '../../../../actors/domain/deal.ts';
import { findStage, newDefaultPipeline } from '../../../../actors/domain/organization.ts';
import { createIds } from '../../../../infra/adapters/ids/ids.ts';
import type { DealStatus } from '../../../../shared/vocabulary.ts';
import { withRuns } from '../../../support/property.ts';

const forAll = withRuns(5_000);
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
  const deal = {
    ...{ id: 'deal_1', orgId: 'org_1', contactId: 'ctc_1', conversationId: null },
    ...{ title: 'Plano', valueCents: 0, ownerId: null, expectedCloseOn: null },
  };
  const place = { pipelineId: PIPELINE.id, stageId: FIRST };
  const decision = decideCreate(deal, place, circumstances());
  assert.ok('accepted' in decision);
  assert.deepEqual(decision.events, [{ event: 'deal.created' }]);
  return decision.accepted;
}

function inStatus(status: DealStatus): DealState {
  if (status === 'open') return created();
  return accept(created(), status === 'lost' ? LOSE : { status }).accepted;
}

function accept(state: DealState, change: DealChange, now = NOW) {
  const decision = decideChange(state, change, circumstances(now));
  assert.ok('accepted' in decision, JSON.stringify(decision));
  return decision;
}

/** C3.3, row by row: from, the change, the status after it or the refusal, and the events. */
const ENDED = ['won', 'lost'] as const;
const LOSE = { status: 'lost', lostReason: 'Preço' } as const;

const TABLE: readonly (readonly [readonly DealStatus[], DealChange, string, string])[] = [
  [['open'], { stageId: SECOND }, 'open', 'deal.stage_changed'],
  [['open'], { stageId: FIRST }, 'open', ''],
  [ENDED, { stageId: SECOND }, 'closed_deal_moved', ''],
  [ENDED, { stageId: FIRST }, 'closed_deal_moved', ''],
  [['open'], { status: 'won' }, 'won', 'deal.won'],
  [['open'], LOSE, 'lost', 'deal.lost'],
  [ENDED, { status: 'won' }, 'deal_closed', ''],
  [ENDED, LOSE, 'deal_closed', ''],
  [ENDED, { status: 'open' }, 'open', 'deal.reopened'],
  // D26.
  [['open'], { status: 'open' }, 'open', ''],
  [['open'], { stageId: SECOND, status: 'won' }, 'won', 'deal.stage_changed deal.won'],
  [ENDED, { stageId: SECOND, status: 'open' }, 'closed_deal_moved', ''],
];

test('section 3, Deal: every row of the table of transitions', () => {
  for (const [from, change, to, events] of TABLE) {
    for (const status of from) {
      const state = inStatus(status);
      const what = `${status} ${JSON.stringify(change)}`;
      const decision = decideChange(state, change, circumstances(NOW + 1));
      if ('refused' in decision) {
        assert.equal(decision.refused.kind, to, what);
        continue;
      }
      assert.equal(decision.accepted.status, to, what);
      assert.equal(decision.events.map(({ event }) => event).join(' '), events, what);
      if (events === '') assert.equal(decision.accepted, state, `${what}: nothing moves`);
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
  forAll([fc.array(changeArb, { maxLength: 12 })], (changes) => {
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
  });
});

test('section 4, POST /deals: a stage that does not exist is 404, a stranger as owner 422', () => {
  const { status: _s, pipelineId, stageId, ...deal } = created();
  const unknown = decideCreate(deal, null, circumstances());
  assert.ok('refused' in unknown && unknown.refused.kind === 'stage_not_found');
  const place = { pipelineId, stageId };
  const stranger = decideCreate({ ...deal, ownerId: 'stranger' }, place, circumstances());
  assert.ok('refused' in stranger && stranger.refused.issues?.[0]?.path === 'ownerId');
});

test('a deal that is created is open and on top of its stage', () => {
  const { status, lostReason, closedAt, version, createdAt, updatedAt, arrivedAt } = created();
  assert.deepEqual([status, lostReason, closedAt, version], ['open', null, null, 1]);
  assert.deepEqual([createdAt, updatedAt, arrivedAt], [NOW, NOW, NOW]);
});

test('each field of a deal changes by itself and tells nothing; said again it changes nothing', () => {
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
  assert.equal(accept(state, same, NOW + 5).accepted, state);
});

test('a deal arrives later than it was, however the clock goes', () => {
  const state = { ...created(), arrivedAt: NOW + 50, updatedAt: NOW + 50 };
  const moved = accept(state, { stageId: SECOND }, NOW).accepted;
  assert.deepEqual([moved.arrivedAt, moved.updatedAt], [NOW + 51, NOW + 50]);
  assert.equal(accept(state, { stageId: SECOND }, NOW + 99).accepted.arrivedAt, NOW + 99);
});

test('the reason of a lost deal stands with a lost deal alone', () => {
  const rows = [
    ['open', { status: 'lost', lostReason: 'Prazo' }, 'Prazo'],
    ['open', { status: 'won', lostReason: 'Prazo' }, null],
    ['lost', { status: 'open', lostReason: 'Prazo' }, null],
    ['lost', { title: 'Outro' }, 'Preço'],
  ] as const;
  for (const [status, change, reason] of rows) {
    assert.equal(accept(inStatus(status), change).accepted.lostReason, reason);
  }
});
