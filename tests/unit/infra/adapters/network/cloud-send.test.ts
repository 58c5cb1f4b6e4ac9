/** The `cloud` driver's outcomes, each over real HTTP (C13.1, D56). */
import assert from 'node:assert/strict';
import type { RequestListener } from 'node:http';
import { afterEach, describe, it } from 'node:test';
import { systemClock } from '../../../../../infra/adapters/clock/clock.ts';
import { createNetworks } from '../../../../../infra/adapters/network/networks.ts';
import type { Clock } from '../../../../../shared/ports/clock.ts';
import type { SendOutcome } from '../../../../../shared/ports/network.ts';
import {
  channelOf,
  useNetworkFixture,
} from '../../../../support/infra/adapters/network/network-fixture.ts';
import { json, record, serve, serveTcp } from '../../../../support/stand-ins/server.ts';

const TEXT = { messageId: 'msg_1', to: '5511988887777', text: 'Olá, tudo bem?' };

function later(outcome: SendOutcome) {
  assert.ok(outcome.outcome === 'later', JSON.stringify(outcome));
  return outcome;
}

describe('cloud: sending against the simulator', () => {
  const fixture = useNetworkFixture();
  afterEach(() => fixture.control('DELETE', ''));

  const send = (changes: Record<string, string> = {}, message = TEXT): Promise<SendOutcome> =>
    fixture.networks.driver('cloud').sendText(channelOf('cloud', changes), message);
  const fault = (fields: Record<string, unknown>) =>
    fixture.control('POST', '/faults', { phoneNumberId: '1001', ...fields });

  it('accepted carries the network id of the message and of the contact', async () => {
    const outcome = await send();
    assert.ok(outcome.outcome === 'accepted' && outcome.externalId.startsWith('wamid.'));
    assert.equal(outcome.networkId, '5511988887777');
    const { body } = await fixture.control('GET', '/sent?to=5511988887777');
    assert.ok(typeof body === 'object' && body !== null && 'data' in body);
    assert.ok(Array.isArray(body.data));
    const [first] = body.data;
    assert.deepEqual(Object.keys(first), ['to', 'text', 'kind', 'externalId', 'channel', 'at']);
    assert.equal(first.text, TEXT.text);
    assert.equal(first.channel, 'ch_cloud');
  });

  it('an opaque id goes out as recipient', async () => {
    const outcome = await send({}, { ...TEXT, to: 'BR.1502576394655843' });
    assert.ok(outcome.outcome === 'accepted' && outcome.networkId === 'BR.1502576394655843');
  });

  it('sent, delivered and read come back in order with our message id', async () => {
    const outcome = await send({}, { ...TEXT, messageId: 'msg_order' });
    assert.ok(outcome.outcome === 'accepted');
    const own = () =>
      fixture.events.filter((e) => e.type === 'receipt' && e.messageId === 'msg_order');
    await fixture.until('three receipts', () => own().length === 3);
    const told = own().map((event) => event.type === 'receipt' && [event.externalId, event.status]);
    const id = outcome.externalId;
    const ladder = ['sent', 'delivered', 'read'].map((status) => [id, status]);
    assert.deepEqual(told, ladder);
  });

  it('a wrong token lets the account wait, with a reason', async () => {
    const outcome = await send({ accessToken: 'wrong' });
    assert.ok(outcome.outcome === 'later' && outcome.scope === 'account');
    assert.equal(outcome.channelReason, undefined);
    assert.equal(outcome.fault?.kind, 'unauthorized');
    assert.match(outcome.fault?.reason ?? '', /token de acesso/);
    assert.equal(outcome.cause, 'status 401, code 190');
  });

  it('a wrong phone number id stops the account with a reason', async () => {
    const outcome = await send({ phoneNumberId: '9999' });
    assert.ok(outcome.outcome === 'later' && outcome.scope === 'account');
    assert.match(outcome.channelReason ?? '', /phoneNumberId/);
  });

  it('a missing setting is a reason, not a request', async () => {
    const outcome = await send({ accessToken: '' });
    assert.ok(outcome.outcome === 'later' && outcome.channelReason !== undefined);
  });

  const waits: [{ status?: number; code?: number }, string, number][] = [
    [{ code: 131056 }, 'pair', 6_000],
    [{ code: 131056, status: 429 }, 'pair', 6_000],
    [{ code: 130429, status: 403 }, 'number', 1_000],
    [{ code: 4 }, 'account', 60_000],
    [{ code: 80007 }, 'account', 60_000],
    [{ code: 80008 }, 'account', 60_000],
  ];
  for (const [fields, scope, waitMs] of waits) {
    it(`${JSON.stringify(fields)} is later for the ${scope}`, async () => {
      await fault({ ...fields, times: 1 });
      const { cause, fault: told, ...outcome } = later(await send());
      assert.deepEqual(outcome, { outcome: 'later', scope, waitMs });
      assert.match(cause ?? '', /^status \d+, code \d+$/);
      assert.equal(told, undefined);
      assert.equal((await send()).outcome, 'accepted');
    });
  }

  const failures: [Record<string, unknown>, true | undefined, RegExp][] = [
    [{ status: 500, acceptFirst: true }, true, /^status 500, code 131016$/],
    [{ status: 503 }, true, /^status 503, code 2$/],
    [{ status: 502, proxy: true, acceptFirst: true }, true, /^status 502, code none$/],
    [{ status: 504, proxy: true }, true, /^status 504, code none$/],
    [{ status: 502, code: 999999 }, true, /^status 502, code 999999$/],
    [{ status: 500, code: 131000, acceptFirst: true }, undefined, /^status 500, code 131000$/],
  ];
  for (const [fields, outage, cause] of failures) {
    it(`${JSON.stringify(fields)} is unknown: the message may be taken`, async () => {
      await fault({ ...fields, times: 1 });
      const outcome = await send();
      assert.ok(outcome.outcome === 'unknown', JSON.stringify(outcome));
      assert.match(outcome.cause, cause);
      assert.deepEqual([outcome.fault?.kind, outcome.outage], ['server', outage]);
    });
  }

  it('a 5xx whose code is about the whole channel is that code', async () => {
    await fault({ status: 500, code: 131045, times: 1 });
    assert.match(later(await send()).channelReason ?? '', /certificado/);
  });

  it('a permanent error refuses with the network code and a Portuguese reason', async () => {
    await fault({ code: 131047, times: 1 });
    const reason = 'Passaram mais de 24 horas desde a última mensagem do contato.';
    assert.deepEqual(await send(), { outcome: 'refused', code: '131047', reason });
  });

  it('a body that Graph does not take is refused', async () => {
    const outcome = await send({}, { ...TEXT, text: 'x'.repeat(4_097) });
    assert.ok(outcome.outcome === 'refused' && outcome.code === '100');
  });

  it('an answer lost after acceptance is unknown, and the receipts still tell', async () => {
    await fault({ loseAnswer: true, times: 1 });
    const outcome = await send({}, { ...TEXT, messageId: 'msg_lost' });
    assert.equal(outcome.outcome, 'unknown');
    await fixture.until('the receipt of the lost one', () =>
      fixture.events.some((event) => event.type === 'receipt' && event.messageId === 'msg_lost'),
    );
  });

  it('an accepted message may fail later with the network code', async () => {
    await fault({ failReceiptCode: 131026, times: 1 });
    const outcome = await send({}, { ...TEXT, messageId: 'msg_fails' });
    assert.equal(outcome.outcome, 'accepted');
    const failed = () =>
      fixture.events.find((event) => event.type === 'receipt' && event.messageId === 'msg_fails');
    await fixture.until('the failure', () => failed() !== undefined);
    const event = failed();
    assert.ok(event?.type === 'receipt' && event.status === 'failed');
    assert.equal(event.error?.code, '131026');
    assert.match(event.error?.message ?? '', /não pode ser entregue/);
  });

  it('status tells ready, and is unknown with a bad token or without an answer', async () => {
    const driver = fixture.networks.driver('cloud');
    assert.deepEqual(await driver.status(channelOf('cloud')), { ready: true, unpaid: false });
    const wrong = await driver.status(channelOf('cloud', { accessToken: 'wrong' }));
    assert.ok(wrong.ready === 'unknown' && /token/.test(wrong.fault?.reason ?? ''));
    assert.equal(wrong.fault?.kind, 'unauthorized');
    await fault({ status: 503 });
    const down = await driver.status(channelOf('cloud'));
    assert.ok(down.ready === 'unknown' && down.fault?.kind === 'server');
  });
});

describe('cloud: sending against broken peers', () => {
  /** Fires every time-out at once: the tests do not measure its length. */
  const hastyClock: Clock = { ...systemClock, after: (_ms, run) => systemClock.after(1_000, run) };

  async function sendTo(url: string, clock: Clock = systemClock): Promise<SendOutcome> {
    const networks = createNetworks({ clock, resolveBaseUrl: () => url });
    const outcome = await networks.driver('cloud').sendText(channelOf('cloud'), TEXT);
    await networks.close();
    return outcome;
  }

  async function sendToServer(answer: RequestListener, clock?: Clock): Promise<SendOutcome> {
    await using server = await serve(answer);
    return await sendTo(server.url, clock);
  }

  it('nobody listens: later, nothing was written', async () => {
    const { url, close } = await serve();
    await close();
    const { cause, fault, ...outcome } = later(await sendTo(url));
    assert.deepEqual(outcome, { outcome: 'later', scope: 'number', waitMs: 2_000 });
    assert.match(cause ?? '', /^ECONNREFUSED/);
    assert.equal(fault?.kind, 'refused');
  });

  it('a base URL that is none: later, nothing was written', async () => {
    assert.equal((await sendTo('')).outcome, 'later');
  });

  it('no answer in time: unknown', async () => {
    const outcome = await sendToServer(() => undefined, hastyClock);
    assert.ok(outcome.outcome === 'unknown' && outcome.cause === 'timeout');
    assert.equal(outcome.fault?.kind, 'timeout');
  });

  it('a reset after the request was written: unknown', async () => {
    const outcome = await sendToServer((request) => request.socket.destroy());
    assert.equal(outcome.outcome, 'unknown');
  });

  it('an answer that breaks off half-way: unknown', async () => {
    const outcome = await sendToServer((request, response) => {
      response.writeHead(200, { 'content-length': '500' });
      response.write('{"messages":[{"id":"wamid.half"}]', () => request.socket.destroy());
    });
    assert.equal(outcome.outcome, 'unknown');
  });

  it('bytes that are no HTTP: unknown', async () => {
    await using server = await serveTcp((socket) => {
      socket.once('data', () => socket.end('220 smtp ready\r\n'));
    });
    assert.equal((await sendTo(server.url)).outcome, 'unknown');
  });

  for (const body of ['', 'ok', '[]', '{}', '{"messages":[]}', '{"messages":[{"id":""}]}']) {
    it(`200 with ${JSON.stringify(body)}: unknown`, async () => {
      const outcome = await sendToServer((_request, response) => response.end(body));
      assert.equal(outcome.outcome, 'unknown');
    });
  }

  it('200 with an error inside is that error, nothing was sent', async () => {
    const body = '{"error":{"code":131056,"message":"(#131056)"}}';
    const outcome = await sendToServer((_request, response) => response.end(body));
    assert.ok(outcome.outcome === 'later' && outcome.scope === 'pair');
  });

  for (const status of [500, 502, 503, 504]) {
    it(`a complete ${status} without Graph's body: unknown`, async () => {
      const outcome = await sendToServer((_request, response) => {
        response.writeHead(status).end('<html>bad gateway</html>');
      });
      assert.ok(outcome.outcome === 'unknown');
      assert.deepEqual([outcome.fault?.kind, outcome.outage], ['server', true]);
      assert.match(outcome.fault?.reason ?? '', new RegExp(`\\(${status}\\)`));
    });
  }

  it('a 404 page: the address is not the API, for the whole channel', async () => {
    const outcome = await sendToServer((_request, response) => {
      response.writeHead(404).end('<html>not found</html>');
    });
    assert.ok(outcome.outcome === 'later' && outcome.channelReason !== undefined);
  });

  it('the request carries the plus, our id, the token and the version', async () => {
    await using server = await record(() => json({ messages: [{ id: 'wamid.1' }] }));
    await sendTo(server.url);
    const [seen] = server.arrived;
    assert.equal(seen?.path, '/v26.0/1001/messages');
    assert.equal(seen.headers.authorization, 'Bearer token-1001');
    assert.deepEqual(JSON.parse(seen.bytes.toString('utf8')), {
      ...{ messaging_product: 'whatsapp', recipient_type: 'individual', to: '+5511988887777' },
      type: 'text',
      text: { body: TEXT.text, preview_url: false },
      biz_opaque_callback_data: 'msg_1',
    });
  });
});
