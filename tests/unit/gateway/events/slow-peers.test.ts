/** Streams of peers that do not read, and the stop of their process. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, test } from 'node:test';
import { EVENT_STREAM_STALL_MS } from '../../../../shared/limits.ts';
import type { StreamRead } from '../../../../shared/wire/stream-commands.ts';
import { ACCOUNT_KEY } from '../../../support/gateway/gateway-fixture.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { waitFor } from '../../../support/wait-for.ts';
import { EMPTY, EVENTS, type Owners, RETRY, read, startOwners } from './owners-fixture.ts';

/** Looks at which nothing more was read. */
const SAME = 8;

describe('a stop', () => {
  test('ends streams at once, those of peers that do not read too', async () => {
    const owners = await startOwners();
    using idle = await read(owners);
    await idle.until(RETRY);
    owners.onRead = ({ after }) => ({ ...endless(Number(after)), more: true });
    const slow = await blockedPeer(owners);
    owners.gateway.eventStreams.close();
    // A stop that waited for the blocked peer would not end.
    await owners.stop();
    assert.equal(await idle.ended(), RETRY);
    slow.destroy();
    assert.equal(owners.gateway.eventStreams.count, 0);
  });

  test('a stream that is opened meanwhile ends at once', async () => {
    await using owners = await startOwners();
    owners.gateway.eventStreams.close();
    using reader = await read(owners);
    assert.equal(await reader.ended(), RETRY);
    assert.equal(owners.gateway.eventStreams.count, 0);
  });
});

/** One large delivery behind the position. */
function endless(after: number): Extract<StreamRead, { readonly outcome: 'page' }> {
  const body = JSON.stringify('x'.repeat(200_000));
  const delivery = { id: `dlv_${after + 1}`, event: 'message.sent', body, position: after + 1 };
  return { outcome: 'page', deliveries: [delivery], unacknowledged: 1, more: false, dropped: 0 };
}

const open = (name: string) =>
  `GET ${EVENTS}?name=${name} HTTP/1.1\r\nHost: a\r\nx-api-key: ${ACCOUNT_KEY}\r\n\r\n`;

/** A peer that reads nothing of its stream, once no more fits its socket. */
async function blockedPeer(owners: Owners) {
  const socket = connect(owners.port, '127.0.0.1');
  await once(socket, 'connect');
  socket.pause();
  socket.write(open('slow'));
  let reads = -1;
  let same = 0;
  await waitFor(
    () => {
      const before = reads;
      reads = owners.asked('read-stream').length;
      same = before === reads ? same + 1 : 0;
      return reads > 1 && same === SAME;
    },
    { what: 'nothing more is read for it' },
  );
  return socket;
}

describe('a peer that does not read', () => {
  test('holds one page, is read for no further, and goes on when it reads', async () => {
    await using owners = await startOwners();
    const LAST = 200;
    owners.onRead = ({ after }) =>
      Number(after) < LAST ? { ...endless(Number(after)), more: true } : EMPTY;
    const socket = await blockedPeer(owners);
    assert.ok(owners.asked('read-stream').length < LAST / 2, 'the rest is not read');
    let bytes = 0;
    let tail = '';
    socket.on('data', (chunk) => {
      bytes += chunk.length;
      tail = (tail + chunk).slice(-1_000);
    });
    socket.resume();
    await waitFor(() => bytes > LAST * 200_000, { what: 'all of it arrives' });
    socket.destroy();
  });

  test('is cut off after 60 s', async () => {
    const clock = new ManualClock();
    await using owners = await startOwners({ clock });
    owners.onRead = ({ after }) => ({ ...endless(Number(after)), more: true });
    const socket = await blockedPeer(owners);
    clock.advance(EVENT_STREAM_STALL_MS - 1);
    await new Promise((resume) => setImmediate(resume));
    assert.equal(owners.gateway.eventStreams.count, 1);
    clock.advance(1);
    await waitFor(() => owners.gateway.eventStreams.count === 0, { what: 'it is cut off' });
    assert.ok(owners.logged.some(({ cause }) => /reads too slowly/.test(String(cause))));
    assert.equal(clock.waiting, 0);
    socket.destroy();
  });
});
