/** Bounds of the memory that a gateway keeps for callers, and the refusals that name them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Gateway } from '../../../gateway/gateway.ts';
import { answerWithRest } from '../../../gateway/parts.ts';
import { StreamLimiter } from '../../../gateway/throttling/stream-limiter.ts';
import { Throttle } from '../../../gateway/throttling/throttle.ts';
import { ASK_DEADLINE_MS, STREAMS_PER_ORGANIZATION } from '../../../shared/limits.ts';
import { ManualClock } from '../../support/manual-clock.ts';

const ADDRESS_ROOM = 2_048;
const ROOM = 8_192;

test('a list beyond the bodies that are being written waits 8 s, then is overload', async () => {
  const clock = new ManualClock();
  const streams = new StreamLimiter(clock);
  for (let n = 0; n < STREAMS_PER_ORGANIZATION; n++) assert.ok(streams.tryAcquire('org_1'));
  const rest = { resource: 'contacts-rest', payload: {} };
  const query = async () => ({ status: 200, body: '[', rest });
  const gateway = { clock, streamLimiter: streams } as unknown as Gateway;
  const asked = { orgId: 'org_1', requestId: 'req_1' };
  const waiting = answerWithRest(gateway, asked as never, query as never);
  await new Promise((go) => setImmediate(go));
  clock.advance(ASK_DEADLINE_MS);
  const reply = await waiting;
  assert.equal(reply.status, 500);
  assert.match(String(reply.body), /sobrecarregado/);
  assert.ok(streams.tryAcquire('org_2'), 'another organization has its own');
});

test('the slow lane has room for so many keys of an address, and so many in all', async () => {
  const { keyLookupQueue } = new Throttle(new ManualClock());
  const find = (address: string, n: number) =>
    keyLookupQueue.find(address, `digest ${n}`, async () => new Map());
  for (let n = 0; n < ADDRESS_ROOM; n++) void find('10.0.0.1', n);
  assert.equal(await find('10.0.0.1', -1), undefined);
  for (let n = ADDRESS_ROOM; n < ROOM; n++) void find(`10.0.1.${n % 16}`, n);
  assert.equal(await find('10.0.0.2', -1), undefined);
});
