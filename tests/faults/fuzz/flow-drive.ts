/**
 * Drives a flow through the pure decisions as its actor would, with random answers. The run waits
 * for a timer, an answer or the end of an http step.
 */
import assert from 'node:assert/strict';
import type {
  Appended,
  ConversationState,
} from '../../../actors/domain/conversation/conversation.ts';
import type { FlowContext, StartableFlow } from '../../../actors/domain/flow/context.ts';
import { applyAnswer, decideCallEnd, decideDue } from '../../../actors/domain/flow/decide.ts';
import { timerOf } from '../../../actors/domain/flow-run.ts';
import { FLOW_HOPS_MAX } from '../../../shared/limits.ts';
import { begun, contextOf, NOW, ORG } from '../../support/actors/conversation/flow/flow-fixture.ts';
import { BODY, found } from '../../support/actors/domain/template-fixture.ts';
import type { SeededRandom } from '../simulation/world/seeded-random.ts';

const ANSWERS = [
  'sim',
  'NÃO',
  '42',
  '',
  '{{7*7}}',
  '\u0000',
  '👍'.repeat(30),
  '__proto__',
] as const;
const BODIES = [
  null,
  '{}',
  '{"pedido":{"total":42}}',
  'no json',
  '[1]',
  '"x"',
  '__proto__',
] as const;
export type Outcome = 'ended' | 'handed off' | 'waits';

/** @param flows by id, for steps that go over into another */
export function drive(
  random: SeededRandom,
  [flow, flows]: readonly [StartableFlow, ReadonlyMap<string, StartableFlow>],
  turns: number,
): Outcome {
  // Each step of each flow gone over into, once: more without a wait is a loop that spins.
  const longest = Math.max(...[...flows.values()].map(({ steps }) => steps.size));
  const spinMax = longest * (FLOW_HOPS_MAX + 1);
  let state = begun(flow);
  let now = NOW;
  let spun = 0;
  for (let turn = 0; turn < turns; turn++) {
    assertWhole(state);
    if (!state.run) return state.automationPausedUntil === null ? 'ended' : 'handed off';
    const { phase } = state.run;
    spun = phase.kind === 'ready' ? spun + 1 : 0;
    assert.ok(spun <= spinMax, 'a run that never waits');
    if (phase.kind === 'delay') now = Math.max(now, phase.until);
    if (phase.kind === 'answer') now = Math.max(now, phase.gatherUntil ?? now);
    const before: ConversationState = state;
    const network = networkOf(random);
    const next = step(random, before, { flow, flows, now, network });
    if (next === 'timeout') {
      now = timerOf(before) ?? now;
      state = must(decideDue(before, contextFor(before, { flow, flows, now, network }))).state;
    } else state = next;
    assert.notEqual(state, before, `a run at ${before.run?.stepId} that does not move`);
  }
  return 'waits';
}

interface Place {
  readonly flow: StartableFlow;
  readonly flows: ReadonlyMap<string, StartableFlow>;
  readonly now: number;
  readonly network: Network;
}

type Network = Pick<FlowContext, 'provider' | 'window' | 'template' | 'lastReceivedId'>;

/** The network as it may be at any step. */
function networkOf(random: SeededRandom): Network {
  const provider = random.pick(['web', 'cloud'] as const);
  return {
    provider,
    window: provider === 'web' ? 'open' : random.pick(['open', 'closed', 'undecided'] as const),
    template: random.happens(0.7) ? found([BODY]) : { found: false, languages: [] },
    lastReceivedId: random.pick([null, 'msg_1']),
  };
}

function step(
  random: SeededRandom,
  state: ConversationState,
  place: Place,
): ConversationState | 'timeout' {
  const { run } = state;
  assert.ok(run);
  const context = contextFor(state, place);
  const { phase } = run;
  switch (phase.kind) {
    case 'ready':
    case 'delay':
      return must(decideDue(state, context)).state;
    case 'call':
      return must(decideCallEnd(state, { visit: run.visit, body: random.pick(BODIES) }, context))
        .state;
    case 'answer': {
      if (phase.gathered !== null && random.happens(0.6)) return 'timeout';
      if (phase.gathered === null && phase.until !== null && random.happens(0.4)) return 'timeout';
      const arrival = { now: place.now, org: ORG, steps: context.steps };
      const text = random.pick(ANSWERS);
      const chosen = random.pick([undefined, 'sim', 'ouro', '__proto__']);
      return applyAnswer(state, { step: context.steps.get(run.stepId), text, chosen, arrival });
    }
    default:
      return phase satisfies never;
  }
}

function contextFor(state: ConversationState, { flow, flows, now, network }: Place): FlowContext {
  const mine = flows.get(state.run?.flowId ?? '') ?? flow;
  const at = mine.steps.get(state.run?.stepId ?? '');
  const other = at?.do === 'start' ? (flows.get(at.flow) ?? null) : null;
  const stages = [{ id: 'stg_1', name: 'Novo' }];
  return contextOf(mine, { now, other, stages, dealId: 'del_1', ...network });
}

function must(appended: Appended | null): Appended {
  assert.ok(appended, 'what is due is decided');
  return appended;
}

function assertWhole(state: ConversationState): void {
  const { run, status } = state;
  assert.equal(run !== null, status === 'in_flow');
  const at = timerOf(state);
  assert.ok(at === null || Number.isFinite(at));
  JSON.stringify(state);
}
