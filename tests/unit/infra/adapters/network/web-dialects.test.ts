/** Posts of the bridge's three engines, each in its own words: one meaning. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { eventOf, eventsOf, parsed, payload } from './web-payloads.ts';

const PHONE = '5531988887777';
const CHAT = `${PHONE}@c.us`;
const HIDDEN = '77000000000123@lid';
const OWN = '3EB0A1B2C3D4E5F6071829';
const AT = 1_783_400_000_000;
const ANA = { phone: PHONE, networkId: CHAT };
const THEIRS = 'AC2F11D3B7A95E6C4D0812FA3399E771';

describe('web: one message, one id, one person', () => {
  for (const from of ['webjs', 'noweb', 'gows-hidden', 'gows-phone']) {
    const name = `event-message-${from}`;
    it(`${name}: the third segment, the phone, the name`, () => {
      const event = eventOf(name, 'message');
      const { externalId, phone, networkId, profileName, text, aliases } = event;
      assert.deepEqual([externalId, phone, networkId], [THEIRS, PHONE, CHAT]);
      assert.match(event.fullId ?? '', new RegExp(`^false_.+_${THEIRS}$`));
      assert.deepEqual([profileName, text], ['Helena Prado', 'bom dia']);
      assert.deepEqual(aliases, name === 'event-message-webjs' ? undefined : [HIDDEN]);
    });
  }

  it('a reply names the canonical id of the message it answers', () => {
    assert.equal(eventOf('event-reply-noweb', 'message').replyToExternalId, OWN);
  });

  it('groups are skipped: messages and acknowledgements', () => {
    for (const name of ['event-message-group-webjs', 'event-ack-group-webjs']) {
      const outcome = parsed(payload(name));
      assert.ok(outcome.verified && 'events' in outcome, name);
      assert.deepEqual([outcome.events, outcome.skipped], [[], 1], name);
    }
  });
});

describe('web: messages of our own number', () => {
  it('an echo unless the bridge surely sent it itself', () => {
    for (const name of ['event-echo-webjs', 'event-sourceless-noweb', 'event-echo-gows']) {
      const event = eventOf(name, 'echo');
      assert.deepEqual([event.externalId, event.phone, event.networkId], [OWN, PHONE, CHAT], name);
    }
    assert.deepEqual(eventsOf('event-own-noweb'), []);
  });

  it('our own other id is never the contact’s', () => {
    assert.deepEqual(eventOf('event-echo-gows', 'echo').aliases, [HIDDEN]);
  });

  it('receipts carry the canonical id, whatever chat is in them', () => {
    for (const name of ['event-ack-webjs', 'event-ack-noweb', 'event-ack-gows-hidden']) {
      const event = eventOf(name, 'receipt');
      assert.deepEqual([event.externalId, event.phone], [OWN, PHONE], name);
      assert.equal(event.status, name === 'event-ack-webjs' ? 'read' : 'delivered');
    }
  });

  it('an error of an acknowledgement is told with its code', () => {
    const failed = eventOf('event-ack-failed-noweb', 'receipt');
    assert.deepEqual([failed.status, failed.error?.code], ['failed', '479']);
  });
});

describe('web: restrictions', () => {
  it('an acknowledgement of 463 fails the message and tells until when', () => {
    const [receipt, restriction] = eventsOf('event-ack-restricted-noweb');
    assert.ok(receipt?.type === 'receipt' && receipt.error?.code === '463');
    assert.match(receipt.error.message, /novas conversas/);
    const until = Date.UTC(2099, 0, 1);
    assert.deepEqual(restriction, { type: 'restriction', restriction: { until } });
  });

  it('the session tells when one begins and ends, and stays ready', () => {
    const restriction = { until: 4_070_908_800_000 };
    for (const [name, told] of [
      ['event-session-restricted-gows', restriction],
      ['event-session-unrestricted-gows', null],
    ] as const) {
      assert.deepEqual(eventsOf(name), [
        { type: 'readiness', readiness: { ready: true, unconfirmed: true, restriction: told } },
        { type: 'restriction', restriction: told },
      ]);
    }
    const scan = eventOf('event-session-scan', 'readiness');
    assert.equal(scan.readiness.ready, false);
  });
});

describe('web: contents', () => {
  it('a voice message of any engine', () => {
    const event = eventOf('event-voice-webjs', 'message');
    assert.equal(event.kind, 'audio');
    assert.equal(event.media?.mimeType, 'audio/ogg; codecs=opus');
  });

  it('a file that the bridge did not download keeps its type and can be asked for', () => {
    const none = eventOf('event-media-none-noweb', 'message');
    assert.deepEqual([none.kind, none.text], ['document', 'a nota']);
    const kept = { networkMediaId: `false_${CHAT}_${THEIRS}`, mimeType: 'application/pdf' };
    assert.deepEqual(none.media, { ...kept, fileName: 'nota.pdf' });
    const failed = eventOf('event-media-failed-gows', 'message');
    assert.equal(failed.kind, 'image');
    const networkMediaId = `false_${HIDDEN}_${THEIRS}`;
    assert.deepEqual(failed.media, { networkMediaId, mimeType: 'image/jpeg' });
    assert.equal(eventOf('event-sticker-noweb', 'message').kind, 'sticker');
  });

  it('texts and file names of strangers are made readable', () => {
    const sent = JSON.stringify(payload('event-media-none-noweb'))
      .replaceAll('nota.pdf', '..\\\\..\\\\a\\u202efdp.exe')
      .replaceAll('a nota', 'a\\u0000\\ud83d nota');
    const outcome = parsed(JSON.parse(sent));
    const [event] = 'events' in outcome ? outcome.events : [];
    assert.ok(event?.type === 'message');
    assert.deepEqual([event.text, event.media?.fileName], ['a\ufffd nota', 'afdp.exe']);
  });

  it('a reaction answers a message; taken back it is empty', () => {
    const given = eventOf('event-reaction-webjs', 'message');
    assert.deepEqual([given.kind, given.text, given.replyToExternalId], ['reaction', '🙏', OWN]);
    assert.equal(given.at, 1_783_400_000_853);
    const removed = eventOf('event-reaction-removed-gows', 'message');
    assert.deepEqual([removed.kind, removed.text, removed.phone], ['reaction', '', PHONE]);
  });

  it('an edit and a deletion name the message that is changed', () => {
    const shown = ({
      externalId,
      fromMe,
      phone,
    }: ReturnType<typeof eventOf<'edit' | 'deletion'>>) => [externalId, fromMe, phone];
    const edit = eventOf('event-edited-noweb', 'edit');
    assert.deepEqual([...shown(edit), edit.text], [THEIRS, false, PHONE, 'bom dia a todos']);
    const ours = eventOf('event-edited-webjs', 'edit');
    assert.deepEqual([ours.externalId, ours.fromMe, ours.text], [OWN, true, 'Olá!']);
    for (const engine of ['gows', 'webjs']) {
      const deletion = eventOf(`event-revoked-${engine}`, 'deletion');
      assert.deepEqual(shown(deletion), [THEIRS, false, PHONE], engine);
    }
  });
});

describe('web: calls', () => {
  for (const name of ['event-call-webjs', 'event-call-noweb']) {
    it(name, () => {
      assert.deepEqual(eventsOf(name), [{ type: 'call', callId: 'AC0F7712', ...ANA, at: AT }]);
    });
  }

  it('a call of someone whose phone is hidden', () => {
    const { phone, networkId } = eventOf('event-call-gows-hidden', 'call');
    assert.deepEqual({ phone, networkId }, { phone: '', networkId: '77000000000123@lid' });
  });

  it('a call in a group is none', () => {
    const nothing = { verified: true, events: [], skipped: 1, ownNumber: true };
    assert.deepEqual(parsed(payload('event-call-group-gows')), nothing);
  });
});

describe('web: choices of buttons and rows', () => {
  const SAO_PAULO = { type: 'row', id: 'sp', title: 'São Paulo' } as const;
  const choices = [
    ['event-button-answer-noweb', { type: 'button', id: 'sim', title: 'Sim' }],
    ['event-button-answer-webjs', { type: 'button', id: 'sim', title: 'Sim' }],
    ['event-template-answer-gows', { type: 'button', id: 'ok', title: 'Confirmo' }],
    ['event-list-answer-webjs', SAO_PAULO],
    ['event-list-answer-gows', { ...SAO_PAULO, description: 'Entrega amanhã' }],
  ] as const;
  for (const [name, answer] of choices) {
    it(name, () => {
      const event = eventOf(name, 'message');
      assert.deepEqual(event.answer, answer);
      assert.deepEqual([event.kind, event.text], ['text', answer.title]);
    });
  }

  it('an ordinary text is no choice', () => {
    assert.equal(eventOf('event-message-noweb', 'message').answer, undefined);
  });
});

describe('web: places and cards', () => {
  it('a place with its point', () => {
    const { location, text, kind } = eventOf('event-location-gows', 'message');
    assert.deepEqual(location, {
      ...{ latitude: -19.932, longitude: -43.9381 },
      ...{ name: 'Padaria Sol', address: 'Rua das Acácias, 12' },
    });
    const words = 'Padaria Sol, Rua das Acácias, 12 (-19.9320, -43.9381)';
    assert.deepEqual([kind, text], ['location', words]);
  });

  for (const engine of ['webjs', 'noweb', 'gows']) {
    it(`${engine}: a card with its numbers, with and without a body`, () => {
      const { contacts, kind, text } = eventOf(`event-card-${engine}`, 'message');
      assert.deepEqual(contacts, [{ name: 'Oficina do Davi', phones: ['+55 31 3333-4444'] }]);
      assert.deepEqual([kind, text], ['contact', 'Oficina do Davi +55 31 3333-4444']);
    });
  }

  it('a card with everything, folded and escaped as vCards are', () => {
    const whole = structuredClone(payload('event-card-noweb'));
    const lines = [
      ...['BEGIN:VCARD', 'VERSION:3.0', 'FN:Bia\\; Re', ' \u202eis', 'ORG:Loja\\, Filhos;Vendas'],
      ...['item1.TEL;waid=5531977776666:+55 31 97777-6666', 'item1.X-ABLabel:Celular'],
      ...['EMAIL;type=INTERNET:bia@example.com', 'END:VCARD'],
    ];
    Object(whole).payload.vCards = [lines.join('\r\n'), 'BEGIN:VCARD\nEND:VCARD'];
    const outcome = parsed(whole);
    assert.ok(outcome.verified && 'events' in outcome);
    const [event] = outcome.events;
    assert.ok(event?.type === 'message');
    const bia = { name: 'Bia; Reis', phones: ['+55 31 97777-6666'], email: 'bia@example.com' };
    assert.deepEqual(event.contacts, [{ ...bia, organization: 'Loja, Filhos' }]);
    assert.equal(event.text, 'Bia; Reis +55 31 97777-6666');
  });
});
