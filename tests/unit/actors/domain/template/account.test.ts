/** When the templates of a business account are listed, and what a listing changes (D285). */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  type AccountState,
  afterChanged,
  afterFailed,
  afterListed,
  CLAIM_MS,
  CLAIM_RENEWAL_MS,
  claimOf,
  NEW_ACCOUNT,
  retainedListings,
  waitsUntil,
} from '../../../../../actors/domain/template/account.ts';

const NOW = Date.UTC(2026, 4, 4, 12, 0, 0);
const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
/** The fourth listing began now, lasts ten seconds and ends well. */
const LISTED: AccountState = {
  ...{ begun: 4, ended: 4, claim: null, wanted: 2, served: 2 },
  ...{ shown: 3, previous: 1, shownAt: NOW - 30 * MINUTE_MS, digest: 'abc', count: 7 },
  ...{ listedAt: NOW, syncedAt: NOW + 10 * SECOND_MS, endedAt: NOW + 10 * SECOND_MS },
  nextAt: NOW + 10 * MINUTE_MS,
  ...{ failures: 0, reason: null },
};
const FAILED: AccountState = { ...LISTED, failures: 1, reason: 'A rede não respondeu.' };
const CLAIM = { number: 5, until: NOW + 6 * SECOND_MS, wanted: 3 };

const due = (state: AccountState, now: number) => waitsUntil(state, now, 'due');
const fresh = (state: AccountState, now: number) => waitsUntil(state, now, 'fresh');

test('a new account has listed, shown and counted nothing', () => {
  assert.deepEqual(NEW_ACCOUNT, {
    ...{ begun: 0, ended: 0, claim: null, wanted: 0, served: 0 },
    ...{ shown: 0, previous: 0, shownAt: 0, digest: null, count: 0 },
    ...{ listedAt: null, syncedAt: null, nextAt: 0, failures: 0, reason: null },
  });
  assert.equal(due(NEW_ACCOUNT, 0), null, 'and is listed at once');
});

describe('a listing', () => {
  test('is due ten minutes after the begin of the last one', () => {
    assert.equal(due(LISTED, NOW + 10 * MINUTE_MS - 1), NOW + 10 * MINUTE_MS);
    assert.equal(due(LISTED, NOW + 10 * MINUTE_MS), null);
    assert.equal(due(LISTED, NOW + 11 * MINUTE_MS), null);
  });

  test('waits for the one that another process has begun, while its claim lasts', () => {
    const claimed = { ...LISTED, begun: 5, claim: CLAIM, nextAt: NOW, wanted: 3 };
    for (const cause of ['due', 'fresh'] as const) {
      assert.equal(waitsUntil(claimed, CLAIM.until - 1, cause), CLAIM.until);
      assert.equal(waitsUntil(claimed, CLAIM.until, cause), null);
    }
  });

  test('waits for no claim whose listing has ended, or that a later one has overtaken', () => {
    for (const ended of [5, 6]) {
      assert.equal(due({ ...LISTED, ended, claim: CLAIM, nextAt: NOW }, NOW), null);
    }
  });

  test('that was asked for begins two seconds after the end of the last one', () => {
    const asked = { ...LISTED, wanted: 3 };
    const from = NOW + 12 * SECOND_MS;
    assert.equal(due(asked, from - 1), from);
    assert.equal(due(asked, from), null);
    assert.equal(fresh(asked, from - 1), from);
    const afterFailure = { ...asked, endedAt: NOW + 60 * SECOND_MS };
    assert.equal(due(afterFailure, from), NOW + 62 * SECOND_MS, 'a failure is a listing, too');
  });

  test('that was asked for before the last one began is not due again', () => {
    assert.equal(due({ ...LISTED, wanted: 2 }, NOW + MINUTE_MS), LISTED.nextAt);
    assert.equal(due({ ...LISTED, wanted: 1 }, NOW + MINUTE_MS), LISTED.nextAt);
  });

  test('of the last minute serves a channel that is applied or ready, unless it failed', () => {
    const rows = [
      [LISTED, NOW + MINUTE_MS - 1, LISTED.nextAt],
      [LISTED, NOW + MINUTE_MS, null],
      [FAILED, NOW + 1, null],
      [FAILED, NOW + MINUTE_MS, null],
    ] as const;
    for (const [state, now, until] of rows) {
      assert.equal(fresh(state, now), until);
      assert.equal(due(state, now), LISTED.nextAt, 'the rhythm alone asks for none');
    }
  });
});

describe('the claim on a listing', () => {
  test('has the next number, and the requests that it serves', () => {
    const claim = { number: 5, until: NOW + 6 * SECOND_MS, wanted: 9 };
    assert.deepEqual(claimOf({ ...LISTED, wanted: 9 }, NOW), claim);
    assert.equal(claimOf(NEW_ACCOUNT, NOW).number, 1);
  });

  test('survives two renewals that are lost', () => {
    assert.ok(3 * CLAIM_RENEWAL_MS <= CLAIM_MS);
  });
});

describe('the end of a listing', () => {
  const ended = { claim: CLAIM, beganAt: NOW, now: NOW + 40 * SECOND_MS };

  test('without a change serves its requests and forgets failures', () => {
    const shown = { shown: 3, digest: 'abc', count: 7 };
    assert.deepEqual(afterListed(ended, shown), {
      ...{ shown: 3, digest: 'abc', count: 7, ended: 5, served: 3 },
      ...{ listedAt: NOW, syncedAt: NOW + 40 * SECOND_MS, endedAt: NOW + 40 * SECOND_MS },
      nextAt: NOW + 10 * MINUTE_MS,
      ...{ failures: 0, reason: null },
    });
  });

  test('with a change shows its own templates from now on', () => {
    assert.deepEqual(afterChanged(3, ended, { digest: 'def', count: 8 }), {
      ...{ shown: 5, digest: 'def', count: 8, ended: 5, served: 3 },
      ...{ previous: 3, shownAt: NOW + 40 * SECOND_MS },
      ...{ listedAt: NOW, syncedAt: NOW + 40 * SECOND_MS, endedAt: NOW + 40 * SECOND_MS },
      nextAt: NOW + 10 * MINUTE_MS,
      ...{ failures: 0, reason: null },
    });
  });

  test('by a failure keeps what is shown, and counts', () => {
    const reason = 'A rede não respondeu.';
    assert.deepEqual(afterFailed({ ...LISTED, failures: 2 }, ended, { reason, final: false }), {
      ...{ ended: 5, served: 3, listedAt: NOW, endedAt: NOW + 40 * SECOND_MS },
      ...{ failures: 3, reason },
      nextAt: NOW + 40 * SECOND_MS + 2 * MINUTE_MS,
    });
  });

  test('by failures in a row doubles the wait from half a minute up to ten minutes', () => {
    const waits = [0, 1, 2, 3, 4, 5, 10, 11, 5_000].map((failures) => {
      const failed = { reason: 'Não.', final: false };
      return (afterFailed({ ...LISTED, failures }, ended, failed).nextAt ?? 0) - ended.now;
    });
    const minutes = [0.5, 1, 2, 4, 8, 10, 10, 10, 10];
    assert.deepEqual(
      waits.map((each) => each / MINUTE_MS),
      minutes,
    );
  });

  test('by a failure that only other settings can mend waits ten minutes at once', () => {
    const { nextAt, failures } = afterFailed(LISTED, ended, { reason: 'Não.', final: true });
    assert.deepEqual([nextAt, failures], [ended.now + 10 * MINUTE_MS, 1]);
  });
});

test('the listing that was shown before is kept for a minute: its pages may still be read', () => {
  const state = { shown: 5, previous: 3, shownAt: NOW };
  assert.deepEqual(retainedListings(state, NOW), [5, 3]);
  assert.deepEqual(retainedListings(state, NOW + MINUTE_MS - 1), [5, 3]);
  assert.deepEqual(retainedListings(state, NOW + MINUTE_MS), [5]);
});
