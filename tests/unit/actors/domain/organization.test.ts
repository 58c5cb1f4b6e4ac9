import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  findStage,
  firstStage,
  mayAttend,
  newDefaultPipeline,
} from '../../../../actors/domain/organization.ts';
import { channelSecret, signingSecret } from '../../../../shared/entity-ids.ts';
import { contextAt, NOW } from '../../../support/actors/domain/organization-fixture.ts';
import { pluck } from '../../../support/pluck.ts';

describe('decisions, Default pipeline', () => {
  const { ids } = contextAt(NOW);
  const pipeline = newDefaultPipeline(ids, 'org_1');

  it('has its four stages, the same ids whenever it is made', () => {
    assert.deepEqual([pipeline.isDefault, pipeline.name], [true, 'Funil de vendas']);
    assert.deepEqual(pluck(pipeline.stages, 'name'), [
      'Novo',
      'Em contato',
      'Proposta',
      'Negociação',
    ]);
    assert.deepEqual(newDefaultPipeline(ids, 'org_1'), pipeline);
    assert.notEqual(newDefaultPipeline(ids, 'org_2').id, pipeline.id);
    assert.equal(new Set(pipeline.stages.map(({ id }) => id)).size, 4);
  });

  it('a deal begins in its first stage, and a stage is found in whichever pipeline', () => {
    const stages = [{ id: 'stg_x', name: 'X' }];
    const other = { id: 'ppl_2', name: 'Pós-venda', isDefault: false, stages };
    const pipelines = [other, pipeline];
    const [first] = pipeline.stages;
    assert.deepEqual(firstStage(pipelines), { pipelineId: pipeline.id, stageId: first?.id });
    assert.deepEqual(findStage(pipelines, 'stg_x'), { pipelineId: 'ppl_2', stageId: 'stg_x' });
    assert.equal(findStage(pipelines, 'stg_none'), null);
    assert.equal(firstStage([other]), null);
    assert.equal(firstStage([{ ...pipeline, stages: [] }]), null);
  });
});

it('the places of secrets, which what is sealed already is bound to are named by the organization, the record and the setting', () => {
  const place = { orgId: 'org_1', recordId: 'sub_1', field: 'signing' };
  assert.deepEqual(signingSecret('org_1', 'sub_1'), place);
  const setting = { orgId: 'org_1', recordId: 'chn_1', field: 'network.apiKey' };
  assert.deepEqual(channelSecret('org_1', 'chn_1', 'apiKey'), setting);
});

describe('decisions, who attends', () => {
  const ana = { id: 'mbr_ana', ref: 'ana', name: 'Ana', email: null } as const;

  it('is each member of the team but one who left, is disabled, or only reads', () => {
    assert.equal(mayAttend(ana), true);
    assert.equal(mayAttend({ ...ana, role: 'admin' }), true);
    assert.equal(mayAttend({ ...ana, role: 'viewer' }), false);
    assert.equal(mayAttend({ ...ana, disabledAt: NOW }), false);
    assert.equal(mayAttend({ ...ana, removed: true }), false);
  });
});
