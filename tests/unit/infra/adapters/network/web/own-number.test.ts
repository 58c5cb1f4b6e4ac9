/**
 * The number behind a session: another phone that scans the QR code is noticed by `me`, in the
 * session's description, in a webhook and by `recado channels check`.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Readiness } from '../../../../../../shared/ports/network-event.ts';
import { type BridgeAnswers, ok, useBridge } from '../../../../../support/stand-ins/bridge.ts';
import { parsed } from '../web-payloads.ts';

/** The channel's phone is 55 11 4000-1000. */
const OTHER = '5511955554444';
const bridge = useBridge('the suite');

function working(me: unknown, lids: Readonly<Record<string, string | null>> = {}): BridgeAnswers {
  return ({ path }) => {
    if (path === '/api/sessions/shop') return ok({ name: 'shop', status: 'WORKING', me });
    const lid = /^\/api\/shop\/lids\/(.+)$/.exec(path)?.[1];
    return lid === undefined ? undefined : ok({ lid, pn: lids[lid] ?? null });
  };
}

function statusOf(answers: BridgeAnswers, phone?: string): Promise<Readiness> {
  bridge.answers = answers;
  return bridge.driver.status(phone === undefined ? bridge.channel : { ...bridge.channel, phone });
}

describe('the session’s description', () => {
  it('as another number is not ready, with a sentence that names both', async () => {
    for (const id of [`${OTHER}@c.us`, `${OTHER}:7@s.whatsapp.net`]) {
      const status = await statusOf(working({ id, pushName: 'x' }));
      assert.ok(status.ready === false && status.otherNumber === true);
      assert.match(status.reason, /conectada ao número \+5511955554444\b.*número \+551140001000\b/);
    }
  });

  it('in another spelling of the channel’s number is the channel’s', async () => {
    const spellings = [
      ['553188887777@c.us', '5531988887777'],
      ['5215512345678@c.us', '525512345678'],
      ['541123456789@c.us', '5491123456789'],
    ] as const;
    for (const [id, phone] of spellings) {
      assert.equal((await statusOf(working({ id }), phone)).ready, true, phone);
    }
  });

  it('under a hidden id is that of the phone behind it', async () => {
    const me = { id: '31@lid' };
    const other = await statusOf(working(me, { '31@lid': `${OTHER}@c.us` }));
    assert.ok(other.ready === false && other.otherNumber === true);
    const own = await statusOf(working({ id: '32@lid' }, { '32@lid': '551140001000@c.us' }));
    assert.equal(own.ready, true);
  });

  it('without a phone is believed, as is a channel without one', async () => {
    for (const me of [null, {}, { id: '33@lid' }, { id: '0@c.us' }, { id: null }]) {
      assert.equal((await statusOf(working(me))).ready, true, JSON.stringify(me));
    }
    assert.equal((await statusOf(working({ id: `${OTHER}@c.us` }), '')).ready, true);
  });

  it('says that no number is named, also where the look-up of a hidden id fails', async () => {
    const unnamed = async (answers: BridgeAnswers) => {
      const status = await statusOf(answers);
      return status.ready === true && status.unnamed === true;
    };
    const failing: BridgeAnswers = (request) =>
      request.path.includes('/lids/')
        ? { status: 500, body: { statusCode: 500, exception: { message: 'not yet' } } }
        : working({ id: '36@lid' })(request);
    assert.equal(await unnamed(failing), true);
    assert.equal(await unnamed(working(null)), true);
    assert.equal(await unnamed(working({ id: '551140001000@c.us' })), false);
  });

  it('of more digits than a phone has is none', async () => {
    assert.equal((await statusOf(working({ id: `${'9'.repeat(400)}@c.us` }))).ready, true);
  });

  it('of a session that does not work has no number', async () => {
    const body = { name: 'shop', status: 'SCAN_QR_CODE', me: { id: `${OTHER}@c.us` } };
    const status = await statusOf(() => ok(body));
    assert.ok(status.ready === false && status.otherNumber === undefined);
  });
});

describe('a webhook', () => {
  const message = { id: 'false_5511988887777@c.us_AB', from: '5511988887777@c.us', body: 'oi' };
  const hook = (me: unknown, event = 'message.any', payload: object = message) =>
    parsed({ event, session: 'shop', me, payload: { timestamp: 1_795_000_000, ...payload } });

  it('of another number has no events of the channel, whatever it reports', () => {
    for (const [event, payload] of [
      ['message.any', message],
      ['message.ack', { id: message.id, ack: 2 }],
      ['session.status', { status: 'WORKING' }],
    ] as const) {
      const outcome = hook({ id: `${OTHER}@c.us` }, event, payload);
      assert.ok(outcome.verified && 'events' in outcome, event);
      assert.deepEqual([outcome.events, outcome.foreign], [[], 1]);
      assert.equal(outcome.otherNumber?.otherNumber, true);
    }
  });

  it('of the channel’s number says so; without a number neither', () => {
    const own = hook({ id: '551140001000@c.us' });
    assert.ok(own.verified && 'events' in own && own.ownNumber === true);
    assert.equal(own.events.length, 1);
    const unnamed = hook({ id: '34@lid' });
    assert.ok(unnamed.verified && 'events' in unnamed && unnamed.ownNumber === undefined);
    assert.deepEqual([unnamed.events.length, unnamed.otherNumber], [1, undefined]);
  });

  it('that the session stopped is of the channel, whoever was connected', () => {
    const me = { id: `${OTHER}@c.us` };
    const outcome = hook(me, 'session.status', { status: 'SCAN_QR_CODE' });
    assert.ok(outcome.verified && 'events' in outcome);
    assert.equal(outcome.events[0]?.type, 'readiness');
  });
});

describe('recado channels check', () => {
  const numberOf = async (answers: BridgeAnswers) => {
    bridge.answers = (request) => answers(request) ?? ok({ data: { received: true } });
    const findings = await bridge.driver.check?.(bridge.channel, `${bridge.url}/hook`);
    return findings?.find(({ step }) => step === 'number');
  };

  it('tells another number, with both, and the remedy', async () => {
    const params = { phone: OTHER, channelPhone: '551140001000' };
    const found = await numberOf(working({ id: `${OTHER}@c.us` }));
    assert.deepEqual([found?.ok, found?.detail], [false, { code: 'otherNumber', params }]);
    assert.equal(found?.remedy?.code, 'scanOrCorrectPhone');
    const hidden = await numberOf(working({ id: '35@lid' }, { '35@lid': `${OTHER}@c.us` }));
    assert.deepEqual(hidden?.detail, found?.detail);
  });

  it('passes the channel’s own, which it names', async () => {
    const found = await numberOf(working({ id: '551140001000@c.us' }));
    const params = { phone: '551140001000', engine: null };
    assert.deepEqual([found?.ok, found?.detail], [true, { code: 'sessionWorks', params }]);
  });
});
