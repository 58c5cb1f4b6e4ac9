/**
 * Reactions, places, contact cards and presence through the bridge, by the engine that answers
 * (WAHA, OpenAPI 2026.7.1; Send messages; Presence).
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type {
  DoubtfulSend,
  NamedMessage,
  OutboundContent,
  SendOutcome,
} from '../../../../../../shared/ports/network.ts';
import { type BridgeRequest, ok, useBridge } from '../../../../../support/stand-ins/bridge.ts';
import { answerOf, engine } from '../web-payloads.ts';

const TO = '5511988887777';
const CHAT = `${TO}@c.us`;
const ADDRESS = { messageId: 'msg_1', to: TO };
const OWN_ID = '3EB0A1B2C3D4E5F6071829';
const LOCATION = { latitude: -23.5505, longitude: -46.6333 };
const BIA = {
  ...{ name: 'Bia; Reis', phones: ['+55 (31) 97777-6666', '31 97777-6666'] },
  ...{ email: 'bia@example.com', organization: 'Loja, Filhos' },
};
const VCARD = [
  'BEGIN:VCARD',
  'VERSION:3.0',
  'N:;Bia\\; Reis;;;',
  'FN:Bia\\; Reis',
  'ORG:Loja\\, Filhos',
  'TEL;type=CELL;type=VOICE;waid=5531977776666:+55 (31) 97777-6666',
  'TEL;type=CELL;type=VOICE:31 97777-6666',
  'EMAIL;type=WORK:bia@example.com',
  'END:VCARD',
].join('\n');

type Engine = 'webjs' | 'noweb' | 'gows';
const ENGINES: readonly Engine[] = ['webjs', 'noweb', 'gows'];

describe('web: content other than text and files', () => {
  const bridge = useBridge('the suite');

  const answer = (name: Engine, reply: ReturnType<typeof ok> | undefined): void => {
    bridge.requests.length = 0;
    bridge.answers = engine(name, ({ method, path }) => {
      if (path.endsWith('/check-exists')) return ok({ numberExists: true, chatId: CHAT });
      return method === 'GET' ? undefined : reply;
    });
  };
  const send = (content: object): Promise<SendOutcome> => {
    const message = { ...ADDRESS, ...content } as OutboundContent;
    return bridge.driver.sendContent(bridge.channel, message);
  };
  const sent = (): BridgeRequest[] => bridge.requests.filter(({ method }) => method !== 'GET');

  for (const name of ENGINES) {
    it(`${name}: a place, with its words in one, under our id where it is taken`, async () => {
      answer(name, answerOf(`answer-send-${name}`));
      const location = { ...LOCATION, name: 'Loja', address: 'Praça da Sé, 1' };
      const outcome = await send({ type: 'location', location, ownId: OWN_ID, replyTo: 'Q1' });
      assert.equal(outcome.outcome, 'accepted');
      const named = { chatId: CHAT, id: OWN_ID, reply_to: `false_${CHAT}_Q1` };
      const body = { session: 'shop', ...named, ...LOCATION, title: 'Loja, Praça da Sé, 1' };
      const [request, ...more] = sent();
      assert.deepEqual([request?.method, request?.path], ['POST', '/api/sendLocation']);
      assert.deepEqual([request?.body, more], [body, []]);
    });

    it(`${name}: cards as vCards`, async () => {
      answer(name, answerOf(`answer-send-${name}`));
      assert.equal((await send({ type: 'contacts', contacts: [BIA] })).outcome, 'accepted');
      const [request] = sent();
      assert.equal(request?.path, '/api/sendContactVcard');
      const body = { session: 'shop', chatId: CHAT, contacts: [{ vcard: VCARD }] };
      assert.deepEqual(request?.body, body);
    });
  }

  const targets: readonly (readonly [NamedMessage, string])[] = [
    [{ externalId: 'T1', fromMe: false }, `false_${CHAT}_T1`],
    [{ externalId: 'T1', fromMe: true }, `true_${CHAT}_T1`],
    [{ externalId: 'T1', fullId: 'false_77@lid_T1', fromMe: false }, 'false_77@lid_T1'],
  ];
  it('a reaction names its message in full; it takes no id of ours and quotes none', async () => {
    for (const [target, messageId] of targets) {
      answer('gows', answerOf('answer-send-gows'));
      const reaction = { type: 'reaction', emoji: '👍', target, replyTo: 'Q1', ownId: OWN_ID };
      assert.equal((await send(reaction)).outcome, 'accepted');
      const [request] = sent();
      assert.deepEqual([request?.method, request?.path], ['PUT', '/api/reaction']);
      assert.deepEqual(request?.body, { session: 'shop', messageId, reaction: '👍' });
    }
  });

  const reaction = { type: 'reaction', emoji: '', target: { externalId: 'T1', fromMe: false } };

  it('webjs answers a reaction without an id: it has one derived from ours, always the same', async () => {
    answer('webjs', { status: 200, body: null });
    const outcome = await send(reaction);
    assert.ok(outcome.outcome === 'accepted' && /^3EB0[0-9A-F]{18}$/.test(outcome.externalId));
    assert.deepEqual(await send(reaction), outcome);
  });

  it('a reaction on which the engine fails is tried again, and fails in the end', async () => {
    answer('webjs', answerOf('error-exception-webjs'));
    const outcome = await send(reaction);
    assert.ok(outcome.outcome === 'later' && outcome.scope === 'pair');
    assert.match(outcome.failure?.reason ?? '', /reação/);
    answer('webjs', answerOf('error-exception-webjs'));
    assert.equal((await send({ type: 'location', location: LOCATION })).outcome, 'unknown');
  });

  it('a stopped session makes the channel wait', async () => {
    answer('gows', answerOf('error-session-stopped'));
    for (const content of [reaction, { type: 'location', location: LOCATION }]) {
      const outcome = await send(content);
      assert.ok(outcome.outcome === 'later' && outcome.channelReason, JSON.stringify(outcome));
    }
  });

  it('templates and buttons are refused, and nothing is asked', async () => {
    answer('gows', answerOf('answer-send-gows'));
    const template = { name: 'a', language: 'pt_BR', body: [], buttons: [] };
    const buttons = [{ id: 'a', title: 'A' }];
    const interactive = { type: 'buttons', text: 'a', buttons };
    for (const content of [
      { type: 'template', template },
      { type: 'interactive', interactive },
    ]) {
      const outcome = await send(content);
      assert.ok(outcome.outcome === 'refused' && outcome.reason.endsWith('.'));
    }
    assert.deepEqual(bridge.requests, []);
  });

  describe('a send in doubt', () => {
    const doubtful: DoubtfulSend = {
      ...{ ...ADDRESS, text: 'Loja (-23.5505, -46.6333)', recorded: new Set<string>() },
      handedOverAt: 1_783_400_000_000,
    };
    const seen = (fields: object) => ({
      ...{ id: `true_${CHAT}_L1`, timestamp: 1_783_400_001, fromMe: true, hasMedia: false },
      ...fields,
    });
    const find = (messages: readonly object[], content: DoubtfulSend['content']) => {
      bridge.answers = engine('webjs', ({ path }) => {
        if (path.endsWith('/check-exists')) return ok({ numberExists: true, chatId: CHAT });
        return path.endsWith('/messages') ? ok(messages) : undefined;
      });
      const asked = content === undefined ? doubtful : { ...doubtful, content };
      return bridge.driver.findSent?.(bridge.channel, asked);
    };

    it('a place is found by its point, cards by their names', async () => {
      const place = { latitude: '-23.5505000', longitude: '-46.6333' };
      const location = { type: 'location', location: LOCATION } as const;
      const found = await find([seen({ location: place, body: '' })], location);
      assert.ok(found?.found === true && found.externalId === 'L1');
      const elsewhere = await find([seen({ location: { ...place, latitude: '1' } })], location);
      assert.equal(elsewhere?.found, 'never');
      const cards = { type: 'contacts', contacts: [BIA] } as const;
      assert.equal((await find([seen({ vCards: [VCARD] })], cards))?.found, true);
      assert.equal((await find([seen({ vCards: ['FN:Rui'] })], cards))?.found, 'never');
    });

    it('a reaction is never looked up: it may be repeated', async () => {
      const content = { type: 'reaction', reaction: { messageId: 'msg_T', emoji: '👍' } } as const;
      bridge.requests.length = 0;
      assert.deepEqual(await find([], content), { found: false });
      assert.deepEqual(bridge.requests, []);
    });
  });

  describe('presence', () => {
    const message = { externalId: 'T2', fromMe: false };

    it('marks the messages that are named, and shows that an answer is written', async () => {
      const { driver, channel } = bridge;
      answer('noweb', { status: 201, body: null });
      const earlier = [{ externalId: 'T1', fullId: 'false_77@lid_T1', fromMe: false }];
      assert.equal(await driver.show?.(channel, { to: TO, shows: 'read', message, earlier }), true);
      assert.equal(await driver.show?.(channel, { to: TO, shows: 'typing', message }), true);
      const chat = { session: 'shop', chatId: CHAT };
      const shown = sent().map(({ path, body }) => [path, body]);
      assert.deepEqual(shown, [
        ['/api/sendSeen', { ...chat, messageIds: [`false_${CHAT}_T2`, 'false_77@lid_T1'] }],
        ['/api/startTyping', chat],
      ]);
    });

    it('a refusal is no success', async () => {
      const { driver, channel } = bridge;
      answer('noweb', answerOf('error-session-stopped'));
      assert.equal(await driver.show?.(channel, { to: TO, shows: 'read', message }), false);
    });
  });
});
