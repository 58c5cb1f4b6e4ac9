/** The `cloud` webhook: signature on the raw bytes, then whole batches. */
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { systemClock } from '../../../../../infra/adapters/clock/clock.ts';
import {
  parseWebhook,
  verifyChallenge,
} from '../../../../../infra/adapters/network/cloud/webhook.ts';
import {
  CLOUD_NETWORK,
  channelOf,
} from '../../../../support/infra/adapters/network/network-fixture.ts';
import { ANA, batch, change, channel, message, parsed, signed, text } from './cloud-batch.ts';

describe('cloud: webhook signature', () => {
  const raw = Buffer.from(batch(change({ messages: [text('w1')] })));

  const signature = (secret: string) =>
    `sha256=${createHmac('sha256', secret).update(raw).digest('hex')}`;
  const judged = (header: string | undefined, to = channel, rawBody = raw) => {
    const headers = header === undefined ? {} : { 'x-hub-signature-256': header };
    return parseWebhook(systemClock, to, { headers, rawBody });
  };
  const right = signature(CLOUD_NETWORK.appSecret);

  it('a missing, malformed or wrong signature is not verified', () => {
    const hex = right.slice('sha256='.length);
    const wrong = ['', hex, 'sha256=', 'sha256=zz', `sha256=${hex.slice(2)}`, `sha1=${hex}`];
    for (const header of [...wrong, undefined, signature('another')]) {
      assert.deepEqual(judged(header), { verified: false }, header);
    }
  });

  it('a channel without an app secret verifies nothing', () => {
    const bare = channelOf('cloud', { appSecret: '' });
    assert.deepEqual(judged(signature('x'), bare), { verified: false });
  });

  it('any changed byte breaks it', () => {
    fc.assert(
      fc.property(fc.nat(raw.length - 1), fc.integer({ min: 1, max: 255 }), (at, flip) => {
        const changed = Buffer.from(raw);
        changed[at] = (changed[at] ?? 0) ^ flip;
        assert.equal(judged(right, channel, changed).verified, false);
      }),
    );
  });

  it('a status named after what every object has is no status', () => {
    const named = ['constructor', 'toString', '__proto__'].map((status) => ({ id: 'w', status }));
    const { events, skipped } = parsed(batch(change({ statuses: named })));
    assert.deepEqual([events, skipped], [[], 3]);
  });

  it('verified but not of the shape is malformed', () => {
    for (const body of ['', 'x', '[]', '{}', '{"object":"page","entry":[]}']) {
      const outcome = signed(body);
      assert.ok(outcome.verified && 'malformed' in outcome, body);
    }
  });

  it('the challenge is given back only for the right token', () => {
    const token = { 'hub.verify_token': 'verify-me' };
    const right = { 'hub.mode': 'subscribe', ...token, 'hub.challenge': '77' };
    assert.equal(verifyChallenge(channel, right), '77');
    assert.equal(verifyChallenge(channel, { ...right, 'hub.verify_token': 'no' }), null);
    assert.equal(verifyChallenge(channel, { ...right, 'hub.mode': 'no' }), null);
    assert.equal(verifyChallenge(channel, {}), null);
    assert.equal(verifyChallenge(channelOf('cloud', { verifyToken: '' }), right), null);
  });
});

describe('cloud: webhook batches', () => {
  it('takes every entry, change, message, status and echo in order', () => {
    const sent = { id: 's1', status: 'sent', timestamp: '1' };
    const { events, skipped } = parsed(
      batch(
        change({ contacts: [ANA], messages: [text('w1'), text('w2')] }),
        change({ statuses: [{ id: 's1', status: 'read', timestamp: '1749416384' }] }),
        change({ message_echoes: [{ ...text('e1'), to: '5531977776666' }] }, 'smb_message_echoes'),
        change({ messages: [text('w3')], statuses: [sent] }),
      ),
    );
    const told = events.map((event) => 'externalId' in event && [event.type, event.externalId]);
    assert.deepEqual(told, [
      ['message', 'w1'],
      ['message', 'w2'],
      ['receipt', 's1'],
      ['echo', 'e1'],
      ['message', 'w3'],
      ['receipt', 's1'],
    ]);
    assert.equal(skipped, 0);
    const [first, , , echoed] = events;
    assert.ok(first?.type === 'message' && first.profileName === 'Ana');
    assert.equal(first.at, 1_749_416_383_000);
    assert.ok(echoed?.type === 'echo' && echoed.phone === '5531977776666');
  });

  it('another number of the same app is not taken', () => {
    const others = change({ messages: [text('w1')] }, 'messages', '2002');
    const { events, foreign } = parsed(batch(others, change({ messages: [text('w2')] })));
    assert.deepEqual([events.length, foreign], [1, 1]);
  });

  it('odd entries are skipped and counted, the rest is taken', () => {
    const odd = [null, 7, 'x', {}, { id: 'no-sender', type: 'text' }, { from: '55', type: 'text' }];
    const noMedia = message('w9', { type: 'image', image: {} });
    const statuses = [{ id: 'x', status: 'warped' }];
    const first = change({ messages: [...odd, noMedia, text('w1')], statuses });
    const { events, skipped } = parsed(batch(first, null, { field: 'messages' }));
    assert.deepEqual([events.length, skipped], [1, odd.length + 4]);
  });

  it('one message or receipt comes out of each well-formed one, whatever stands beside it', () => {
    const entry = fc.oneof(
      { weight: 3, arbitrary: fc.string({ minLength: 1 }).map((id) => text(`m${id}`)) },
      { weight: 1, arbitrary: fc.jsonValue().filter((value) => !wellFormed(value)) },
    );
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 30 }), (messages) => {
        const { events, skipped } = parsed(batch(change({ messages })));
        assert.equal(events.length + skipped, messages.length);
        assert.equal(events.length, messages.filter(wellFormed).length);
      }),
    );
  });

  it('no verified bytes make it throw', () => {
    const anything = fc.oneof(
      fc.json(),
      fc.jsonValue().map((v) => batch(change({ messages: v }))),
    );
    fc.assert(fc.property(anything, (raw) => void signed(raw)));
  });
});

function wellFormed(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'from' in value && 'id' in value;
}
