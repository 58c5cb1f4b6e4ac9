/** The reason of a lost deal stands with a lost deal alone (C3.3, C4.15). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type DealChange,
  type DealDecision,
  type DealState,
  decideChange,
  decideCreate,
} from '../../../../actors/domain/deal.ts';

const NOW = Date.UTC(2026, 4, 4, 12, 0, 0);
const STAGE = { pipelineId: 'pip_1', stageId: 'stg_1' };
const CONTEXT = { now: NOW, isMember: () => true, stage: () => STAGE };

function accepted(decision: DealDecision): DealState {
  assert.ok('accepted' in decision, JSON.stringify(decision));
  return decision.accepted;
}

const OPEN = accepted(
  decideCreate(
    {
      ...{ id: 'deal_1', orgId: 'org_1', contactId: 'ctc_1', conversationId: null },
      ...{ title: 'Plano', valueCents: 0, ownerId: null, expectedCloseOn: null },
    },
    STAGE,
    CONTEXT,
  ),
);
const LOST = accepted(decideChange(OPEN, { status: 'lost', lostReason: 'Preço' }, CONTEXT));

test('a deal that is lost has the reason it was given; a won or an open one has none', () => {
  const rows: readonly (readonly [DealState, DealChange, string | null])[] = [
    [OPEN, { status: 'lost', lostReason: 'Prazo' }, 'Prazo'],
    [OPEN, { status: 'won', lostReason: 'Prazo' }, null],
    [LOST, { status: 'open', lostReason: 'Prazo' }, null],
    [LOST, { title: 'Outro' }, 'Preço'],
  ];
  for (const [state, change, reason] of rows) {
    assert.equal(accepted(decideChange(state, change, CONTEXT)).lostReason, reason);
  }
});
