/** Each kind of `cloud` webhook entry in the service's words. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { NetworkEvent } from '../../../../../shared/ports/network-event.ts';
import { MESSAGE_KINDS } from '../../../../../shared/vocabulary.ts';
import { ANA, batch, change, message, parsed, text } from './cloud-batch.ts';

describe('cloud: webhook contents', () => {
  const only = (fields: Record<string, unknown>): NetworkEvent & { type: 'message' } => {
    const { events } = parsed(batch(change({ messages: [message('w1', fields)] })));
    const [event] = events;
    assert.ok(event?.type === 'message');
    return event;
  };

  const LOJA = { latitude: -23.5, longitude: -46.6, name: 'Loja' };
  const BIA = { name: { formatted_name: 'Bi\u202ea\u001b' }, phones: [{ phone: '+55 11' }] };
  const chosen = (type: string, title: string) => ({
    ...{ type: 'interactive', interactive: { type, [type]: { id: 'b', title } } },
  });
  const media = { id: 'md1', mime_type: 'image/jpeg', caption: 'veja', url: 'https://x/1' };
  const contents: [Record<string, unknown>, string, string | null][] = [
    [{ type: 'text', text: { body: 'oi' } }, 'text', 'oi'],
    [{ type: 'image', image: media }, 'image', 'veja'],
    [{ type: 'audio', audio: { id: 'a', mime_type: 'audio/ogg', voice: true } }, 'audio', null],
    [{ type: 'video', video: media }, 'video', 'veja'],
    [{ type: 'document', document: { ...media, filename: 'nota.pdf' } }, 'document', 'veja'],
    [{ type: 'sticker', sticker: { id: 's', mime_type: 'image/webp' } }, 'sticker', null],
    [{ type: 'location', location: LOJA }, 'location', 'Loja (-23.5, -46.6)'],
    [{ type: 'contacts', contacts: [BIA] }, 'contact', 'Bia +55 11'],
    [chosen('button_reply', 'Sim'), 'text', 'Sim'],
    [chosen('list_reply', 'Dois'), 'text', 'Dois'],
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
    const kept = { networkMediaId: 'md1', mimeType: 'image/jpeg', fileName: 'nota.pdf' };
    assert.deepEqual(event.media, { ...kept, url: 'https://x/1' });
  });

  const FILE_NAMES = [
    ['../../etc/passwd', 'passwd'],
    ['C:\\notas\\nota.pdf', 'nota.pdf'],
    ['nota\u202efdp.exe', 'notafdp.exe'],
    ['a\u0000b\r\nc\u001b[2J.pdf', 'abc[2J.pdf'],
    ['"nota".pdf', 'nota.pdf'],
    ['..', 'arquivo'],
    ['/', 'arquivo'],
    ['\u202e\u200f', 'arquivo'],
    ['Relatório 2026 – ção.pdf', 'Relatório 2026 – ção.pdf'],
  ] as const;
  for (const [sent, kept] of FILE_NAMES) {
    it(`a file that is called ${JSON.stringify(sent)} is shown as ${kept}`, () => {
      const event = only({ type: 'document', document: { ...media, filename: sent } });
      assert.equal(event.media?.fileName, kept);
    });
  }

  it('texts are stored as UTF-8 can hold them: no NUL, U+FFFD for half a character', () => {
    const torn = 'a\u0000b\ud83dc\udc4d d 👍';
    const right = 'ab\ufffdc\ufffd d 👍';
    assert.equal(only({ type: 'text', text: { body: torn } }).text, right);
    assert.equal(only({ type: 'image', image: { ...media, caption: torn } }).text, right);
    assert.equal(only({ type: 'text', text: { body: '\u0000' } }).text, '');
    assert.equal(only(chosen('button_reply', torn)).answer?.title, right);
    const response_json = JSON.stringify({ [torn]: torn });
    const form = { type: 'nfm_reply', nfm_reply: { response_json } };
    assert.equal(only({ type: 'interactive', interactive: form }).text, `${right}: ${right}`);
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
    const { phone, networkId, profileName } = event;
    assert.deepEqual([phone, networkId, profileName], ['', 'BR.150', 'Ana']);
  });

  it('played is read; failed carries the code and a Portuguese sentence', () => {
    const statuses = [
      { id: 's1', status: 'played', timestamp: '1', biz_opaque_callback_data: 'msg_1' },
      { id: 's2', status: 'failed', timestamp: '1', errors: [{ code: 131047 }] },
      { id: 's3', status: 'failed', timestamp: '1' },
    ];
    const [played, refused, silent] = parsed(batch(change({ statuses }))).events;
    assert.ok(played?.type === 'receipt' && played.status === 'read');
    assert.equal(played.messageId, 'msg_1');
    assert.ok(refused?.type === 'receipt' && refused.error?.code === '131047');
    assert.match(refused.error.message, /24 horas/);
    assert.ok(silent?.type === 'receipt' && silent.error !== undefined);
  });

  it('an error of the whole account makes the channel not ready', () => {
    const [event] = parsed(batch(change({ errors: [{ code: 131031 }] }))).events;
    assert.ok(event?.type === 'readiness' && event.readiness.ready === false);
  });
});

describe('cloud: what a contact chooses in the network’s own app', () => {
  const wish = (fields: Record<string, unknown>) => {
    const at = { wa_id: ANA.wa_id, category: 'marketing_messages', timestamp: 1_783_400_000 };
    const user_preferences = [{ ...at, detail: 'x', ...fields }];
    return parsed(batch(change({ contacts: [ANA], user_preferences }, 'user_preferences')));
  };

  it('a stop of marketing messages, and its end', () => {
    const person = { phone: ANA.wa_id, networkId: ANA.wa_id, aliases: [ANA.user_id] };
    const told = { type: 'marketing-wish', ...person, at: 1_783_400_000_000 };
    assert.deepEqual(wish({ value: 'stop' }).events, [{ ...told, wanted: false }]);
    assert.deepEqual(wish({ value: 'resume' }).events, [{ ...told, wanted: true }]);
  });

  it('another choice concerns nothing here, one of nobody is malformed', () => {
    for (const fields of [{ value: 'pause' }, { value: 'stop', category: 'other' }]) {
      assert.deepEqual(wish(fields), { events: [], skipped: 0, foreign: 0 });
    }
    const nobody = { user_preferences: [{ category: 'marketing_messages', value: 'stop' }, 7] };
    const { events, skipped } = parsed(batch(change(nobody, 'user_preferences')));
    assert.deepEqual([events, skipped], [[], 2]);
    const other = change({ user_preferences: [{ value: 'stop' }] }, 'user_preferences', '9');
    assert.equal(parsed(batch(other)).foreign, 1);
  });
});

describe('cloud: who a webhook is about', () => {
  const only = (raw: string): NetworkEvent => {
    const [event] = parsed(raw).events;
    assert.ok(event !== undefined);
    return event;
  };

  it('ids of another contact in the batch are not taken', () => {
    const other = { profile: { name: 'Bia' }, wa_id: '5521966665555', user_id: 'BR.2' };
    const event = only(batch(change({ contacts: [other], messages: [text('w1')] })));
    assert.ok(event.type === 'message' && event.aliases === undefined);
  });

  it('the ninth digit does not part a message from its contact', () => {
    const short = { wa_id: '553188887777', user_id: 'BR.3' };
    const event = only(batch(change({ contacts: [short], messages: [text('w1')] })));
    assert.ok(event.type === 'message');
    assert.deepEqual(event.aliases, ['BR.3']);
  });

  it('an opaque id in the place of the phone is no phone', () => {
    const hidden = message('w1', { from: 'BR.150', type: 'text', text: { body: 'oi' } });
    const event = only(batch(change({ messages: [hidden] })));
    assert.ok(event.type === 'message' && event.phone === '' && event.networkId === 'BR.150');
  });

  it('a name that looks like an id is not taken for one', () => {
    const body = 'User changed from BR.666 to BR.777 changed from BR.1 to BR.2';
    const system = { body, user_id: 'BR.2', type: 'user_changed_user_id' };
    const raw = { id: 'w1', timestamp: '1', type: 'system', system };
    const event = only(batch(change({ messages: [raw] })));
    assert.ok(event.type === 'identity');
    assert.deepEqual(event.aliases, ['BR.1']);
  });

  it('a system message that the network makes up is never the contact’s words', () => {
    for (const type of ['group_invite', 'constructor', '', undefined]) {
      const system = message('w1', { type: 'system', system: { body: 'Bem-vindo', type } });
      const { events, skipped } = parsed(batch(change({ messages: [system] })));
      assert.deepEqual([events, skipped], [[], 0]);
    }
  });

  it('an edit or a deletion of nothing is malformed', () => {
    const odd = [
      message('w1', { type: 'edit', edit: { message: { type: 'text', text: { body: 'x' } } } }),
      message('w2', { type: 'edit' }),
      message('w3', { type: 'revoke', revoke: {} }),
    ];
    const { events, skipped } = parsed(batch(change({ messages: odd })));
    assert.deepEqual([events, skipped], [[], 3]);
  });

  it('a receipt names the phone of whom it is about', () => {
    const status = { id: 's1', status: 'read', timestamp: '1', recipient_id: '5531988887777' };
    const event = only(batch(change({ statuses: [status] })));
    assert.ok(event.type === 'receipt' && event.phone === '5531988887777');
  });
});
