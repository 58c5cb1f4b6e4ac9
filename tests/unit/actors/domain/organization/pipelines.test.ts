/** Changes of pipelines: whole or not at all, and no stage leads to nowhere (D440, D441). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  decideChangePipeline,
  decideCreatePipeline,
  type PipelineDecision,
  type Pipelines,
  withoutMoving,
} from '../../../../../actors/domain/organization/pipelines.ts';
import { newDefaultPipeline, placeOfLeft } from '../../../../../actors/domain/organization.ts';
import { nameableStages, stageNamed } from '../../../../../actors/domain/stage-names.ts';
import { createIds } from '../../../../../infra/adapters/ids/ids.ts';
import { FAILURES } from '../../../../../shared/failures.ts';
import {
  FORMER_STAGE_NAMES_MAX,
  LEFT_STAGES_MAX,
  PIPELINES_MAX,
} from '../../../../../shared/limits.ts';
import type { ChangePipeline } from '../../../../../shared/wire/pipeline-commands.ts';
import { withRuns } from '../../../../support/property.ts';

const forAll = withRuns(1_000);
const FIRST = newDefaultPipeline(createIds(new Uint8Array(32)), 'org_1');
const [NEW = '', CONTACTED = '', OFFERED = '', DEALT = ''] = FIRST.stages.map(({ id }) => id);
const START: Pipelines = { pipelines: [FIRST] };
const KEPT = FIRST.stages.map(({ id, name }) => ({ id, name }));

type Change = Omit<ChangePipeline, 'id' | 'type' | 'pipelineId' | 'origin'>;
let commands = 0;

function decide(
  state: Pipelines,
  change: Change,
  { withDeals = [], pipelineId = FIRST.id }: { withDeals?: string[]; pipelineId?: string } = {},
): PipelineDecision {
  const id = `cmd_${++commands}`;
  const command = { ...change, id, type: 'pipelines.change', pipelineId, origin: 'api' } as const;
  return decideChangePipeline(state, command, {
    newStageId: (position) => `stg_${id}_${position}`,
    hasDeals: (stageId) => withDeals.includes(stageId),
  });
}

function change(state: Pipelines, ...rest: [Change, { pipelineId?: string }?]): Pipelines {
  const decision = decide(state, ...rest);
  return 'accepted' in decision ? decision.accepted : assert.fail(JSON.stringify(decision));
}

function refusal(decision: PipelineDecision) {
  return 'refused' in decision ? decision.refused : assert.fail('it was accepted');
}

const paths = (decision: PipelineDecision) =>
  (refusal(decision).issues ?? []).map(({ path }) => path).join();

function stagesIn({ pipelines = [] }: Pipelines) {
  return pipelines.flatMap(({ stages }) => stages.map(({ id, name }) => `${id} ${name}`));
}

function named(name: string, { pipelines = [], formerStageNames }: Pipelines): string | null {
  return stageNamed(name, nameableStages(pipelines, formerStageNames));
}

describe('a change of a pipeline', () => {
  it('is a new order: stages stay with their ids, new ones get one, others leave', () => {
    const stages = [{ name: 'Visita' }, { id: OFFERED, name: 'Oferta' }, { id: NEW, name: 'Novo' }];
    const after = change(START, { stages, moveTo: { [DEALT]: OFFERED } });
    const [made] = after.pipelines?.[0]?.stages ?? [];
    assert.deepEqual(stagesIn(after), [`${made?.id} Visita`, `${OFFERED} Oferta`, `${NEW} Novo`]);
    const left = after.leftStages?.map(({ id, to, moving }) => [id, to, moving]);
    assert.deepEqual(left, [
      [CONTACTED, made?.id, true],
      [DEALT, OFFERED, true],
    ]);
  });

  it('is refused whole, with each field to correct', () => {
    const twice = {
      stages: [
        { id: NEW, name: 'a' },
        { id: NEW, name: ' A ' },
        { id: 'x', name: 'b' },
      ],
    };
    assert.equal(paths(decide(START, twice)), 'stages.1.id,stages.2.id,stages.1.name');
    const moves = { stages: KEPT.slice(0, 3), moveTo: { [NEW]: OFFERED, [DEALT]: DEALT } };
    assert.equal(paths(decide(START, moves)), `moveTo.${NEW},moveTo.${DEALT}`);
    assert.equal(paths(decide(START, { name: 'x', moveTo: { [NEW]: DEALT } })), `moveTo.${NEW}`);
    const { kind } = refusal(decide(START, { name: 'x' }, { pipelineId: 'pip_none' }));
    assert.equal(kind, 'pipeline_not_found');
  });

  it('moves no deals that nobody has spoken of', () => {
    const stages = KEPT.slice(0, 3);
    const refused = refusal(decide(START, { stages }, { withDeals: [DEALT] }));
    assert.equal(FAILURES[refused.kind].status, 409);
    const moveTo = { [DEALT]: NEW };
    const decision = decide(START, { stages, moveTo }, { withDeals: [DEALT] });
    assert.ok('accepted' in decision);
  });

  it('makes it the default one, in the place of the other', () => {
    const made = {
      id: 'pip_2',
      type: 'pipelines.create',
      name: 'B',
      stages: [{ name: 'x' }],
    } as const;
    const created = decideCreatePipeline(START, [FIRST], made, () => 'stg_b');
    assert.ok('accepted' in created);
    const before = created.accepted;
    const after = change(before, { isDefault: true }, { pipelineId: 'pip_2' });
    const defaults = (state: Pipelines) => state.pipelines?.map(({ isDefault }) => isDefault);
    assert.deepEqual(
      [defaults(before), defaults(after)],
      [
        [true, false],
        [false, true],
      ],
    );
    assert.deepEqual(change(after, { isDefault: true }, { pipelineId: 'pip_2' }), after);
  });

  it('leads on from a stage whose own removal is not over', () => {
    const first = change(START, { stages: KEPT.slice(0, 3), moveTo: { [DEALT]: OFFERED } });
    const second = change(first, { stages: KEPT.slice(0, 2), moveTo: { [OFFERED]: CONTACTED } });
    for (const id of [DEALT, OFFERED]) {
      assert.equal(placeOfLeft(second.leftStages, id)?.stageId, CONTACTED);
    }
    const { commandId = '' } = second.leftStages?.[0] ?? {};
    assert.equal(withoutMoving(second, { stageId: DEALT, commandId: 'cmd_other' }), null);
    const settled = withoutMoving(second, { stageId: DEALT, commandId });
    assert.deepEqual(
      settled?.map(({ moving }) => moving),
      [undefined, true],
    );
  });
});

describe('a new pipeline', () => {
  const make = (state: Pipelines, names: readonly string[], id = 'pip_2') =>
    decideCreatePipeline(
      state,
      state.pipelines ?? [FIRST],
      { id, type: 'pipelines.create', name: 'B', stages: names.map((name) => ({ name })) },
      (position) => `stg_${id}_${position}`,
    );

  it('comes beside the default one, which it makes if there is none; a repeat makes no second', () => {
    const decision = make({}, ['x', 'y']);
    assert.ok('accepted' in decision);
    assert.deepEqual(
      decision.accepted.pipelines?.map(({ name }) => name),
      [FIRST.name, 'B'],
    );
    const again = make(decision.accepted, ['x', 'y']);
    assert.ok('accepted' in again);
    assert.equal(again.accepted, decision.accepted);
  });

  it('has no two stages of one name, and is one of twenty at most', () => {
    assert.equal(paths(make(START, ['x', 'y', 'X'])), 'stages.2.name');
    const pipelines = Array.from({ length: PIPELINES_MAX }, (_, n) => ({
      ...FIRST,
      id: `pip_${n}n`,
    }));
    assert.equal(refusal(make({ pipelines }, ['x'])).kind, 'too_many_pipelines');
  });
});

describe('a name of a stage, for flows', () => {
  const renamed = (name: string, id: string, state = START) =>
    change(state, {
      stages: (state.pipelines?.[0]?.stages ?? []).map((each) => {
        return { id: each.id, name: each.id === id ? name : each.name };
      }),
    });

  it('goes on finding the stage that had it, until another one takes it', () => {
    const once = renamed('Entrada', NEW);
    assert.deepEqual(
      ['novo', 'Entrada', NEW].map((name) => named(name, once)),
      [NEW, NEW, NEW],
    );
    const taken = renamed('NOVO', DEALT, once);
    assert.deepEqual(
      ['novo', 'Negociação'].map((name) => named(name, taken)),
      [DEALT, DEALT],
    );
    const back = renamed('Fim', DEALT, taken);
    assert.equal(named('Novo', back), DEALT, 'the last that had it');
  });

  it('of a removed stage finds the one that its deals went to, and its id does', () => {
    const after = change(START, { stages: KEPT.slice(0, 3), moveTo: { [DEALT]: NEW } });
    assert.deepEqual([named('Negociação', after), named(DEALT, after)], [NEW, NEW]);
    const silent = change(START, { stages: KEPT.slice(0, 3) });
    assert.deepEqual([named('Negociação', silent), named(DEALT, silent)], [null, null]);
  });

  it('in two pipelines is the default one’s; a rename gives it to no other', () => {
    const second = {
      ...FIRST,
      id: 'pip_2',
      isDefault: false,
      stages: [{ id: 'stg_b', name: 'Novo' }],
    };
    const both: Pipelines = { pipelines: [second, FIRST] };
    assert.equal(named('Novo', both), NEW);
    const stages = KEPT.map((each) => (each.id === NEW ? { ...each, name: 'Entrada' } : each));
    assert.equal(named('Novo', change(both, { stages })), NEW);
  });
});

const someStages = fc.uniqueArray(
  fc.record({ at: fc.nat(5), name: fc.constantFrom(...'abcdefgh') }),
  {
    minLength: 1,
    selector: ({ name }) => name,
  },
);
const steps = fc.array(fc.record({ stages: someStages, to: fc.nat(7) }), { maxLength: 12 });

it('any changes: every removed stage leads to one that is there, and no id comes back', () => {
  forAll([steps], (changes) => {
    let state = START;
    const gone = new Set<string>();
    for (const { stages, to } of changes) {
      const known = state.pipelines?.[0]?.stages ?? [];
      const used = new Set<string>();
      const wanted = stages.map(({ at, name }) => {
        const id = known[at]?.id;
        if (id === undefined || used.has(id)) return { name };
        used.add(id);
        return { id, name };
      });
      const kept = [...used];
      const left = known.filter(({ id }) => !used.has(id));
      const target = kept[to % Math.max(1, kept.length)];
      const moveTo = Object.fromEntries(
        target === undefined ? [] : left.map(({ id }) => [id, target]),
      );
      state = change(state, { stages: wanted, moveTo });
      for (const { id } of left) gone.add(id);
      const there = new Set(state.pipelines?.[0]?.stages.map(({ id }) => id));
      for (const id of gone) {
        assert.ok(!there.has(id), 'its id is nobody’s');
        assert.ok(there.has(placeOfLeft(state.leftStages, id)?.stageId ?? ''), 'it leads on');
      }
      for (const { stageId } of state.formerStageNames ?? []) assert.ok(there.has(stageId));
      for (const { id, name } of state.pipelines?.[0]?.stages ?? []) {
        assert.equal(named(name, state), id, 'a name of today');
      }
    }
  });
});

it('what is kept of the past is bounded', () => {
  let state: Pipelines = START;
  const left = { pipelineId: FIRST.id, to: NEW, commandId: 'cmd', origin: 'api' } as const;
  state = {
    ...state,
    leftStages: Array.from({ length: LEFT_STAGES_MAX }, (_, n) => ({ ...left, id: `stg_${n}` })),
    formerStageNames: Array.from({ length: FORMER_STAGE_NAMES_MAX }, (_, n) => {
      return { name: `n${n}`, stageId: NEW };
    }),
  };
  const after = change(state, { stages: KEPT.slice(0, 3), moveTo: { [DEALT]: NEW } });
  assert.equal(after.leftStages?.length, LEFT_STAGES_MAX + 1, 'those that move are beside');
  assert.equal(after.formerStageNames?.length, FORMER_STAGE_NAMES_MAX);
  assert.equal(named('n0', after), null);
  assert.equal(named('Negociação', after), NEW);
});
