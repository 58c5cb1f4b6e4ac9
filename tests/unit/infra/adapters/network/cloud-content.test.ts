/** Each kind of `cloud` webhook entry in the service's words. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { NetworkEvent } from '../../../../../shared/ports/network-event.ts';
import { MESSAGE_KINDS } from '../../../../../shared/vocabulary.ts';
import { ANA, batch, change, message, parsed } from './cloud-batch.ts';

describe('cloud: webhook contents', () => {
  const only = (fields: Record<string, unknown>): NetworkEvent & { type: 'message' } => {
    const { events } = parsed(batch(change({ messages: [message('w1', fields)] })));
    const [event] = events;
    assert.ok(event?.type === 'message');
    return event;
  };

  const media = { id: 'md1', mime_type: 'image/jpeg', caption: 'veja', url: 'https://x/1' };
  const contents: [Record<string, unknown>, string, string | null][] = [
    [{ type: 'text', text: { body: 'oi' } }, 'text', 'oi'],
    [{ type: 'image', image: media }, 'image', 'veja'],
    [{ type: 'audio', audio: { id: 'a', mime_type: 'audio/ogg', voice: true } }, 'audio', null],
    [{ type: 'video', video: media }, 'video', 'veja'],
    [{ type: 'document', document: { ...media, filename: 'nota.pdf' } }, 'document', 'veja'],
    [{ type: 'sticker', sticker: { id: 's', mime_type: 'image/webp' } }, 'sticker', null],
    [
      { type: 'location', location: { latitude: -23.5, longitude: -46.6, name: 'Loja' } },
      'location',
      'Loja (-23.5, -46.6)',
    ],
    [
      {
        type: 'contacts',
        contacts: [{ name: { formatted_name: 'Bia' }, phones: [{ phone: '+55 11' }] }],
      },
      'contact',
      'Bia +55 11',
    ],
    [
      {
        type: 'interactive',
        interactive: { type: 'button_reply', button_reply: { id: 'b', title: 'Sim' } },
      },
      'text',
      'Sim',
    ],
    [
      {
        type: 'interactive',
        interactive: { type: 'list_reply', list_reply: { id: 'b', title: 'Dois' } },
      },
      'text',
      'Dois',
    ],
    [{ type: 'button', button: { text: 'Parar', payload: 'p' } }, 'text', 'Parar'],
    [{ type: 'reaction', reaction: { message_id: 'w0', emoji: '👍' } }, 'reaction', '👍'],
    [{ type: 'order', order: { text: 'pedido' } }, 'text', 'pedido'],
    [{ type: 'order', order: {} }, 'unsupported', null],
    [{ type: 'unsupported', errors: [{ code: 131051 }] }, 'unsupported', null],
    [{ type: 'hologram', hologram: {} }, 'unsupported', null],
    [{}, 'unsupported', null],
  ];
  for (const [fields, kind, words] of contents) {
    it(`${JSON.stringify(fields).slice(0, 60)} is ${kind}`, () => {
      const event = only(fields);
      assert.equal(event.kind, kind);
      assert.equal(event.text, words);
      assert.ok(MESSAGE_KINDS.some((known) => known === event.kind));
    });
  }

  it('media keep their id, type, name and address', () => {
    const event = only({ type: 'document', document: { ...media, filename: 'nota.pdf' } });
    assert.deepEqual(event.media, {
      networkMediaId: 'md1',
      mimeType: 'image/jpeg',
      url: 'https://x/1',
      fileName: 'nota.pdf',
    });
  });

  it('a reply and a reaction name their target', () => {
    const reply = only({ type: 'text', text: { body: 'x' }, context: { id: 'w0' } });
    assert.equal(reply.replyToExternalId, 'w0');
    const reaction = only({ type: 'reaction', reaction: { message_id: 'w7', emoji: '' } });
    assert.equal(reaction.replyToExternalId, 'w7');
  });

  it('someone shown only by an opaque id has no phone', () => {
    const hidden = { id: 'w1', from_user_id: 'BR.150', type: 'text', text: { body: 'oi' } };
    const { wa_id: _phone, ...shown } = ANA;
    const { events } = parsed(batch(change({ contacts: [shown], messages: [hidden] })));
    const [event] = events;
    assert.ok(event?.type === 'message');
    assert.equal(event.phone, '');
    assert.equal(event.networkId, 'BR.150');
    assert.equal(event.profileName, 'Ana');
  });

  it('played is read; failed carries the code and a Portuguese sentence', () => {
    const failed = { id: 's2', status: 'failed', timestamp: '1', errors: [{ code: 131047 }] };
    const { events } = parsed(
      batch(
        change({
          statuses: [
            { id: 's1', status: 'played', timestamp: '1', biz_opaque_callback_data: 'msg_1' },
            failed,
            { id: 's3', status: 'failed', timestamp: '1' },
          ],
        }),
      ),
    );
    const [played, refused, silent] = events;
    assert.ok(played?.type === 'receipt' && played.status === 'read');
    assert.equal(played.messageId, 'msg_1');
    assert.ok(refused?.type === 'receipt' && refused.error?.code === '131047');
    assert.match(refused.error.message, /24 horas/);
    assert.ok(silent?.type === 'receipt' && silent.error !== undefined);
  });

  it('an error of the whole account makes the channel not ready', () => {
    const { events } = parsed(batch(change({ errors: [{ code: 131031 }] })));
    const [event] = events;
    assert.ok(event?.type === 'readiness' && event.readiness.ready === false);
  });
});
