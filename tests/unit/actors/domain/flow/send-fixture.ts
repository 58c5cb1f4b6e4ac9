/** Content of `send` steps, and their decisions. */
import assert from 'node:assert/strict';
import type { FlowContext } from '../../../../../actors/domain/flow/context.ts';
import { decideDue } from '../../../../../actors/domain/flow/decide.ts';
import type { StepDecision } from '../../../../../actors/domain/flow/unable.ts';
import {
  begun,
  contextOf,
  flowOf,
} from '../../../../support/actors/conversation/flow/flow-fixture.ts';
import { BODY, found } from '../../../../support/actors/domain/template-fixture.ts';

const ENDS = [
  { id: 'end', do: 'wait', next: null },
  { id: 'sorry', do: 'wait', next: null },
];

export type Facts = Partial<Omit<FlowContext, 'steps'>>;

/** The decision of a flow whose first step is this `send`. */
export function decided(send: object, facts: Facts = {}): StepDecision {
  const flow = flowOf([{ id: 'a', do: 'send', next: 'end', ...send }, ...ENDS]);
  const decision = decideDue(begun(flow), contextOf(flow, facts));
  assert.ok(decision);
  return decision;
}

/** The note and the reason of a message that was not sent. */
export function undone(send: object, facts: Facts = {}) {
  const { message, unable, state, queued } = decided(send, facts);
  assert.deepEqual([message?.direction, queued], ['note', false]);
  return { text: message?.text, reason: unable, at: state.run?.stepId };
}

export const BUTTONS = {
  type: 'buttons',
  text: 'Confirma, {{contact.name}}?',
  header: '{{contact.fields.none}}',
  footer: '{{org.name}}',
  buttons: [
    { id: 'sim', title: 'Sim' },
    { id: '{{nao}}', title: 'Não, {{contact.name}}' },
  ],
};
export const TEMPLATE = { name: 'pedido', language: 'pt_BR', body: ['{{contact.name}}', '77'] };
export const KNOWN = { template: found([BODY]) };
