/** The `web` driver against the simulated QR bridge, and the bridge's webhook. */
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, afterEach, before, describe, it } from 'node:test';
import { systemClock } from '../../infra/clock/clock.ts';
import { parseWebhook } from '../../infra/network/web/webhook.ts';
import type { NetworkEvent, WebhookOutcome } from '../../shared/network.ts';
import { channelOf, type Stage, setStage, WEB_NETWORK } from './stage.ts';

const TEXT = { messageId: 'msg_1', to: '5511988887777', text: 'Olá' };

describe('web: sending against the simulator', () => {
  let stage: Stage;
  before(async () => {
    stage = await setStage();
  });
  afterEach(() => stage.control('DELETE', ''));
  after(() => stage.close());
  const send = (changes: Record<string, string> = {}) =>
    stage.networks.driver('web').sendText(channelOf('web', changes), TEXT);
  const fault = (fields: Record<string, unknown>) =>
    stage.control('POST', '/faults', { session: 'shop', ...fields });

  it('accepted, then sent, delivered and read in order', async () => {
    const outcome = await send();
    assert.ok(outcome.outcome === 'accepted');
    const own = () =>
      stage.events.flatMap((e) =>
        e.type === 'receipt' && e.externalId === outcome.externalId ? [e.status] : [],
      );
    await stage.until('three receipts', () => own().length === 3);
    assert.deepEqual(own(), ['sent', 'delivered', 'read']);
    const { body } = await stage.control('GET', '/sent?to=5511988887777');
    assert.equal(Object(body).data[0].channel, 'ch_web');
  });

  it('a wrong key, an unknown and a stopped session stop the channel', async () => {
    const key = await send({ apiKey: 'no' });
    assert.ok(key.outcome === 'later' && /chave de acesso/.test(key.channelReason ?? ''));
    const session = await send({ session: 'other' });
    assert.ok(session.outcome === 'later' && /sessão/.test(session.channelReason ?? ''));
    await fault({ status: 422 });
    const stopped = await send();
    assert.ok(stopped.outcome === 'later' && /parada/.test(stopped.channelReason ?? ''));
    const status = await stage.networks.driver('web').status(channelOf('web'));
    assert.ok(status.ready === false && /parada/.test(status.reason));
  });

  it('a 5xx is later, a reach-out lock is final, a lost answer unknown', async () => {
    await fault({ status: 500, times: 1 });
    assert.equal((await send()).outcome, 'later');
    await fault({ status: 500, code: 463, times: 1 });
    const locked = await send();
    assert.ok(locked.outcome === 'refused' && locked.channelReason !== undefined);
    await fault({ loseAnswer: true, times: 1 });
    assert.equal((await send()).outcome, 'unknown');
  });

  it('ready when the session works; without an address it is not', async () => {
    const driver = stage.networks.driver('web');
    assert.deepEqual(await driver.status(channelOf('web')), { ready: true });
    const bare = await driver.status(channelOf('web', { baseUrl: '' }));
    assert.ok(bare.ready === false && /baseUrl/.test(bare.reason));
  });
});

describe('web: webhook', () => {
  function signed(value: unknown, secret = WEB_NETWORK.webhookSecret): WebhookOutcome {
    const rawBody = Buffer.from(typeof value === 'string' ? value : JSON.stringify(value));
    const hex = createHmac('sha512', secret).update(rawBody).digest('hex');
    const headers = { 'x-webhook-hmac': hex, 'x-webhook-hmac-algorithm': 'sha512' };
    return parseWebhook(systemClock, channelOf('web'), { headers, rawBody });
  }
  const event = (name: string, payload: unknown, session = 'shop') => ({
    event: name,
    session,
    timestamp: 1_741_249_702_485,
    payload,
  });
  function only(value: unknown): NetworkEvent | undefined {
    const outcome = signed(value);
    assert.ok(outcome.verified && 'events' in outcome);
    return outcome.events[0];
  }
  const message = {
    id: 'false_1@c.us_3EB0',
    from: '5531988887777@c.us',
    timestamp: 1_667_561_485,
    body: 'oi',
  };

  it('refuses a wrong signature and a body of another shape', () => {
    assert.deepEqual(signed(event('message', message), 'no'), { verified: false });
    for (const body of ['x', '[]', '{}', { event: 'message' }]) {
      const outcome = signed(body);
      assert.ok(outcome.verified && 'malformed' in outcome);
    }
  });

  it('a message, a hidden id with and without a phone, a group', () => {
    const plain = only(event('message', message));
    assert.ok(plain?.type === 'message' && plain.phone === '5531988887777');
    assert.equal(plain.at, 1_667_561_485_000);
    const hidden = only(event('message', { ...message, from: '77@lid' }));
    assert.ok(hidden?.type === 'message' && hidden.phone === '' && hidden.networkId === '77@lid');
    const _data = { key: { remoteJidAlt: '5531988887777@s.whatsapp.net' } };
    const shown = only(event('message', { ...message, from: '77@lid', _data }));
    assert.ok(shown?.type === 'message' && shown.phone === '5531988887777');
    assert.equal(only(event('message', { ...message, from: '1-2@g.us' })), undefined);
  });

  it('what a person typed on the phone is an echo; what we sent is nothing', () => {
    const own = { ...message, fromMe: true, to: '5531988887777@c.us' };
    const typed = only(event('message.any', { ...own, source: 'app' }));
    assert.ok(typed?.type === 'echo' && typed.phone === '5531988887777');
    assert.equal(only(event('message.any', { ...own, source: 'api' })), undefined);
  });

  it('acks are the ladder, the session is readiness, another session is foreign', () => {
    const ladder = [-1, 0, 1, 2, 3, 4].map((ack) => {
      const found = only(event('message.ack', { id: 'true_1', fromMe: true, ack }));
      return found?.type === 'receipt' ? found.status : null;
    });
    assert.deepEqual(ladder, ['failed', null, 'sent', 'delivered', 'read', 'read']);
    const lost = only(event('session.status', { status: 'SCAN_QR_CODE' }));
    assert.ok(lost?.type === 'readiness' && lost.readiness.ready === false);
    const foreign = signed(event('message', message, 'other'));
    assert.ok(foreign.verified && 'events' in foreign && foreign.foreign === 1);
  });
});
