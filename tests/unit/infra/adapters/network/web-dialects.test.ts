/** Posts of the bridge's three engines, each in its own words: one meaning. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { eventOf, eventsOf, parsed, payload } from './web-payloads.ts';

const PHONE = '5531988887777';
const CHAT = `${PHONE}@c.us`;
const HIDDEN = '77000000000123@lid';
const OWN = '3EB0A1B2C3D4E5F6071829';
const THEIRS = 'AC2F11D3B7A95E6C4D0812FA3399E771';

describe('web: one message, one id, one person', () => {
  for (const name of [
    'event-message-webjs',
    'event-message-noweb',
    'event-message-gows-hidden',
    'event-message-gows-phone',
  ]) {
    it(`${name}: the third segment, the phone, the name`, () => {
      const event = eventOf(name, 'message');
      assert.equal(event.externalId, THEIRS);
      assert.match(event.fullId ?? '', new RegExp(`^false_.+_${THEIRS}$`));
      assert.equal(event.phone, PHONE);
      assert.equal(event.networkId, CHAT);
      assert.equal(event.profileName, 'Helena Prado');
      assert.equal(event.text, 'bom dia');
      assert.deepEqual(event.aliases, name === 'event-message-webjs' ? undefined : [HIDDEN]);
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
    assert.deepEqual(eventsOf('event-session-restricted-gows'), [
      { type: 'readiness', readiness: { ready: true, restriction } },
      { type: 'restriction', restriction },
    ]);
    assert.deepEqual(eventsOf('event-session-unrestricted-gows'), [
      { type: 'readiness', readiness: { ready: true, restriction: null } },
      { type: 'restriction', restriction: null },
    ]);
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
    assert.equal(none.kind, 'document');
    assert.equal(none.text, 'a nota');
    assert.deepEqual(none.media, {
      networkMediaId: `false_${CHAT}_${THEIRS}`,
      mimeType: 'application/pdf',
      fileName: 'nota.pdf',
    });
    const failed = eventOf('event-media-failed-gows', 'message');
    assert.equal(failed.kind, 'image');
    assert.deepEqual(failed.media, {
      networkMediaId: `false_${HIDDEN}_${THEIRS}`,
      mimeType: 'image/jpeg',
    });
    assert.equal(eventOf('event-sticker-noweb', 'message').kind, 'sticker');
  });

  it('contact cards, with and without a body, and places', () => {
    for (const engine of ['noweb', 'gows', 'webjs']) {
      const card = eventOf(`event-card-${engine}`, 'message');
      assert.equal(card.kind, 'contact', engine);
      assert.equal(card.text, 'Oficina do Davi +55 31 3333-4444', engine);
    }
    const place = eventOf('event-location-gows', 'message');
    assert.equal(place.kind, 'location');
    assert.equal(place.text, 'Padaria Sol, Rua das Acácias, 12 (-19.9320, -43.9381)');
  });

  it('a reaction answers a message; taken back it is empty', () => {
    const given = eventOf('event-reaction-webjs', 'message');
    assert.deepEqual([given.kind, given.text, given.replyToExternalId], ['reaction', '🙏', OWN]);
    assert.equal(given.at, 1_783_400_000_853);
    const removed = eventOf('event-reaction-removed-gows', 'message');
    assert.deepEqual([removed.kind, removed.text, removed.phone], ['reaction', '', PHONE]);
  });

  it('an edit and a deletion name the message that is changed', () => {
    const edit = eventOf('event-edited-noweb', 'edit');
    assert.deepEqual(
      [edit.externalId, edit.fromMe, edit.text, edit.phone],
      [THEIRS, false, 'bom dia a todos', PHONE],
    );
    const ours = eventOf('event-edited-webjs', 'edit');
    assert.deepEqual([ours.externalId, ours.fromMe, ours.text], [OWN, true, 'Olá!']);
    for (const engine of ['gows', 'webjs']) {
      const deletion = eventOf(`event-revoked-${engine}`, 'deletion');
      assert.deepEqual(
        [deletion.externalId, deletion.fromMe, deletion.phone],
        [THEIRS, false, PHONE],
        engine,
      );
    }
  });
});
