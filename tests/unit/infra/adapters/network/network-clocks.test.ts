/** Clocks of networks, by their answers and by their webhooks (D409). */
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import { systemClock } from '../../../../../infra/adapters/clock/clock.ts';
import { NetworkClocks } from '../../../../../infra/adapters/network/network-clocks.ts';
import { createNetworks } from '../../../../../infra/adapters/network/networks.ts';
import type { Provider } from '../../../../../shared/vocabulary.ts';
import { record } from '../../../../support/stand-ins/server.ts';

const HOUR_MS = 3_600_000;
const NOW = Date.UTC(2026, 4, 4, 12, 0, 0);
const SECRET = 'segredo-do-webhook';

for (const provider of ['cloud', 'web'] as const satisfies readonly Provider[]) {
  test(`an answer of the network tells how far its clock is behind (${provider})`, async (t) => {
    const date = () => new Date(Date.now() - 5 * HOUR_MS).toUTCString();
    await using server = await record(() => ({ body: '{}', headers: { date: date() } }));
    const networks = createNetworks({ clock: systemClock, resolveBaseUrl: (url = '') => url });
    t.after(() => networks.close());
    const driver = networks.driver(provider);
    const network = { baseUrl: server.url, session: 'loja', phoneNumberId: '1', accessToken: 'x' };
    const channel = { id: 'chn_1', provider, phone: '551140001000', network };
    assert.equal(driver.behindMs?.(channel), null, 'it has not answered yet');
    await driver.status(channel);
    const behindMs = driver.behindMs?.(channel) ?? 0;
    assert.ok(Math.abs(behindMs - 5 * HOUR_MS) < 120_000, `${behindMs}`);
    const other = { ...channel, network: { ...network, baseUrl: 'http://127.0.0.1:9' } };
    assert.equal(driver.behindMs?.(other), null);
  });
}

test('an answer without a usable time changes nothing', () => {
  const clocks = new NetworkClocks({ now: () => NOW });
  const origin = 'https://ponte.example.com';
  clocks.note(origin, new Date(NOW + HOUR_MS).toUTCString());
  for (const date of [undefined, '', 'ontem', ['a', 'b']]) clocks.note(origin, date);
  assert.equal(clocks.behindMs(origin), -HOUR_MS);
});

test('a bridge’s webhook has the time of its report, if it is one', (t) => {
  const networks = createNetworks({ clock: systemClock, resolveBaseUrl: (url = '') => url });
  t.after(() => networks.close());
  const network = { session: 'loja', webhookSecret: SECRET };
  const channel = { id: 'chn_1', provider: 'web', phone: '551140001000', network } as const;
  const told = (timestamp: unknown) => {
    const payload = { status: 'WORKING' };
    const body = { event: 'session.status', session: 'loja', payload, timestamp };
    const rawBody = Buffer.from(JSON.stringify(body));
    const hmac = createHmac('sha512', SECRET).update(rawBody).digest('hex');
    const headers = { 'x-webhook-hmac': hmac, 'x-webhook-hmac-algorithm': 'sha512' };
    const parsed = networks.driver('web').parseWebhook(channel, { headers, rawBody });
    assert.ok('events' in parsed && parsed.events.length > 0);
    return parsed.reportedAt;
  };
  assert.equal(told(NOW), NOW);
  for (const senseless of [undefined, 0, 'agora', null]) assert.equal(told(senseless), undefined);
});
