/** Values of a template as a `send` step renders them, and texts without the spaces around them. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { plainContent, templateValues } from '../../../../../actors/domain/flow/content.ts';
import { scopeOf } from '../../../../../actors/domain/flow/context.ts';
import { readSteps, type StepOf } from '../../../../../shared/provisioning/flow-steps.ts';
import {
  begun,
  contextOf,
  flowOf,
} from '../../../../support/actors/conversation/flow/flow-fixture.ts';
import { BUTTONS, TEMPLATE } from './send-fixture.ts';

const flow = flowOf([{ id: 'a', do: 'wait', next: null }]);
const state = begun(flow);
const { run } = state;
assert.ok(run);
/** With a budget of its own: a template that fails may have spent it. */
const scope = () => scopeOf(state, run, contextOf(flow));

function sendOf(content: object): StepOf<'send'> {
  const [step] = readSteps([{ id: 'a', do: 'send', next: null, ...content }]);
  assert.ok(step?.do === 'send');
  return step;
}

function valuesOf(more: object) {
  const { template } = sendOf({ template: { ...TEMPLATE, ...more } });
  assert.ok(template);
  return templateValues(template, { at: 'template', scope: scope() });
}

describe('values of a template', () => {
  const values = { name: 'pedido', language: 'pt_BR', body: ['Maria', '77'] };

  it('are its body, the text of its header and its buttons, rendered', () => {
    const header = { text: 'Olá, {{contact.name}}' };
    const buttons = [{ index: 1, value: 'pedidos/{{contact.fields.plano}}' }];
    assert.deepEqual(valuesOf({}), { values });
    const rendered = [{ index: 1, value: 'pedidos/ouro' }];
    const titled = { ...values, header: { text: 'Olá, Maria' } };
    assert.deepEqual(valuesOf({ header }), { values: titled });
    assert.deepEqual(valuesOf({ buttons }), { values: { ...values, buttons: rendered } });
  });

  it('are none that it does not have, and no file', () => {
    const { body: _, ...bare } = TEMPLATE;
    const { template } = sendOf({ template: { ...bare, header: { file: 'fil_1' } } });
    assert.ok(template);
    assert.deepEqual(templateValues(template, { at: 'template', scope: scope() }), {
      values: { name: 'pedido', language: 'pt_BR' },
    });
  });

  it('fail where the text of the header does', () => {
    const text = '{% for i in (1..9999999) %}x{% endfor %}';
    assert.deepEqual(valuesOf({ header: { text } }), { failed: true });
  });
});

it('texts of a message have no spaces around them, and are left out where they are nothing else', () => {
  const written = { header: ' {{contact.email}} ', footer: ' {{org.name}}\n', text: '\tOi ' };
  const { header: _, ...expected } = { ...BUTTONS, footer: 'Loja', text: 'Oi' };
  const buttons = [{ id: 'sim', title: 'Sim' }];
  const rendered = plainContent(
    sendOf({ interactive: { ...BUTTONS, ...written, buttons } }),
    scope(),
  );
  const content = { type: 'interactive', interactive: { ...expected, buttons } };
  assert.deepEqual(rendered, { content });
});
