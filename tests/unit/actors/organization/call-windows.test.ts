/** Rate windows against a plain count of what was admitted and given away (I27). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { CallWindows } from '../../../../actors/organization/call-windows.ts';
import { RATE_WINDOW_MS } from '../../../../shared/limits.ts';
import type { AdmissionSlice } from '../../../../shared/wire/caller.ts';

const NOW = 1_700_000_000_000;
/** Enough that a share of what is left is a slice. */
const LIMITS = { keyLimit: 12_000, orgLimit: 20_000 };

const keyId = fc.constantFrom('key_1', 'key_2');
const step = fc.oneof(
  fc.record({ do: fc.constant('admit' as const), keyId }),
  fc.record({ do: fc.constant('slice' as const), keyId, calls: fc.integer({ min: 1, max: 500 }) }),
  fc.record({ do: fc.constant('take back' as const), index: fc.nat(5) }),
);

test('both windows count what was admitted and what is given away, and nothing else', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const windows = new CallWindows(null);
      const given: { readonly keyId: string; readonly slice: AdmissionSlice }[] = [];
      const calls: Record<string, number> = {};
      const count = (id: string, by: number) => {
        calls[id] = (calls[id] ?? 0) + by;
      };
      for (const each of steps) {
        if (each.do === 'admit') {
          assert.equal(windows.admit(each.keyId, LIMITS, NOW).admitted, true);
          count(each.keyId, 1);
        } else if (each.do === 'slice') {
          const slice = windows.slice(each.keyId, { ...LIMITS, calls: each.calls }, NOW);
          if (slice) given.push({ keyId: each.keyId, slice });
          if (slice) count(each.keyId, slice.calls);
        } else {
          const [taken] = given.splice(each.index, 1);
          if (taken) windows.takeBack(taken.slice);
          if (taken) count(taken.keyId, -taken.slice.calls);
        }
        const { keys, org } = windows.counted();
        for (const [id, { calls: counted }] of Object.entries(keys)) {
          assert.equal(counted, calls[id]);
        }
        assert.equal(
          org?.calls ?? 0,
          Object.values(calls).reduce((sum, n) => sum + n, 0),
        );
      }
    }),
  );
});

test('a slice that comes back after its window leaves the next one as it is', () => {
  const windows = new CallWindows(null);
  const slice = windows.slice('key_1', { ...LIMITS, calls: 100 }, NOW) ?? assert.fail('no slice');
  windows.admit('key_1', LIMITS, NOW + RATE_WINDOW_MS);
  windows.takeBack(slice);
  assert.equal(windows.counted().keys.key_1?.calls, 1);
  assert.equal(windows.counted().org?.calls, 1);
});

test('windows that are read again go on where they were', () => {
  const before = new CallWindows(null);
  before.admit('key_1', LIMITS, NOW);
  const after = new CallWindows(before.counted());
  after.admit('key_1', LIMITS, NOW + 1);
  assert.equal(after.counted().org?.calls, 2);
  assert.equal(after.lastUsedAt('key_1'), NOW + 1);
  assert.equal(after.lastUsedAt('key_2'), null);
});
