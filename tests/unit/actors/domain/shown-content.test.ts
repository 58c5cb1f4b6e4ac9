/** Content of a message as the history and the events show it, beside its text (D288). */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { shownContent } from '../../../../actors/domain/conversation.ts';
import type { MessageContent } from '../../../../shared/message-content.ts';

const INTERACTIVE = {
  type: 'buttons',
  ...{ text: 'Vem?', footer: 'Até 18h' },
  buttons: [{ id: 'a', title: 'Sim' }],
} as const;
const ANSWER = { type: 'row', id: 'r1', title: 'Manhã', description: '9h às 12h' } as const;
const LOCATION = { latitude: -23.5, longitude: -46.25, name: 'Loja' };
const CONTACTS = [{ name: 'Ana', phones: ['+55 11 9'] }];
const TEMPLATE = {
  ...{ name: 'pedido', language: 'pt_BR', header: { text: 'Olá' } },
  ...{ body: [{ text: 'Ana' }], buttons: [] },
};

const ROWS: readonly (readonly [MessageContent, ReturnType<typeof shownContent>])[] = [
  [{ type: 'template', template: TEMPLATE }, { template: { name: 'pedido', language: 'pt_BR' } }],
  [{ type: 'interactive', interactive: INTERACTIVE }, { interactive: INTERACTIVE }],
  [{ type: 'answer', answer: ANSWER }, { interactive: ANSWER }],
  [{ type: 'location', location: LOCATION }, { location: LOCATION }],
  [{ type: 'contacts', contacts: CONTACTS }, { contacts: CONTACTS }],
];

describe('beside its text', () => {
  test('a message shows nothing where it has no content', () => {
    assert.deepEqual(shownContent({ kind: 'text', text: 'oi' }), {});
    assert.deepEqual(shownContent({ kind: 'image', text: null, replyToId: 'msg_1' }), {});
  });

  test('a message shows its content; of a template the name and language alone', () => {
    for (const [content, shown] of ROWS) {
      assert.deepEqual(shownContent({ kind: 'text', text: 'oi', content }), shown);
      const instead = { kind: 'text', text: 'oi', content, replacesId: 'msg_1' } as const;
      assert.deepEqual(shownContent(instead), { ...shown, replacesId: 'msg_1' });
    }
  });

  test('a reaction of either direction shows its target, and an empty emoji once taken back', () => {
    const reaction = { messageId: 'msg_9', emoji: '👍' };
    const content = { type: 'reaction', reaction } as const;
    const kind = 'reaction';
    assert.deepEqual(shownContent({ kind, text: '👍', replyToId: 'msg_9', content }), { reaction });
    assert.deepEqual(shownContent({ kind, text: '👍', replyToId: 'msg_9' }), { reaction });
    assert.deepEqual(shownContent({ kind, text: null, replyToId: null }), {
      reaction: { messageId: null, emoji: '' },
    });
    assert.deepEqual(shownContent({ kind, text: '👍' }), {
      reaction: { messageId: null, emoji: '👍' },
    });
  });
});
