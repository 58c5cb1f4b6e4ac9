/** The bus of `recado top` while the server comes and goes (D360). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServiceFailed } from '../../../../../../infra/programs/cli/service/failure.ts';
import type { OpenBus } from '../../../../../../infra/programs/cli/service/service.ts';
import { BusLink } from '../../../../../../infra/programs/cli/top/link.ts';
import { readMoment } from '../../../../../../infra/programs/cli/top/reading.ts';

test('a lost bus is closed and reached anew, a reached one is kept', async () => {
  const server = { isThere: true };
  const ends: AbortSignal[] = [];
  const link = new BusLink(async (end) => {
    ends.push(end);
    if (!server.isThere) throw new ServiceFailed('away');
    return { connected: () => server.isThere } as unknown as OpenBus;
  });
  const first = await link.bus();
  assert.ok(first);
  assert.equal(await link.bus(), first);
  server.isThere = false;
  assert.equal(await link.bus(), null);
  server.isThere = true;
  assert.notEqual(await link.bus(), first);
  link.close();
  assert.deepEqual(
    ends.map(({ aborted }) => aborted),
    [true, true, true],
  );
});

test('another failure than an absent server is not hidden', async () => {
  const link = new BusLink(() => Promise.reject(new TypeError('a fault')));
  await assert.rejects(link.bus(), TypeError);
});

test('without a bus a reading tells that it is away', async () => {
  const { missing, processes, agendas } = await readMoment(null);
  assert.deepEqual([missing, processes.size, agendas], [['nats'], 0, null]);
});
