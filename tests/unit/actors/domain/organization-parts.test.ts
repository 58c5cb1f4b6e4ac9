/** Small parts of an organization: channels' readiness, pipelines, places of secrets, entries. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { compileSteps } from '../../../../actors/domain/flow/references.ts';
import { isSame } from '../../../../actors/domain/is-same.ts';
import { readinessOf } from '../../../../actors/domain/network-readiness.ts';
import { retireOrganization } from '../../../../actors/domain/organization/apply.ts';
import {
  findStage,
  firstStage,
  newDefaultPipeline,
} from '../../../../actors/domain/organization/state.ts';
import { channelSecret, signingSecret } from '../../../../shared/entity-ids.ts';
import {
  applied,
  applyOf,
  contextAt,
  decided,
  LOJA,
  NOW,
  named,
} from '../../../support/actors/domain/organization-fixture.ts';

describe('section 2, Channel: ready, and the reason exactly where it is not', () => {
  const ready = { enabled: true, networkReady: true, networkReason: null };
  const table = [
    [ready, { ready: true, reason: null }],
    [
      { ...ready, enabled: false },
      { ready: false, reason: 'O canal está desativado.' },
    ],
    [
      { ...ready, networkReady: false },
      { ready: false, reason: 'O número não está conectado à rede.' },
    ],
    [
      { ...ready, networkReady: false, networkReason: 'Sessão expirada.' },
      { ready: false, reason: 'Sessão expirada.' },
    ],
    [
      { ...ready, networkReason: 'Sessão expirada.' },
      { ready: true, reason: null },
    ],
  ] as const;
  for (const [channel, expected] of table) {
    it(JSON.stringify(channel), () => assert.deepEqual(readinessOf(channel), expected));
  }
});

describe('decisions, Default pipeline', () => {
  const { ids } = contextAt(NOW);
  const pipeline = newDefaultPipeline(ids, 'org_1');

  it('has its four stages, the same ids whenever it is made', () => {
    assert.equal(pipeline.isDefault, true);
    assert.equal(pipeline.name, 'Funil de vendas');
    assert.deepEqual(
      pipeline.stages.map(({ name }) => name),
      ['Novo', 'Em contato', 'Proposta', 'Negociação'],
    );
    assert.deepEqual(newDefaultPipeline(ids, 'org_1'), pipeline);
    assert.notEqual(newDefaultPipeline(ids, 'org_2').id, pipeline.id);
    assert.equal(new Set(pipeline.stages.map(({ id }) => id)).size, 4);
  });

  it('a deal begins in its first stage, and a stage is found in whichever pipeline', () => {
    const other = {
      id: 'ppl_2',
      name: 'Pós-venda',
      isDefault: false,
      stages: [{ id: 'stg_x', name: 'X' }],
    };
    const pipelines = [other, pipeline];
    const [first] = pipeline.stages;
    assert.deepEqual(firstStage(pipelines), { pipelineId: pipeline.id, stageId: first?.id });
    assert.deepEqual(findStage(pipelines, 'stg_x'), { pipelineId: 'ppl_2', stageId: 'stg_x' });
    assert.equal(findStage(pipelines, 'stg_none'), null);
    assert.equal(firstStage([other]), null);
    assert.equal(firstStage([{ ...pipeline, stages: [] }]), null);
  });
});

describe('the places of secrets, which what is sealed already is bound to', () => {
  it('are named by the organization, the record and the setting', () => {
    const place = { orgId: 'org_1', recordId: 'sub_1', field: 'signing' };
    assert.deepEqual(signingSecret('org_1', 'sub_1'), place);
    const setting = { orgId: 'org_1', recordId: 'chn_1', field: 'network.apiKey' };
    assert.deepEqual(channelSecret('org_1', 'chn_1', 'apiKey'), setting);
  });
});

describe('whether an entry says the same', () => {
  const data = fc.jsonValue({ maxDepth: 3 });

  it('is known of any data (property)', () => {
    fc.assert(
      fc.property(data, data, (a, b) => {
        assert.equal(isSame(a, structuredClone(a)), true);
        assert.equal(isSame(a, b), isSame(b, a));
        assert.equal(isSame([a], [a, b]), false);
        assert.equal(isSame({ a }, { a, b }), false);
        assert.equal(isSame({ a, b: undefined }, { a }), true);
        assert.equal(isSame({ a }, { a, b: undefined }), true);
      }),
    );
  });

  it('a list is no object, and an absent property no null', () => {
    assert.equal(isSame([], {}), false);
    assert.equal(isSame({ 0: 'a' }, ['a']), false);
    assert.equal(isSame({ a: null }, {}), false);
    assert.equal(isSame({ a: undefined }, { b: undefined }), true);
    assert.equal(isSame({ a: 1 }, { b: 1 }), false);
    assert.equal(isSame(null, {}), false);
  });
});

describe('an organization that goes away', () => {
  it('disables all that acts, keeps every id, and is one version further', () => {
    const state = applied(LOJA);
    const gone = retireOrganization(state, NOW + 5);
    assert.equal(gone.version, state.version + 1);
    assert.equal(gone.removed, true);
    assert.equal(gone.lastApply, undefined);
    for (const list of ['channels', 'flows', 'subscriptions'] as const) {
      assert.ok(state[list].length > 0);
      assert.ok(
        gone[list].every((each) => each.removed === true && !each.enabled),
        list,
      );
    }
    for (const list of ['members', 'files', 'keys'] as const) {
      assert.ok(
        gone[list].every((each) => each.removed === true),
        list,
      );
      assert.deepEqual(
        gone[list].map(({ id }) => id),
        state[list].map(({ id }) => id),
      );
    }
    assert.ok(gone.flows.every(({ updatedAt }) => updatedAt === NOW + 5));
  });
});

describe('what a later apply tells', () => {
  it('no secret of a subscription that it has changed', () => {
    const state = applied(LOJA);
    const change = { ref: 'loja', subscriptions: [{ ref: 'crm', events: ['message.read'] }] };
    const { output, accepted } = decided(state, applyOf(change), NOW + 1);
    assert.deepEqual(output.subscriptions, { crm: { id: state.subscriptions[0]?.id } });
    assert.deepEqual(accepted?.lastApply?.created, []);
  });
});

describe('steps as runs take them', () => {
  const state = applied({
    ...LOJA,
    members: [...LOJA.members, { ref: 'bia', name: 'Bia' }],
    flows: [...LOJA.flows, { ref: 'other', name: 'Outro', steps: [{ id: 'end', do: 'end' }] }],
  });
  const compile = (...steps: readonly object[]) =>
    compileSteps({ ...named(state.flows, 'welcome'), steps: steps as never }, state);

  it('name members, flows and files by their ids, and keep all else', () => {
    const bia = named(state.members, 'bia').id;
    assert.deepEqual(
      compile(
        { id: 'a', do: 'assign', member: 'bia', next: 'b' },
        { id: 'b', do: 'task', title: 'T', assignee: 'bia', next: 'c' },
        { id: 'c', do: 'send', file: 'logo', next: 'd' },
        { id: 'd', do: 'start', flow: 'other' },
      ),
      [
        { id: 'a', do: 'assign', member: bia, next: 'b' },
        { id: 'b', do: 'task', title: 'T', assignee: bia, next: 'c' },
        { id: 'c', do: 'send', file: named(state.files, 'logo').id, next: 'd' },
        { id: 'd', do: 'start', flow: named(state.flows, 'other').id },
      ],
    );
  });

  it('what names nobody stays as it is', () => {
    const steps = [
      { id: 'a', do: 'assign', member: 'stranger', next: 'b' },
      { id: 'b', do: 'assign', member: null, next: 'b' },
    ];
    assert.deepEqual(compile(...steps), steps);
  });
});
