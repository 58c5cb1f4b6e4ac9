/** D263: a stranger who asks for much and reads nothing takes no memory of the gateway. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { test } from 'node:test';
import { startGateway } from '../../../support/gateway/gateway-fixture.ts';

const READERS = 10;
/** Of each reader, on one connection: 100 MB, more than the sockets of both sides take in. */
const ASKED = [
  { path: '/docs/files/swagger-script', times: 60 },
  { path: '/docs', times: 600 },
  { path: '/openapi.json', times: 900 },
];
/** A tenth of what is asked for. */
const GROWTH_MAX_BYTES = 100 * 1024 * 1024;

/** Reads the first part alone. The server may end the connection before that. */
async function stoppedReader(port: number, requests: string): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1' });
  const ended = once(socket, 'close');
  socket.on('error', () => socket.destroy());
  socket.write(requests);
  await Promise.race([once(socket, 'readable').catch(() => null), ended]);
  return socket;
}

for (const { path, times } of ASKED) {
  test(`${path}, asked for ${times} times at once`, async () => {
    await using gateway = await startGateway();
    await gateway.send(path, { key: null });
    const requests = `GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`.repeat(times);
    const before = process.memoryUsage().rss;
    const asked = Array.from({ length: READERS }, () => stoppedReader(gateway.port, requests));
    const readers = await Promise.all(asked);
    assert.equal((await gateway.send('/healthz', { key: null })).status, 200, 'all were read');
    const grown = process.memoryUsage().rss - before;
    for (const socket of readers) socket.destroy();
    assert.ok(grown < GROWTH_MAX_BYTES, `${Math.round(grown / 1024 / 1024)} MiB more`);
  });
}
