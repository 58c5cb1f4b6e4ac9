/** Files that a bridge tells of: the channel's key goes to the bridge and nowhere else. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '../../../../../infra/adapters/clock/clock.ts';
import { createNetworks } from '../../../../../infra/adapters/network/networks.ts';
import type { InboundMedia } from '../../../../../shared/ports/network-event.ts';
import {
  channelOf,
  WEB_NETWORK,
} from '../../../../support/infra/adapters/network/network-fixture.ts';
import { record } from '../../../../support/stand-ins/server.ts';
import { useUntil } from '../../../../support/test-hooks.ts';

const networks = useUntil(
  () => createNetworks({ clock: systemClock, resolveBaseUrl: (url) => url ?? '' }),
  (started) => started.close(),
);
const serveFile = () => record(() => ({ headers: { 'content-type': 'image/png' }, body: 'bytes' }));
const bridge = useUntil(serveFile, ({ close }) => close());
const elsewhere = useUntil(serveFile, ({ close }) => close());

/** Requests that the two servers saw during one download. */
async function download(url: string, baseUrl = bridge.url) {
  const before = [bridge.arrived.length, elsewhere.arrived.length];
  const channel = channelOf('web', { baseUrl });
  const media: InboundMedia = { networkMediaId: 'm', mimeType: 'image/png', url };
  const answer = await networks.driver('web').download(channel, media);
  const { downloaded } = answer;
  if (answer.downloaded) answer.discard();
  const [byBridge, byOther] = [bridge, elsewhere].map(({ arrived }, at) =>
    arrived.slice(before[at]).map(({ path, headers }) => ({ path, key: headers['x-api-key'] })),
  );
  return { downloaded, bridge: byBridge, elsewhere: byOther };
}

const { apiKey: key } = WEB_NETWORK;

for (const [what, urlOf] of [
  ['of the bridge itself', () => bridge.url],
  ['of one that calls itself localhost', () => bridge.url.replace('127.0.0.1', 'localhost')],
  ['of one on another machine that calls itself localhost', () => elsewhere.url],
] as const) {
  test(`a file ${what} is asked for with the key`, async () => {
    const path = '/api/files/shop/a.png?x=1';
    const seen = await download(`${urlOf()}${path}`);
    assert.deepEqual(seen, { downloaded: true, bridge: [{ path, key }], elsewhere: [] });
  });
}

test('a file that lies elsewhere is asked for without the key', async () => {
  const path = '/bucket/a.png';
  const seen = await download(`${elsewhere.url}${path}`);
  const without = { path, key: undefined };
  assert.deepEqual(seen, { downloaded: true, bridge: [], elsewhere: [without] });
});

const GONE = { status: 404, body: '{"error":"Not Found"}' };

/** What a download comes to at a bridge that has no file, whose session is of this number. */
async function lostAt(session: unknown) {
  await using other = await record(({ path }) =>
    path === '/api/sessions/shop'
      ? { headers: { 'content-type': 'application/json' }, body: JSON.stringify(session) }
      : GONE,
  );
  const channel = channelOf('web', { baseUrl: other.url });
  const media: InboundMedia = { networkMediaId: 'm', mimeType: 'image/png' };
  return await networks.driver('web').download(channel, media);
}

test('a file that our own session does not have is gone', async () => {
  for (const me of [{ id: '551140001000@c.us' }, null]) {
    const answer = await lostAt({ name: 'shop', status: 'WORKING', me });
    assert.deepEqual(answer, { downloaded: false, final: true, cause: 'status 404' });
  }
});

test('a file that another number’s session does not have may come yet', async () => {
  const me = { id: '5511955554444@c.us' };
  const answer = await lostAt({ name: 'shop', status: 'WORKING', me });
  const cause = 'the session may work as another number';
  assert.deepEqual(answer, { downloaded: false, final: false, cause });
});
