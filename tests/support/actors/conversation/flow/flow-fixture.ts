/** Flows and contacts for tests of the pure decisions. */
import {
  type ConversationState,
  newConversation,
} from '../../../../../actors/domain/conversation/conversation.ts';
import type {
  ContactFacts,
  FlowContext,
  StartableFlow,
} from '../../../../../actors/domain/flow/context.ts';
import { decideStart } from '../../../../../actors/domain/flow/decide.ts';
import type { Run } from '../../../../../actors/domain/flow-run.ts';
import { Budget } from '../../../../../shared/liquid/budget.ts';
import { readSteps } from '../../../../../shared/provisioning/flow-steps.ts';

export const NOW = Date.UTC(2026, 10, 20, 15, 0, 0);
export const ORG = { name: 'Loja', timeZone: 'America/Sao_Paulo' };
export const CONTACT: ContactFacts = {
  id: 'ctc_1',
  phone: '5511987654321',
  name: 'Maria',
  email: null,
  fields: { plano: 'ouro' },
  tags: ['VIP'],
  optIn: true,
  optedOut: false,
  noMarketing: false,
};

export const RUN: Run = {
  ...{ id: 'run_1', flowId: 'flw_1', flowName: 'Planos', versionId: 'v1', stepId: 'a', visit: 1 },
  ...{ phase: { kind: 'ready' }, answers: {}, parsed: [], hops: 0, dealId: null, startedAt: 1 },
};

export function flowOf(steps: readonly object[]): StartableFlow {
  const read = readSteps(steps);
  return {
    flowId: 'flw_1',
    name: 'Fluxo',
    versionId: 'flw_1.a',
    steps: new Map(read.map((step) => [step.id, step])),
    firstStepId: read[0]?.id ?? '',
  };
}

function conversation(): ConversationState {
  const contact = { id: CONTACT.id, phone: CONTACT.phone, name: CONTACT.name };
  const identity = { id: 'cnv_1', orgId: 'org_1', channelId: 'chn_1', contact, networkId: null };
  return newConversation(identity, NOW);
}

export function contextOf(
  flow: StartableFlow,
  over: Partial<Omit<FlowContext, 'steps'>> = {},
): FlowContext {
  const nameOf = (prefix: string) => `${prefix}_named`;
  const network = { provider: 'cloud', window: 'open' } as const;
  const facts = { now: NOW, budget: new Budget(), org: ORG, contact: CONTACT, nameOf };
  return { ...facts, ...network, ...over, steps: flow.steps };
}

/** A conversation in which the flow has just begun. */
export function begun(flow: StartableFlow, now = NOW): ConversationState {
  const arrival = { now, org: ORG, steps: flow.steps };
  return decideStart(conversation(), { runId: 'run_1', flow }, arrival).state;
}
