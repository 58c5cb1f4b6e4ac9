/** A campaign of one organization steps back while another organization calls. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { FairScheduler } from '../../../../actors/runtime/fair-scheduler.ts';
import { ForegroundActivity } from '../../../../actors/runtime/organization-scheduler.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { forAll } from '../../../support/property.ts';

const RECENT_MS = 2_000;

test('an organization is beside another that called within two seconds, never beside itself', () => {
  const calls = fc.array(fc.record({ org: fc.nat(3), waitMs: fc.nat(1_500) }), { maxLength: 40 });
  forAll([calls], (made) => {
    const clock = new ManualClock();
    const foreground = new ForegroundActivity(clock);
    const last = new Map<number, number>();
    for (const { org, waitMs } of made) {
      clock.advance(waitMs);
      foreground.recordCall(`org_${org}`);
      last.set(org, clock.monotonic());
      for (let own = 0; own <= 3; own++) {
        const others = [...last].filter(([each]) => each !== own).map(([, at]) => at);
        const latest = Math.max(...others, Number.NEGATIVE_INFINITY);
        const expected = clock.monotonic() - latest < RECENT_MS;
        assert.equal(foreground.isContended(`org_${own}`), expected);
      }
    }
  });
});

test('a backlog has two under way beside calls, and its whole cap when they end', async () => {
  const clock = new ManualClock();
  const foreground = new ForegroundActivity(clock);
  const ends: (() => void)[] = [];
  const start = () => ({ ended: new Promise<void>((resolve) => ends.push(resolve)) });
  const caps = { perOrganization: 6, perProcess: 100, whileContended: 2 };
  const turns = new FairScheduler(caps, start, (orgId) => foreground.isContended(orgId));
  foreground.recordCall('org_quiet');
  for (let n = 0; n < 20; n++) turns.enqueue('org_greedy', `cnv_${n}`);
  assert.equal(ends.length, 2);
  turns.enqueue('org_other', 'cnv_other');
  assert.equal(ends.length, 3, 'each organization has its own');
  ends[0]?.();
  await new Promise((resume) => setImmediate(resume));
  assert.equal(ends.length, 4, 'one for one');
  clock.advance(RECENT_MS);
  ends[1]?.();
  await new Promise((resume) => setImmediate(resume));
  assert.equal(ends.length, 3 + 1 + 5, 'the cap is whole again');
});
