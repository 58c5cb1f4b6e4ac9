/** Files that a bridge tells of: the channel's key goes to the bridge and nowhere else. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { after, before, test } from 'node:test';
import { systemClock } from '../../../../../infra/adapters/clock/clock.ts';
import { createNetworks } from '../../../../../infra/adapters/network/networks.ts';
import type { InboundMedia } from '../../../../../shared/ports/network-event.ts';
import {
  channelOf,
  WEB_NETWORK,
} from '../../../../support/infra/adapters/network/network-fixture.ts';

interface Seen {
  readonly path: string | undefined;
  readonly key: string | string[] | undefined;
}

async function serve() {
  const seen: Seen[] = [];
  const server = createServer((request, response) => {
    seen.push({ path: request.url, key: request.headers['x-api-key'] });
    response.writeHead(200, { 'content-type': 'image/png' }).end('bytes');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  assert.ok(address !== null && typeof address === 'object');
  return { server, seen, url: `http://127.0.0.1:${address.port}` };
}

type Served = Awaited<ReturnType<typeof serve>>;

let bridge: Served;
let elsewhere: Served;
let networks: ReturnType<typeof createNetworks>;

before(async () => {
  bridge = await serve();
  elsewhere = await serve();
  networks = createNetworks({ clock: systemClock, resolveBaseUrl: (url) => url ?? '' });
});
after(async () => {
  await networks?.close();
  for (const each of [bridge, elsewhere]) {
    each?.server.closeAllConnections();
    each?.server.close();
  }
});

/** Requests that the two servers saw during one download. */
async function download(url: string, baseUrl = bridge.url) {
  bridge.seen.length = 0;
  elsewhere.seen.length = 0;
  const channel = channelOf('web', { baseUrl });
  const media: InboundMedia = { networkMediaId: 'm', mimeType: 'image/png', url };
  const answer = await networks.driver('web').download(channel, media);
  const { downloaded } = answer;
  if (answer.downloaded) answer.discard();
  return { downloaded, bridge: [...bridge.seen], elsewhere: [...elsewhere.seen] };
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
