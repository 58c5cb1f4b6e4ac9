/** Choices, places, cards and calls of a contact, by the engine that reports them. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { eventOf, eventsOf, parsed, payload } from './web-payloads.ts';

const AT = 1_783_400_000_000;
const ANA = { phone: '5531988887777', networkId: '5531988887777@c.us' };

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
    assert.deepEqual(parsed(payload('event-call-group-gows')), {
      ...{ verified: true, events: [], skipped: 1 },
    });
  });
});

describe('web: choices of buttons and rows', () => {
  const choices = [
    ['event-button-answer-noweb', { type: 'button', id: 'sim', title: 'Sim' }],
    ['event-button-answer-webjs', { type: 'button', id: 'sim', title: 'Sim' }],
    ['event-template-answer-gows', { type: 'button', id: 'ok', title: 'Confirmo' }],
    ['event-list-answer-webjs', { type: 'row', id: 'sp', title: 'São Paulo' }],
    [
      'event-list-answer-gows',
      { type: 'row', id: 'sp', title: 'São Paulo', description: 'Entrega amanhã' },
    ],
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
    const { location, text } = eventOf('event-location-gows', 'message');
    assert.deepEqual(location, {
      ...{ latitude: -19.932, longitude: -43.9381 },
      ...{ name: 'Padaria Sol', address: 'Rua das Acácias, 12' },
    });
    assert.equal(text, 'Padaria Sol, Rua das Acácias, 12 (-19.9320, -43.9381)');
  });

  for (const engine of ['webjs', 'noweb', 'gows']) {
    it(`${engine}: a card with its numbers`, () => {
      const { contacts, kind } = eventOf(`event-card-${engine}`, 'message');
      assert.deepEqual(contacts, [{ name: 'Oficina do Davi', phones: ['+55 31 3333-4444'] }]);
      assert.equal(kind, 'contact');
    });
  }

  it('a card with everything, folded and escaped as vCards are', () => {
    const whole = structuredClone(payload('event-card-noweb'));
    const lines = [
      ...['BEGIN:VCARD', 'VERSION:3.0', 'FN:Bia\\; Re', ' is', 'ORG:Loja\\, Filhos;Vendas'],
      ...['item1.TEL;waid=5531977776666:+55 31 97777-6666', 'item1.X-ABLabel:Celular'],
      ...['EMAIL;type=INTERNET:bia@example.com', 'END:VCARD'],
    ];
    Object(whole).payload.vCards = [lines.join('\r\n'), 'BEGIN:VCARD\nEND:VCARD'];
    const outcome = parsed(whole);
    assert.ok(outcome.verified && 'events' in outcome);
    const [event] = outcome.events;
    assert.ok(event?.type === 'message');
    assert.deepEqual(event.contacts, [
      {
        ...{ name: 'Bia; Reis', phones: ['+55 31 97777-6666'] },
        ...{ email: 'bia@example.com', organization: 'Loja, Filhos' },
      },
    ]);
    assert.equal(event.text, 'Bia; Reis +55 31 97777-6666');
  });
});
