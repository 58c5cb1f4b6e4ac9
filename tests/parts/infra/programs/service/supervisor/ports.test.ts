/** A port is one instance's from the start of its supervisor to its end. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import {
  freePort,
  holdPort,
  requirePort,
} from '../../../../../../infra/programs/service/supervisor/ports.ts';
import { StartRefused } from '../../../../../../infra/programs/service/supervisor/start/start-refused.ts';
import {
  endsWell,
  STAND_INS,
  Workspace,
} from '../../../../../support/infra/programs/service/supervisor/supervised.ts';

const HOST = '127.0.0.1';
const REFUSED = 1;
const ROLES = { gateway: STAND_INS.gateway, nats: STAND_INS.nats };

const [first, second] = [new Workspace(), new Workspace()];

after(async () => {
  await first.close();
  await second.close();
});

test('of two that ask at one moment one gets the port, before anybody listens', async () => {
  const port = await freePort(HOST);
  const asked = [requirePort('PORT', port, HOST), requirePort('PORT', port, HOST)];
  const got = await Promise.allSettled(asked);
  assert.deepEqual(got.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected']);
  const refusal = got.find((each) => each.status === 'rejected')?.reason;
  assert.ok(refusal instanceof StartRefused);
  assert.equal(
    refusal.message,
    `Port ${port} on ${HOST} is already in use; stop what listens there or set another PORT.`,
  );
  assert.equal(await holdPort(port, '0.0.0.0'), null, 'on every address too');
});

test('a port that was given back is free, and a wrong address is told', async () => {
  const port = await freePort(HOST);
  const held = await holdPort(port, HOST);
  held?.release();
  assert.equal((await holdPort(port, HOST))?.port, port);
  await assert.rejects(holdPort(port, '192.0.2.1'), StartRefused);
  await assert.rejects(holdPort(port, 'no-host.invalid'), StartRefused);
});

test('while one starts on a port another supervisor is refused, and the first goes on', async () => {
  const settings = { PORT: `${await freePort(HOST)}` };
  const [one, other] = [first.start(ROLES, settings), second.start(ROLES, settings)];
  const isFirst = await Promise.race([one.ended.then(() => false), other.ended.then(() => true)]);
  const [winner, loser, place] = isFirst ? [one, other, first] : [other, one, second];
  assert.equal(await loser.ended, REFUSED, loser.output());
  assert.match(loser.output(), /Port \d+ on 127\.0\.0\.1 is already in use.*another PORT/);
  await place.ready(winner);
  await endsWell(winner);
});
