/** `send` steps within the 24-hour window and outside of it, with a fallback and without. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { BUTTONS, decided, KNOWN, TEMPLATE } from './send-fixture.ts';

describe('the window and a send', () => {
  const send = { text: 'Oi {{contact.name}}', fallbackTemplate: TEMPLATE };
  const rendered = 'Oi Maria, seu pedido 77 saiu.';

  it('outside of it the fallback is the message, whatever the step says beside it', () => {
    for (const more of [
      {},
      { outsideWindow: 'refuse' },
      { interactive: BUTTONS, text: undefined },
    ]) {
      const { text, ...rest } = { ...send, ...more };
      const written = text === undefined ? rest : { text, ...rest };
      const { message } = decided(written, { ...KNOWN, window: 'closed' });
      assert.equal(message?.text, rendered);
      assert.deepEqual([message.content?.type, message.fallback], ['template', undefined]);
    }
  });

  it('the fallback quotes nothing, and a template of its own does', () => {
    const facts = { ...KNOWN, window: 'closed', lastReceivedId: 'msg_1' } as const;
    assert.equal(decided({ ...send, reply: true }, facts).message?.replyToId, null);
    const own = decided({ template: TEMPLATE, reply: true }, facts).message;
    assert.equal(own?.replyToId, 'msg_1');
  });

  it('inside of it, and where the network decides, the fallback goes along', () => {
    for (const window of ['open', 'undecided'] as const) {
      const { message } = decided({ ...send, outsideWindow: 'refuse' }, { ...KNOWN, window });
      assert.equal(message?.text, 'Oi Maria');
      assert.equal(message.fallback?.text, rendered);
      assert.equal(message.fallback?.template.name, 'pedido');
    }
  });

  it('inside of it a fallback that cannot be sent is left out, and so it is on web', () => {
    const unknown = decided(send).message;
    assert.deepEqual([unknown?.text, unknown?.fallback], ['Oi Maria', undefined]);
    const web = decided(send, { ...KNOWN, provider: 'web' }).message;
    assert.deepEqual([web?.text, web?.fallback], ['Oi Maria', undefined]);
  });

  it('a text without either goes anyhow: the network decides', () => {
    assert.equal(decided({ text: 'oi' }, { window: 'closed' }).message?.text, 'oi');
    const sends = { text: 'oi', outsideWindow: 'send' };
    assert.equal(decided(sends, { window: 'closed' }).message?.text, 'oi');
  });
});
