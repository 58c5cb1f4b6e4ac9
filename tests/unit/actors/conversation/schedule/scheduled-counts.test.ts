/** Number of scheduled messages: how often it is counted, and how exact the limit is. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ScheduledCounts } from '../../../../../actors/conversation/schedule/scheduled-counts.ts';
import { SCHEDULED_MAX_PER_ORGANIZATION } from '../../../../../shared/limits.ts';
import { ManualClock } from '../../../../support/manual-clock.ts';
import type { Store } from '../../../../support/plain-store.ts';

const MAX = SCHEDULED_MAX_PER_ORGANIZATION;

class Counted {
  readonly clock = new ManualClock();
  scheduled = 0;
  counts = 0;

  counter(): ScheduledCounts {
    const count: Store['count'] = async () => {
      this.counts++;
      return this.scheduled;
    };
    return new ScheduledCounts({ clock: this.clock, store: { count } as Store });
  }

  async schedule(by: ScheduledCounts): Promise<boolean> {
    const taken = await by.tryReserve('org_1');
    if (taken) this.scheduled++;
    return taken;
  }
}

test('two processes fill an organization to its limit, with few counts', async () => {
  const world = new Counted();
  const counters = [world.counter(), world.counter()];
  let refused = 0;
  for (let call = 0; refused < 4; call++) {
    const by = counters[call % 2] ?? assert.fail();
    if (!(await world.schedule(by))) refused++;
  }
  const over = world.scheduled - MAX;
  assert.ok(over >= 0 && over <= 1, `${over} more than the limit`);
  assert.ok(world.counts < 700, `${world.counts} counts for ${MAX} messages`);
});

test('calls of one moment do not pass the limit together', async () => {
  const world = new Counted();
  world.scheduled = MAX - 3;
  const counts = world.counter();
  const taken = await Promise.all(Array.from({ length: 50 }, () => counts.tryReserve('org_1')));
  assert.equal(taken.filter(Boolean).length, 3);
});

test('a full organization is counted once a second, and has room when some are gone', async () => {
  const world = new Counted();
  world.scheduled = MAX;
  const counts = world.counter();
  for (let call = 0; call < 100; call++) assert.equal(await world.schedule(counts), false);
  assert.equal(world.counts, 1);
  world.scheduled = MAX - 1;
  world.clock.advance(1_000);
  assert.deepEqual([await world.schedule(counts), await world.schedule(counts)], [true, false]);
});
