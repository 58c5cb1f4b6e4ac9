/** A network that cannot be reached or fails: each cause by its name, in words without secrets. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '../../../../../infra/adapters/clock/clock.ts';
import { createNetworks } from '../../../../../infra/adapters/network/networks.ts';
import type { NetworkFaultKind } from '../../../../../shared/network-fault.ts';
import type { Clock } from '../../../../../shared/ports/clock.ts';
import type { Provider } from '../../../../../shared/vocabulary.ts';
import { channelOf } from '../../../../support/infra/adapters/network/network-fixture.ts';
import { type Opened, type Reply, record, serve } from '../../../../support/stand-ins/server.ts';

const PROVIDERS: readonly Provider[] = ['cloud', 'web'];
const TEXT = { messageId: 'msg_1', to: '551140001000', text: 'Olá' };
const SECRET = 'a-secret-that-nobody-reads';
const hastyClock: Clock = {
  ...systemClock,
  after: (ms, run) => systemClock.after(Math.min(ms, 1_000), run),
};

type Peer = Pick<Opened, 'url' | 'close'>;

async function gone(): Promise<Peer> {
  const peer = await serve();
  await peer.close();
  return peer;
}

const answering = (reply: Reply) => record(() => reply);
const failing = (status: number) => answering({ status, body: `{"message":"${SECRET}"}` });

const CASES: readonly (readonly [NetworkFaultKind, string, () => Promise<Peer>])[] = [
  ['refused', 'recusou a conexão', gone],
  ['dns', 'DNS', async () => ({ url: 'http://nobody.invalid', close: () => Promise.resolve() })],
  [
    'tls',
    'TLS',
    async () => {
      const plain = await answering({ body: '{}' });
      return { ...plain, url: plain.url.replace('http:', 'https:') };
    },
  ],
  ['timeout', 'a tempo', () => answering('hang')],
  ['reset', 'interrompeu', () => answering('cut')],
  ['unauthorized', 'inválid', () => failing(401)],
  ['server', '(503)', () => failing(503)],
];

for (const provider of PROVIDERS) {
  for (const [kind, words, open] of CASES) {
    test(`${provider}: ${kind}, of a status request and of a send`, async () => {
      const { url, close } = await open();
      const clock = kind === 'timeout' ? hastyClock : systemClock;
      const networks = createNetworks({ clock, resolveBaseUrl: () => url });
      const driver = networks.driver(provider);
      const channel = channelOf(provider, { accessToken: SECRET, apiKey: SECRET });
      const status = await driver.status(channel);
      const sent = await driver.sendText(channel, TEXT);
      await networks.close();
      await close();
      assert.ok(status.ready === 'unknown' && sent.outcome !== 'accepted');
      assert.ok(sent.outcome !== 'refused');
      for (const { fault, cause } of [status, sent]) {
        assert.equal(fault?.kind, kind, cause);
        assert.ok(fault?.reason.includes(words), fault?.reason);
        assert.ok(cause && !cause.includes(SECRET) && !fault?.reason.includes(SECRET), cause);
      }
    });
  }
}

test('web: a session that starts after a restart is a fault that passes, no word on the number', async () => {
  await using server = await record(({ method }) => ({
    status: method === 'GET' ? 200 : 422,
    body: '{"name":"shop","status":"STARTING"}',
  }));
  const networks = createNetworks({ clock: systemClock, resolveBaseUrl: () => server.url });
  const driver = networks.driver('web');
  const status = await driver.status(channelOf('web'));
  const sent = await driver.sendText(channelOf('web'), TEXT);
  await networks.close();
  assert.ok(status.ready === 'unknown' && status.fault?.kind === 'starting');
  assert.match(status.fault.reason, /iniciando/);
  assert.ok(sent.outcome === 'later' && sent.channelReason === undefined);
  assert.equal(sent.fault?.kind, 'starting');
});
