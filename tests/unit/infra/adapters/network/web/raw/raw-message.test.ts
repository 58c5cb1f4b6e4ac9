/**
 * Whose a message of the bridge is, and what is inside its wrappers, by the engine that reports it
 * (WAProto of Baileys, WAWebProtobufsE2E of whatsmeow, `MessageTypes` of whatsapp-web.js).
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { NetworkEvent } from '../../../../../../../shared/ports/network-event.ts';
import { ok, useBridge } from '../../../../../../support/stand-ins/bridge.ts';
import { engine, parsed } from '../../web-payloads.ts';

const PHONE = '5531988887777';
const CHAT = `${PHONE}@c.us`;
const ID = 'AC2F11D3B7A95E6C4D0812FA3399E771';
const AT = 1_783_400_000;

/** A message as the bridge reports one without words. */
function reported(data: object, fields: object = {}): object {
  const plain = { from: CHAT, fromMe: false, source: 'app', body: null, hasMedia: false };
  return { id: `false_${CHAT}_${ID}`, timestamp: AT, ...plain, _data: data, ...fields };
}

const noweb = (message: object, more: object = {}) => ({
  key: { remoteJid: `${PHONE}@s.whatsapp.net`, fromMe: false, id: ID },
  ...{ pushName: 'Helena Prado', message, ...more },
});
const gows = (Message: object) => ({ Info: { Chat: CHAT, ID, Type: 'text' }, Message });
const webjs = (type: string, more: object = {}) => ({ id: { id: ID }, type, ...more });

function told(payload: object, event = 'message.any'): readonly NetworkEvent[] {
  const me = { id: '551140001000@c.us' };
  const outcome = parsed({ event, session: 'shop', timestamp: AT * 1000, me, payload });
  assert.ok(outcome.verified && 'events' in outcome, JSON.stringify(payload));
  return outcome.events;
}

function messageIn(payload: object) {
  const [event, ...more] = told(payload);
  assert.ok(event?.type === 'message' && more.length === 0, JSON.stringify(payload));
  return event;
}

const key = { remoteJid: `${PHONE}@s.whatsapp.net`, fromMe: true, id: '3EB0' };
const CONTENTS = {
  call: { callKey: 'AA==' },
  pinInChatMessage: { key, type: 1 },
  keepInChatMessage: { key, keepType: 1 },
  senderKeyDistributionMessage: { groupId: 'status@broadcast' },
  messageContextInfo: { deviceListMetadataVersion: 2 },
  pollUpdateMessage: { pollCreationMessageKey: key },
  albumMessage: { expectedImageCount: 2 },
  protocolMessage: { type: 3, ephemeralExpiration: 86_400 },
  encReactionMessage: { targetMessageKey: key },
  secretEncryptedMessage: { targetMessageKey: key },
};
const WRAPPERS = [
  ...['ephemeralMessage', 'viewOnceMessage', 'viewOnceMessageV2', 'viewOnceMessageV2Extension'],
  ...['documentWithCaptionMessage', 'editedMessage', 'deviceSentMessage'],
];

const BOOKKEEPING: readonly (readonly [name: string, data: object])[] = [
  ...['e2e_notification', 'notification_template', 'call_log', 'ciphertext', 'gp2', 'protocol'].map(
    (type) => [`webjs ${type}`, webjs(type)] as const,
  ),
  ...['album', 'revoked', 'pin_message', 'poll_update'].map(
    (type) => [`webjs ${type}`, webjs(type)] as const,
  ),
  ...Object.entries(CONTENTS).flatMap(([part, content]) => [
    [`noweb ${part}`, noweb({ [part]: content })] as const,
    [`gows ${part}`, gows({ [part]: content })] as const,
  ]),
  ...WRAPPERS.map((wrapper) => {
    const message = { protocolMessage: { type: 14 }, messageContextInfo: {} };
    return [`noweb in ${wrapper}`, noweb({ [wrapper]: { message } })] as const;
  }),
  [
    'gows wrapped twice',
    gows({ deviceSentMessage: { message: { ephemeralMessage: { message: CONTENTS } } } }),
  ],
  ['noweb messageStubType', { ...noweb({}), message: null, messageStubType: 40 }],
  [
    'noweb a message that could not be read',
    {
      ...noweb({}),
      message: undefined,
      messageStubType: 2,
      messageStubParameters: ['No session record'],
    },
  ],
  ['gows without content', gows({})],
];

describe('web: the engines’ bookkeeping', () => {
  for (const [name, data] of BOOKKEEPING) {
    it(`${name}: nobody wrote it, in either direction`, () => {
      assert.deepEqual(told(reported(data)), []);
      const own = { id: `true_${CHAT}_${ID}`, from: '551140001000@c.us', to: CHAT, fromMe: true };
      assert.deepEqual(told(reported(data, own)), []);
    });
  }

  it('what could not be decrypted is the message once it is, under the same id', () => {
    assert.deepEqual(told(reported(webjs('ciphertext'))), []);
    const { externalId, text } = messageIn(reported(webjs('chat'), { body: 'bom dia' }));
    assert.deepEqual([externalId, text], [ID, 'bom dia']);
  });

  it('keys beside a text do not hide it', () => {
    const { senderKeyDistributionMessage, messageContextInfo } = CONTENTS;
    const beside = { senderKeyDistributionMessage, messageContextInfo, conversation: 'oi' };
    for (const data of [noweb(beside), gows(beside)]) {
      assert.equal(messageIn(reported(data, { body: 'oi' })).text, 'oi');
    }
  });

  const shown: readonly (readonly [name: string, data: object])[] = [
    ['webjs, to be seen once', webjs('ciphertext', { subtype: 'view_once_unavailable_fanout' })],
    ['noweb, to be seen once', { key: { ...noweb({}).key, isViewOnce: true }, status: 3 }],
    ['gows, shown on the phone alone', gows({ placeholderMessage: { type: 0 } })],
    ['webjs, a poll', webjs('poll_creation')],
    ['noweb, a poll', noweb({ pollCreationMessageV3: { name: 'Qual?' }, messageContextInfo: {} })],
    ['gows, a poll', gows({ pollCreationMessage: { name: 'Qual?' } })],
    ['noweb, a poll’s result', noweb({ pollResultSnapshotMessage: { name: 'Qual?' } })],
    ['gows, a poll’s result', gows({ pollResultSnapshotMessageV3: { name: 'Qual?' } })],
    ['noweb, an answer to a status', noweb({ statusQuestionAnswerMessage: { text: 'Sim' } })],
  ];
  for (const [name, data] of shown) {
    it(`${name}: is there, and unsupported`, () => {
      const { kind, text } = messageIn(reported(data));
      assert.deepEqual([kind, text], ['unsupported', null]);
    });
  }
});

describe('web: contents in wrappers', () => {
  const withoutUrl = { hasMedia: true, media: null };
  const wrapped = (content: object, depth = 0) =>
    WRAPPERS.slice(depth, depth + 2).reduce<object>(
      (message, wrapper) => ({ [wrapper]: { message } }),
      content,
    );

  for (const [part, mimetype, kind] of [
    ['imageMessage', 'image/jpeg', 'image'],
    ['audioMessage', 'audio/ogg; codecs=opus', 'audio'],
    ['videoMessage', 'video/mp4', 'video'],
    ['ptvMessage', 'video/mp4', 'video'],
    ['documentMessage', 'application/pdf', 'document'],
    ['stickerMessage', 'application/was', 'sticker'],
  ] as const) {
    it(`${part}: a file that was not downloaded keeps its kind`, () => {
      const content = wrapped({ [part]: { mimetype } });
      for (const data of [noweb(content), gows(content)]) {
        const event = messageIn(reported(data, withoutUrl));
        assert.deepEqual([event.kind, event.media?.mimeType], [kind, mimetype]);
      }
    });
  }

  it('a message that was edited in the bridge’s store is the message', () => {
    const data = noweb({ editedMessage: { message: { conversation: 'depois' } } });
    const { externalId, text } = messageIn(reported(data, { body: 'depois' }));
    assert.deepEqual([externalId, text], [ID, 'depois']);
  });

  it('a place, cards and an answered message, which the bridge itself does not find there', () => {
    const point = { degreesLatitude: -19.932, degreesLongitude: -43.9381, name: 'Padaria Sol' };
    const vcard = 'BEGIN:VCARD\nFN:Davi\nTEL:+55 31 3333-4444\nEND:VCARD';
    const quotedMessage = { conversation: 'onde?' };
    for (const engineOf of [noweb, gows]) {
      const stanza = engineOf === noweb ? 'stanzaId' : 'stanzaID';
      const contextInfo = { [stanza]: '3EB0Q', quotedMessage };
      const place = engineOf(wrapped({ locationMessage: { ...point, contextInfo } }));
      const placed = messageIn(reported(place));
      assert.deepEqual([placed.kind, placed.location?.name], ['location', 'Padaria Sol']);
      assert.equal(placed.replyToExternalId, '3EB0Q');
      const cards = { contactMessage: { displayName: 'Davi', vcard } };
      const list = { contactsArrayMessage: { contacts: [{ vcard }, { vcard }] } };
      for (const [content, count] of [
        [cards, 1],
        [list, 2],
      ] as const) {
        const event = messageIn(reported(engineOf(wrapped(content))));
        assert.deepEqual([event.kind, event.contacts?.length], ['contact', count]);
      }
    }
  });

  const SIM = { type: 'button', id: 'sim', title: 'Sim' } as const;
  const params = JSON.stringify({ id: 'sim', display_text: 'Sim' });
  const flow = { name: 'quick_reply', version: 3 };
  const body = { text: 'Sim' };
  const answers: readonly (readonly [name: string, data: object, answer: object])[] = [
    [
      'noweb, of a template',
      noweb(
        wrapped({ templateButtonReplyMessage: { selectedId: 'sim', selectedDisplayText: 'Sim' } }),
      ),
      SIM,
    ],
    [
      'gows, of a template',
      gows(
        wrapped({ templateButtonReplyMessage: { selectedID: 'sim', selectedDisplayText: 'Sim' } }),
      ),
      SIM,
    ],
    [
      'gows, of buttons',
      gows({
        buttonsResponseMessage: {
          selectedButtonID: 'sim',
          Response: { SelectedDisplayText: 'Sim' },
        },
      }),
      SIM,
    ],
    [
      'noweb, of a native flow',
      noweb(
        wrapped(
          {
            interactiveResponseMessage: {
              body,
              nativeFlowResponseMessage: { ...flow, paramsJson: params },
            },
          },
          2,
        ),
      ),
      SIM,
    ],
    [
      'gows, of a native flow',
      gows({
        interactiveResponseMessage: {
          body,
          InteractiveResponseMessage: {
            NativeFlowResponseMessage: { ...flow, paramsJSON: params },
          },
        },
      }),
      SIM,
    ],
    [
      'noweb, of a native list',
      noweb({
        interactiveResponseMessage: {
          body,
          nativeFlowResponseMessage: {
            name: 'menu_options',
            paramsJson: JSON.stringify({ id: 'sim', description: 'Hoje' }),
          },
        },
      }),
      { ...SIM, type: 'row', description: 'Hoje' },
    ],
    ['webjs, of a template', webjs('template_button_reply', { selectedId: 'sim' }), SIM],
  ];
  for (const [name, data, answer] of answers) {
    it(`a choice keeps its id: ${name}`, () => {
      const event = messageIn(reported(data, name.startsWith('webjs') ? { body: 'Sim' } : {}));
      assert.deepEqual([event.answer, event.text, event.kind], [answer, 'Sim', 'text']);
    });
  }

  it('the answers to a form are no choice', () => {
    const paramsJson = JSON.stringify({ flow_token: 'AQA', screen_0: 'x' });
    const form = { body: { text: 'Sent' }, nativeFlowResponseMessage: { paramsJson } };
    const event = messageIn(reported(noweb({ interactiveResponseMessage: form })));
    assert.equal(event.answer, undefined);
  });
});

describe('web: a contact’s broadcast list', () => {
  const LIST = '1712345678@broadcast';
  const sent = {
    ...{ id: `false_${LIST}_${ID}_${CHAT}`, from: LIST, participant: CHAT, body: 'promoção' },
  };

  it('is a message of its author', () => {
    const event = messageIn(reported(noweb({ conversation: 'promoção' }), sent));
    const { externalId, phone, networkId, text } = event;
    assert.deepEqual([externalId, phone, networkId, text], [ID, PHONE, CHAT, 'promoção']);
  });

  it('a hidden author is known by the phone beside', () => {
    const data = noweb({ conversation: 'promoção' });
    Object.assign(data.key, { participantAlt: `${PHONE}@s.whatsapp.net` });
    const event = messageIn(reported(data, { ...sent, participant: '77@lid' }));
    assert.deepEqual([event.phone, event.aliases], [PHONE, ['77@lid']]);
  });

  it('a status update, a list without an author and one of our own are nobody’s', () => {
    const data = noweb({ conversation: 'promoção' });
    const status = 'status@broadcast';
    assert.deepEqual(told(reported(data, { ...sent, from: status })), []);
    assert.deepEqual(told(reported(data, { ...sent, participant: null })), []);
    const own = { ...sent, id: `true_${LIST}_${ID}`, fromMe: true, to: LIST };
    assert.deepEqual(told(reported(data, own)), []);
  });
});

it('web: under the number 0 the network itself speaks', () => {
  for (const from of ['0@c.us', '0@s.whatsapp.net']) {
    const said = { id: `false_${from}_${ID}`, from, body: 'novidades' };
    assert.deepEqual(told(reported(webjs('chat'), said)), []);
    assert.deepEqual(told({ id: 'C1', from, timestamp: AT }, 'call.received'), []);
  }
});

describe('web: other ways in', () => {
  const bridge = useBridge('each test');
  const LIST = '1712345678@broadcast';

  it('bookkeeping is not read back, and a broadcast list is', async () => {
    const chats = [CHAT, LIST, '0@c.us', 'status@broadcast'];
    const listed: Readonly<Record<string, readonly object[]>> = {
      [CHAT]: [
        reported(webjs('chat'), { body: 'bom dia' }),
        reported(webjs('e2e_notification'), { id: `false_${CHAT}_N1`, body: '' }),
      ],
      [LIST]: [
        reported(webjs('chat'), {
          id: `false_${LIST}_L1_${CHAT}`,
          from: LIST,
          participant: CHAT,
          body: 'promoção',
        }),
      ],
    };
    bridge.answers = engine('webjs', ({ path, query }) => {
      if (query.offset !== '0') return ok([]);
      if (path.endsWith('/overview')) {
        return ok(chats.map((id) => ({ id, lastMessage: { timestamp: AT } })));
      }
      return ok(Object.entries(listed).find(([chat]) => path.includes(chat))?.[1] ?? []);
    });
    const found: NetworkEvent[] = [];
    const pages = bridge.driver.readSince?.(bridge.channel, AT * 1000);
    assert.ok(pages);
    for await (const page of pages) found.push(...page);
    const ids = found.map((event) => ('externalId' in event ? event.externalId : ''));
    assert.deepEqual(ids, [ID, 'L1']);
  });

  it('our own edit is not taken for a send in doubt', async () => {
    const own = { id: `true_${CHAT}_E1`, fromMe: true, body: 'Olá' };
    bridge.answers = engine('noweb', ({ path }) => {
      if (path.endsWith('/check-exists')) return ok({ numberExists: true, chatId: CHAT });
      return ok([reported(noweb({ protocolMessage: { type: 14 } }), own)]);
    });
    const found = await bridge.driver.findSent?.(bridge.channel, {
      ...{ messageId: 'msg_1', to: PHONE, text: 'Olá' },
      ...{ handedOverAt: AT * 1000, recorded: new Set<string>() },
    });
    assert.equal(found?.found, 'never');
  });
});
