/** Texts of `send` steps: a file without any, several refusals, and reactions between spaces. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { flowForMessage } from '../../../../actors/domain/flow/conditions.ts';
import type { FlowEntry } from '../../../../actors/domain/organization/state.ts';
import { found } from '../../../support/actors/domain/template-fixture.ts';
import { BUTTONS, decided, TEMPLATE, undone } from './send-fixture.ts';

const FILE = {
  kind: 'image',
  media: { id: 'med_1', mimeType: 'image/png', fileName: 'a.png', sizeBytes: 1 },
} as const;

describe('the text of a message', () => {
  it('is none where the step has a file only, and the message none without the file', () => {
    const { message, queued } = decided({ file: 'fil_1' }, { file: FILE });
    assert.deepEqual(
      [message?.text, message?.kind, message?.media, queued],
      [null, 'image', FILE.media, true],
    );
    const gone = decided({ file: 'fil_1' }, { file: null });
    assert.deepEqual(
      [gone.message, gone.queued, gone.state.run?.stepId],
      [undefined, false, 'end'],
    );
  });

  it('is, of a template’s header, the one that the step gives', () => {
    const titled = {
      ...{ type: 'HEADER', format: 'TEXT', text: 'Pedido de {{1}}' },
      example: { header_text: ['Ana'] },
    };
    const template = found([titled, { type: 'BODY', text: 'Saiu.' }]);
    const { body: _, ...bare } = TEMPLATE;
    const send = { template: { ...bare, header: { text: '{{contact.name}}' } } };
    assert.equal(decided(send, { template }).message?.text, 'Pedido de Maria\n\nSaiu.');
    assert.equal(undone({ template: bare }, { template }).reason, 'template_refused');
  });
});

describe('the note of a message with several problems', () => {
  it('names each at its place', () => {
    const long = `{{ "${'x'.repeat(21)}" }}`;
    const buttons = ['a', 'b'].map((id) => ({ id, title: `${long}${id}` }));
    const sentence = 'Deve ter no máximo 20 caracteres.';
    assert.equal(
      undone({ interactive: { ...BUTTONS, buttons } }).text,
      'Fluxo "Fluxo", etapa "a": a mensagem não foi enviada. ' +
        `interactive.buttons.0.title: ${sentence} interactive.buttons.1.title: ${sentence}`,
    );
  });
});

describe('a reaction that starts a flow', () => {
  const flow: FlowEntry = {
    ...{ id: 'flw_1', ref: 'thumb', name: 'F', enabled: true, channelId: null, isMain: false },
    ...{ triggers: [{ on: 'reaction', emoji: '👍' }], steps: [], updatedAt: 0 },
  };

  it('is the emoji without the spaces around it', () => {
    const message = { channelId: 'chn_1', text: null, first: false };
    for (const reaction of ['👍', ' 👍', '👍 ', ' 👍🏽\n']) {
      assert.equal(flowForMessage([flow], { ...message, reaction }), flow, reaction);
    }
    assert.equal(flowForMessage([flow], { ...message, reaction: '👍👍' }), null);
  });
});
