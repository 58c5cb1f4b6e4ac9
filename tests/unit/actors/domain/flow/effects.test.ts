/** Steps on deals that can do nothing, and their notes to the team. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { unableDeal } from '../../../../../actors/domain/flow/effects.ts';
import { readSteps } from '../../../../../shared/provisioning/flow-steps.ts';
import { begun, flowOf } from '../../../../support/actors/conversation/flow/flow-fixture.ts';

describe('a step on a deal', () => {
  const { run } = begun(flowOf([{ id: 'a', do: 'wait', next: null }]));
  const stages = [{ id: 'stg_1', name: 'Novo' }];
  const STEPS = {
    create: { title: 'Plano', stage: 'Novo' },
    move: { stage: 'Novo' },
    close: { status: 'won' },
  } as const;

  /** @param dealId the deal that the run created */
  function unableAt(action: keyof typeof STEPS, dealId: string | null, facts: object) {
    const [step] = readSteps([{ id: 'a', do: 'deal', action, ...STEPS[action], next: null }]);
    assert.ok(run && step?.do === 'deal');
    return unableDeal(step, { ...run, dealId }, { stages, ...facts });
  }

  const note = (undone: string, why: string) =>
    `Fluxo "Fluxo", etapa "a": o negócio não foi ${undone}, porque ${why}.`;

  it('tells the team that the deal of the run is gone, or closed already', () => {
    const table = [
      ['move', null, 'deal_not_found', 'movido', 'o negócio deste fluxo não existe'],
      ['move', 'lost', 'deal_closed', 'movido', 'ele já está fechado'],
      ['close', null, 'deal_not_found', 'fechado', 'o negócio deste fluxo não existe'],
      ['close', 'won', 'deal_closed', 'fechado', 'ele já está fechado'],
    ] as const;
    for (const [action, ownDeal, reason, undone, why] of table) {
      const expected = { reason, note: note(undone, why) };
      assert.deepEqual(unableAt(action, 'deal_1', { ownDeal }), expected, `${action} ${ownDeal}`);
    }
  });

  it('tells the team that there is no such stage, whatever becomes of the deal', () => {
    const why = 'não há a etapa "Novo" no funil';
    for (const [action, undone] of [
      ['create', 'criado'],
      ['move', 'movido'],
    ] as const) {
      const expected = { reason: 'stage_not_found', note: note(undone, why) };
      assert.deepEqual(unableAt(action, 'deal_1', { stages: [], ownDeal: null }), expected);
      assert.deepEqual(unableAt(action, null, { stages: undefined }), expected);
    }
  });

  it('can proceed on an open deal, and on one of the contact', () => {
    for (const action of ['move', 'close'] as const) {
      assert.equal(unableAt(action, 'deal_1', { ownDeal: 'open' }), null);
      for (const ownDeal of [undefined, null, 'won']) {
        assert.equal(unableAt(action, null, { ownDeal }), null, `${action} ${ownDeal}`);
      }
      assert.equal(unableAt(action, 'deal_1', {}), null, 'not known');
    }
  });

  it('makes another deal beside the one that the run has made', () => {
    for (const ownDeal of ['open', 'won', 'lost', null]) {
      assert.equal(unableAt('create', 'deal_1', { ownDeal }), null, `${ownDeal}`);
      assert.equal(unableAt('create', null, { ownDeal }), null, `${ownDeal}`);
    }
  });
});
