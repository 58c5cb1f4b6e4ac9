/** Webhooks of the Cloud API about templates and calls, as its sources show them. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { channelOf } from '../../../../support/infra/adapters/network/network-fixture.ts';
import { parsed } from './cloud-batch.ts';
import { payloadOf } from './cloud-payload.ts';

const CALL = {
  ...{ type: 'call', callId: 'wacid.K1', profileName: 'Ana Teixeira', at: 1_780_000_100_000 },
  ...{ phone: '5531988887777', networkId: '5531988887777' },
  aliases: ['BR.70413355918826', 'BR.ENT.5512098837741'],
};

describe('cloud: templates in webhooks', () => {
  const changes = ['status', 'approved', 'components', 'category', 'quality'];
  const payloads = changes.map((name) =>
    payloadOf(name === 'status' ? 'status-failed-template' : `template-${name}`),
  );
  const account = channelOf('cloud', { businessAccountId: '88017700' });
  const CHANGED = { type: 'templates-changed' };

  it('each change of the account’s templates asks to read them again', () => {
    for (const payload of payloads.slice(1)) {
      assert.deepEqual(parsed(payload, account).events, [CHANGED]);
    }
  });

  it('a change of another account of the same app is foreign', () => {
    const other = channelOf('cloud', { businessAccountId: '999' });
    const { events, foreign } = parsed(payloads[1] ?? '', other);
    assert.deepEqual({ events, foreign }, { events: [], foreign: 1 });
  });

  it('so does a message that failed because its template is another', () => {
    const [receipt, change, ...more] = parsed(payloads[0] ?? '', account).events;
    assert.ok(receipt?.type === 'receipt' && receipt.error?.code === '132015');
    assert.match(receipt.error.message, /pausado/);
    assert.deepEqual([change, ...more], [CHANGED]);
  });

  it('once in a batch', () => {
    const entry = payloads.flatMap((payload) => JSON.parse(payload).entry);
    const whole = JSON.stringify({ object: 'whatsapp_business_account', entry });
    const { events } = parsed(whole, account);
    assert.deepEqual(
      events.map(({ type }) => type),
      ['receipt', 'templates-changed'],
    );
  });
});

describe('cloud: calls in webhooks', () => {
  it('a call that begins and ends within a batch is one', () => {
    const entry = ['call-connect', 'call-terminate'].flatMap(
      (name) => JSON.parse(payloadOf(name)).entry,
    );
    const { events } = parsed(JSON.stringify({ object: 'whatsapp_business_account', entry }));
    assert.deepEqual(events, [CALL]);
  });
});
