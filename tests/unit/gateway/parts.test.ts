/** Lists in parts: the bytes written, the memory held meanwhile, and a caller's view of a break. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, test } from 'node:test';
import { STREAMS_PER_ORGANIZATION } from '../../../shared/limits.ts';
import type { Answer } from '../../../shared/ports/bus.ts';
import {
  ACCOUNT_KEY,
  type Fixture,
  ORG,
  startGateway,
} from '../../support/gateway/gateway-fixture.ts';
import { waitFor } from '../../support/wait-for.ts';

const PART_BYTES = 256 * 1024;
const PARTS = 200;
/** That find nothing new, until no more is expected. */
const LOOKS = 10;
const LIST = '/api/v1/contacts?limit=200';

/** A list of so many texts, one in each part. */
function partOf(at: number, parts = PARTS): Answer {
  const text = JSON.stringify('x'.repeat(PART_BYTES));
  const body = `${at === 0 ? '{"data":[' : ','}${text}`;
  if (at === parts - 1) return { status: 200, body: `${body}],"page":1,"limit":200,"total":3}` };
  return { status: 200, body, rest: { resource: 'contacts-rest', payload: { at: at + 1 } } };
}

function answerInParts({ bus }: Fixture, part = partOf): void {
  const before = bus.onQuery;
  bus.onQuery = (queried) => {
    if (queried.resource === 'contacts') return part(0);
    if (queried.resource !== 'contacts-rest') return before(queried);
    const { at } = queried.payload as { at: number };
    return part(at);
  };
}

function asked({ bus }: Fixture): number {
  return bus.queried.filter(({ resource }) => resource === 'contacts-rest').length;
}

function hasPlace({ gateway }: Fixture): boolean {
  const give = gateway.streamLimiter.tryAcquire(ORG);
  give?.();
  return give !== null;
}

/** Asks for the list, and reads nothing of it. */
async function askAndWait(gateway: Fixture): Promise<Socket> {
  const socket = connect(gateway.port, '127.0.0.1');
  await once(socket, 'connect');
  socket.pause();
  const head = `GET ${LIST} HTTP/1.1\r\nHost: x\r\nx-api-key: ${ACCOUNT_KEY}\r\n\r\n`;
  socket.write(head);
  return socket;
}

describe('a list in parts (decisions: D124)', () => {
  test('is one body, in order', async () => {
    await using gateway = await startGateway();
    answerInParts(gateway, (at) => partOf(at, 3));
    const response = await gateway.send(LIST);
    assert.equal(response.status, 200);
    assert.equal(response.headers.get('content-type'), 'application/json; charset=utf-8');
    assert.ok(response.headers.get('ratelimit'));
    const body = (await response.json()) as { data: string[] };
    assert.deepEqual(Object.keys(body), ['data', 'page', 'limit', 'total']);
    const lengths = body.data.map((each) => each.length);
    assert.deepEqual(lengths, Array(3).fill(PART_BYTES));
  });

  test('is cut off where a part is refused: no reader takes it for whole', async () => {
    await using gateway = await startGateway();
    answerInParts(gateway, (at) => (at === 2 ? { status: 500, body: '{}' } : partOf(at)));
    const response = await gateway.send(LIST);
    assert.equal(response.status, 200);
    await assert.rejects(response.text());
    assert.ok(gateway.logged.some(({ cause }) => /part of a list/.test(String(cause))));
  });

  test('is asked for as fast as it is read', async () => {
    await using gateway = await startGateway();
    answerInParts(gateway);
    const unread = await askAndWait(gateway);
    let [before, looks] = [0, 0];
    const isStill = () => {
      const now = asked(gateway);
      looks = now === before ? looks + 1 : 0;
      before = now;
      return now > 0 && looks >= LOOKS;
    };
    await waitFor(isStill, { what: 'no more parts are asked for' });
    // The sockets of both sides hold some megabytes.
    assert.ok(before <= 60, `${before} parts asked for`);
    unread.resume();
    let bytes = 0;
    unread.on('data', (chunk) => {
      bytes += chunk.length;
    });
    await waitFor(() => bytes > PARTS * PART_BYTES, { what: 'the rest is read' });
    unread.destroy();
  });

  test('waits for its turn while an organization has as many under way as it may', async () => {
    await using gateway = await startGateway();
    answerInParts(gateway);
    const sockets = await Promise.all(
      Array.from({ length: STREAMS_PER_ORGANIZATION }, () => askAndWait(gateway)),
    );
    await waitFor(() => !hasPlace(gateway), { what: 'all are taken' });
    let isAnswered = false;
    const waiting = gateway.send(LIST).then((response) => {
      isAnswered = true;
      return response;
    });
    const other = await gateway.send('/api/v1/deals');
    assert.equal(other.status, 200);
    assert.equal(isAnswered, false);
    sockets[0]?.destroy();
    const response = await waiting;
    assert.equal(response.status, 200);
    await response.body?.cancel();
    for (const socket of sockets) socket.destroy();
    await waitFor(() => hasPlace(gateway), { what: 'a free place' });
  });
});
