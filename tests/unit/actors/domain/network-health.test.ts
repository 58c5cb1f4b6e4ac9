/** Health of a network by one report at a time, and its trouble on the channel's record. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  afterFailure,
  afterStatus,
  isHealthy,
  type NetworkState,
  NOTHING_KNOWN,
  reportOf,
  withReadiness,
} from '../../../../actors/domain/network-readiness.ts';
import { networkFault } from '../../../../shared/network-fault.ts';
import { applied, LOJA, NOW, named } from '../../../support/actors/domain/organization-fixture.ts';

const FAULT = networkFault('refused');
const { reason } = FAULT;
const ANSWERED: NetworkState = { ...NOTHING_KNOWN, revision: 1 };
const trouble = { since: NOW, reason };

describe('a network of which nothing is known', () => {
  it('is ready, without trouble, and of no revision of the settings', () => {
    assert.deepEqual(reportOf(NOTHING_KNOWN, NOW), {
      ...{ revision: 0, answered: true, ready: true, reason: null, trouble: null },
    });
    assert.equal(isHealthy(NOTHING_KNOWN), true);
  });

  it('stays ready where its first request fails', () => {
    const failed = afterFailure(NOTHING_KNOWN, { fault: FAULT, since: NOW, now: NOW });
    assert.deepEqual(reportOf(failed, NOW + 5_000), {
      ...{ revision: 0, answered: true, ready: true, reason: null, trouble },
    });
  });
});

describe('a network that fails', () => {
  it('is unreachable once its oldest send has failed for a minute', () => {
    const after = (ms: number) =>
      reportOf(afterFailure(ANSWERED, { fault: FAULT, since: NOW, now: NOW + ms }), NOW + ms);
    assert.equal(after(59_999).ready, true);
    assert.deepEqual([after(60_000).ready, after(60_000).reason], [false, reason]);
  });

  it('has its trouble since the earliest failure, with the latest reason', () => {
    const first = afterFailure(ANSWERED, { fault: FAULT, since: NOW, now: NOW });
    assert.deepEqual(first.trouble, trouble);
    const later = networkFault('dns');
    const status = { ready: 'unknown', cause: 'x', fault: later } as const;
    const asked = afterStatus(first, status, { now: NOW + 9_000, sendsFail: true });
    assert.deepEqual(asked.trouble, { since: NOW, reason: later.reason });
    const earlier = { fault: FAULT, since: NOW - 3_000, now: NOW + 9_000 };
    assert.deepEqual(afterFailure(asked, earlier).trouble, { since: NOW - 3_000, reason });
  });

  it('keeps the trouble of sends that fail after a good status, and no other', () => {
    const troubled = { ...ANSWERED, trouble };
    const after = (sendsFail: boolean) =>
      afterStatus(troubled, { ready: true }, { now: NOW + 1_000, sendsFail });
    assert.deepEqual(after(true), troubled);
    assert.deepEqual(after(false), ANSWERED);
  });

  it('is healthy only where nothing at all is against it', () => {
    const against = { statedReason: 'Parada.', unreachableReason: reason, trouble };
    const { statedReason, unreachableReason } = against;
    assert.equal(isHealthy(ANSWERED), true);
    for (const each of [{ statedReason }, { unreachableReason }, { trouble }, against]) {
      assert.equal(isHealthy({ ...ANSWERED, ...each }), false, Object.keys(each).join());
    }
  });
});

describe('the record of a channel', () => {
  const main = named(applied(LOJA).channels, 'main');
  const report = reportOf({ ...ANSWERED, trouble }, NOW + 5_000);

  it('has the trouble while it lasts', () => {
    const ready = withReadiness(main, reportOf(ANSWERED, NOW));
    assert.deepEqual(ready, {
      ...main,
      ...{ networkReady: true, networkReason: null, networkAnswered: true },
    });
    const troubled = withReadiness(ready, report);
    assert.deepEqual(troubled, { ...ready, networkTrouble: trouble });
    assert.deepEqual(withReadiness(troubled, reportOf(ANSWERED, NOW + 6_000)), ready);
  });

  it('is the same under a report on other settings', () => {
    assert.equal(withReadiness(main, { ...report, revision: 0 }), main);
    assert.equal(withReadiness(main, reportOf(NOTHING_KNOWN, NOW)), main);
  });
});
