/** Pipelines of a provisioning file (D442). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decideApply } from '../../../../../actors/domain/organization/apply.ts';
import {
  exportOrganization,
  organizationChanges,
} from '../../../../../actors/domain/organization/written.ts';
import {
  newDefaultPipeline,
  type OrganizationState,
} from '../../../../../actors/domain/organization.ts';
import { NO_TAG_CHANGES } from '../../../../../actors/domain/tags.ts';
import { applyOf, contextAt, NOW } from '../../../../support/actors/domain/organization-fixture.ts';
import { inEnglish } from '../../../../support/provisioning/in-english.ts';

const HEAD = { ref: 'loja', name: 'Loja' };
const STAGES = [
  { ref: 'novo', name: 'Novo' },
  { ref: 'proposta', name: 'Proposta' },
  { ref: 'fim', name: 'Fim' },
];
const SALES = { ref: 'vendas', name: 'Vendas', default: true, stages: STAGES };

function decide(state: OrganizationState | null, more: object, withDeals: readonly string[] = []) {
  const context = { ...contextAt(NOW), stagesWithDeals: new Set(withDeals) };
  return decideApply(state, applyOf({ ...HEAD, ...more }), context);
}

function apply(state: OrganizationState | null, more: object): OrganizationState {
  const decision = decide(state, more);
  assert.ok('accepted' in decision && decision.accepted, JSON.stringify(decision));
  return decision.accepted;
}

function problems(state: OrganizationState | null, more: object, withDeals?: readonly string[]) {
  const decision = decide(state, more, withDeals);
  assert.ok('refused' in decision, 'it was accepted');
  return inEnglish(decision.refused).map(({ path, message }) => `${path} ${message}`);
}

const stagesOf = ({ pipelines = [] }: OrganizationState, at = 0) => pipelines[at]?.stages ?? [];
const idOf = (state: OrganizationState, ref: string) =>
  stagesOf(state).find((stage) => stage.ref === ref)?.id ?? assert.fail(ref);

describe('pipelines of a file', () => {
  it('come into being with a new organization, in the place of the default one', () => {
    const state = apply(null, { pipelines: [SALES] });
    assert.deepEqual(
      state.pipelines?.map(({ ref, name, isDefault }) => [ref, name, isDefault]),
      [['vendas', 'Vendas', true]],
    );
    assert.deepEqual(
      stagesOf(state).map(({ name }) => name),
      ['Novo', 'Proposta', 'Fim'],
    );
    assert.equal(apply(state, { pipelines: [SALES] }), state, 'the same file changes nothing');
    assert.equal(apply(state, {}), state, 'a file without any changes none');
  });

  it('stand beside the one that an organization has', () => {
    const first = newDefaultPipeline(contextAt(NOW).ids, apply(null, {}).id);
    const state = apply(apply(null, {}), { pipelines: [SALES] });
    const shown = state.pipelines?.map(({ id, isDefault }) => [id === first.id, isDefault]);
    assert.deepEqual(shown, [
      [true, false],
      [false, true],
    ]);
    const adopted = { ref: first.id, name: 'Antigo', default: true };
    const after = apply(state, { pipelines: [adopted] });
    assert.deepEqual(after.pipelines?.[0], { ...first, name: 'Antigo' });
    assert.equal(after.pipelines?.[1]?.isDefault, false);
  });

  it('keep the id of a stage over a new name and place, and give it back after its removal', () => {
    const before = apply(null, { pipelines: [SALES] });
    const [one = STAGES[0], , three] = STAGES;
    const stages = [{ ...three, name: 'Encerrado' }, one];
    const moveTo = { proposta: 'novo' };
    const after = apply(before, { pipelines: [{ ...SALES, stages, moveTo }] });
    assert.deepEqual(
      stagesOf(after).map(({ id }) => id),
      [idOf(before, 'fim'), idOf(before, 'novo')],
    );
    const left = after.leftStages?.map(({ id, to, origin }) => [id, to, origin]);
    assert.deepEqual(left, [[idOf(before, 'proposta'), idOf(before, 'novo'), 'panel']]);
    assert.equal(apply(after, { pipelines: [{ ...SALES, stages, moveTo }] }), after);
    const back = apply(after, { pipelines: [SALES] });
    assert.deepEqual(stagesOf(back), stagesOf(before));
    assert.equal(back.leftStages, undefined);
  });

  it('lose no stage with deals that nobody has spoken of', () => {
    const state = apply(null, { pipelines: [SALES] });
    const less = { pipelines: [{ ...SALES, stages: STAGES.slice(0, 2) }] };
    const [problem = ''] = problems(state, less, [idOf(state, 'fim')]);
    assert.match(problem, /^pipelines\.0\.stages leave out the stage "fim", which has deals/);
    assert.equal(stagesOf(apply(state, less)).length, 2);
  });

  it('are refused with each problem at its place', () => {
    const stages = [...STAGES, { ref: 'novo', name: 'Outro' }, { ref: 'x', name: ' novo' }];
    const second = { ref: 'b', name: 'B', default: true, stages: [] };
    assert.deepEqual(problems(null, { pipelines: [{ ...SALES, stages }, second] }), [
      'pipelines.1.stages must have at least one stage',
      'pipelines.0.stages.3.ref "novo" is already taken in the pipeline',
      'pipelines.0.stages.4.name " novo" is already taken in the pipeline',
      'pipelines.1.default is to be true for exactly one pipeline',
    ]);
    const state = apply(null, { pipelines: [SALES] });
    const astray = { ...SALES, stages: STAGES.slice(0, 2), moveTo: { fim: 'fin' } };
    const [problem = ''] = problems(state, { pipelines: [astray] });
    assert.match(problem, /^pipelines\.0\.moveTo\.fim names no stage "fin"/);
    assert.deepEqual(problems(state, { pipelines: [{ ref: 'vendas', default: false }] }), [
      'pipelines.0.default is to be true for exactly one pipeline',
    ]);
    assert.deepEqual(problems(state, { pipelines: [{ ref: 'vendas', remove: true }] }), [
      'pipelines.0.remove is not a known property',
    ]);
  });

  it('are exported as they are applied, and their changes told by ref', () => {
    const state = apply(null, { pipelines: [SALES] });
    assert.deepEqual(exportOrganization(state).pipelines, [SALES]);
    const stages = [{ ref: 'novo', name: 'Entrada' }, ...STAGES.slice(1), { ref: 'x', name: 'X' }];
    const after = apply(state, { pipelines: [{ ...SALES, name: 'Funil', stages }] });
    const { changes } = organizationChanges(state, after, NO_TAG_CHANGES);
    assert.deepEqual(
      changes.map(({ path, change }) => `${change} ${path}`),
      [
        ...['change pipelines.vendas.name', 'change pipelines.vendas.stages.novo.name'],
        'add pipelines.vendas.stages.x',
      ],
    );
  });

  it('decide what flows of the same file may name', () => {
    const step = { id: 'made', do: 'deal', action: 'create', title: 't', next: 'end' };
    const flow = (stage: string) => ({
      ...{ ref: 'crm', name: 'CRM' },
      steps: [
        { ...step, stage },
        { id: 'end', do: 'end' },
      ],
    });
    const state = apply(null, { pipelines: [SALES], flows: [flow('Proposta')] });
    const renamed = STAGES.map((each) =>
      each.ref === 'proposta' ? { ...each, name: 'Oferta' } : each,
    );
    apply(state, { pipelines: [{ ...SALES, stages: renamed }], flows: [flow('Oferta')] });
    apply(state, { pipelines: [{ ...SALES, stages: renamed }], flows: [flow('proposta')] });
    const [problem = ''] = problems(null, { pipelines: [SALES], flows: [flow('Em contato')] });
    assert.match(problem, /names no stage "Em contato"; there are: Novo, Proposta, Fim/);
  });
});
