/** A small installation in virtual time: what `npm run sim -- --installation` says of a large one. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LEASE_MS, LEASE_RENEWAL_MS, PARTITIONS } from '../../../../shared/limits.ts';
import { ACTOR_KINDS } from '../../../../shared/vocabulary.ts';
import { sizesOf } from './population.ts';
import { linesOf, quantile, simulateInstallation } from './report.ts';

const SIZE = {
  ...{ seed: 1, processes: 10, organizations: 2_000, numbers: 20_000 },
  ...{ racks: 5, restarts: 1, mongoCores: 16 },
};

test('ten processes: even shares, cheap restarts, and a lost rack is replaced', async (t) => {
  const done = await simulateInstallation(SIZE);
  for (const line of linesOf(SIZE, done)) t.diagnostic(line);
  assert.equal(done.overlaps, 0, 'no partition is served by two at once');

  for (const [state, spreads] of Object.entries(done.spreads)) {
    for (const { name, idle, max, best } of spreads) {
      assert.equal(idle, 0, `${state}: a process has no ${name}`);
      assert.ok(max >= best - 1e-9, `${state}: ${name} is better than the best`);
    }
    const [, channel] = spreads;
    assert.ok(channel && channel.max < 3, `${state}: ${channel?.max} times an even share`);
  }

  const { restarts, rest, rack } = done;
  assert.equal(restarts.moves, restarts.leastMoves, 'no partition moves without need');
  const share = (ACTOR_KINDS.length * PARTITIONS) / SIZE.processes;
  assert.ok(restarts.moves < 2.2 * share * SIZE.restarts, `${restarts.moves} moves`);
  assert.ok(quantile(restarts.pauses, 0.99) < LEASE_RENEWAL_MS, 'a hand-over waits for no renewal');

  // All renew and read the members once a second, and nobody reads the owners but every 5 s.
  assert.equal(rest.traffic.get('compare-and-sets')?.sum, 0);
  assert.equal(rest.traffic.get('announcements')?.sum, 0);
  assert.ok((rest.traffic.get('ownership reads')?.sum ?? Infinity) <= 3 * SIZE.processes);

  assert.equal(rack.lost, SIZE.processes / SIZE.racks);
  const taken = (rack.lost * ACTOR_KINDS.length * PARTITIONS) / SIZE.processes;
  assert.ok(rack.outage.pauses.length >= Math.floor(taken), 'all that it held has new owners');
  const [longest = 0] = rack.outage.pauses.toReversed();
  assert.ok(longest <= LEASE_MS + 3 * LEASE_RENEWAL_MS, `${longest} ms without an owner`);
});

test('the same seed gives the same report', async () => {
  const small = { ...SIZE, processes: 3, numbers: 4_000, racks: 3 };
  const [one, again] = [await simulateInstallation(small), await simulateInstallation(small)];
  assert.deepEqual(linesOf(small, one), linesOf(small, again));
});

test('every organization has a number, the first ones have most, and none is lost', () => {
  const sizes = sizesOf(2_000, 20_000);
  assert.equal(
    sizes.reduce((sum, size) => sum + size, 0),
    20_000,
  );
  assert.ok(Math.min(...sizes) >= 1);
  assert.deepEqual(
    sizes,
    sizes.toSorted((one, other) => other - one),
  );
});
