/** The error table is complete and says the same on every HTTP status. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  CLOUD_ERRORS,
  failureReason,
  outcomeOfError,
  parseGraphError,
} from '../../infra/network/cloud/errors.ts';

const ACCOUNT_WITH_REASON = [
  131042, 131031, 368, 190, 0, 10, 3, 131005, 133010, 200, 201, 210, 250, 299,
];
const TRANSIENT = [1, 2, 131000, 131016, 131057, 133004];
const REFUSED = [
  131047, 131026, 131049, 131050, 131051, 131052, 131053, 131008, 131009, 100, 131021, 131030,
  131048, 131062, 132000, 132001, 132005, 132007, 132012, 132015, 132016,
];

describe('cloud: the error table', () => {
  it('knows every code of the reference', () => {
    const listed = [130429, 131056, 4, 80007, ...TRANSIENT, ...REFUSED, ...ACCOUNT_WITH_REASON];
    const known = listed.filter((code) =>
      code >= 200 && code <= 299 ? true : CLOUD_ERRORS.has(code),
    );
    assert.deepEqual(known, listed);
    assert.equal(CLOUD_ERRORS.size, new Set(listed.filter((c) => c < 200 || c > 299)).size);
  });

  it('token, permission, payment and lock stop the account and spend no message', () => {
    for (const code of ACCOUNT_WITH_REASON) {
      const outcome = outcomeOfError(400, { code });
      assert.ok(outcome.outcome === 'later' && outcome.scope === 'account', String(code));
      assert.ok(outcome.channelReason, String(code));
    }
  });

  it('transient errors wait', () => {
    for (const code of TRANSIENT) {
      const outcome = outcomeOfError(500, { code });
      assert.ok(outcome.outcome === 'later' && outcome.channelReason === undefined, String(code));
    }
  });

  it('permanent errors refuse with the code as a string', () => {
    for (const code of REFUSED) {
      const outcome = outcomeOfError(400, { code });
      assert.ok(outcome.outcome === 'refused' && outcome.code === String(code), String(code));
      assert.match(outcome.reason, /\.$/);
    }
  });

  it('a spam restriction fails the message and stops the channel', () => {
    const outcome = outcomeOfError(400, { code: 131048 });
    assert.ok(outcome.outcome === 'refused' && outcome.channelReason === outcome.reason);
  });

  it('a known code means the same whatever the status', () => {
    const code = fc.constantFrom(...CLOUD_ERRORS.keys());
    const status = fc.constantFrom(400, 401, 403, 404, 429, 500, 503);
    fc.assert(
      fc.property(code, status, status, (known, one, other) => {
        const error = { code: known };
        assert.deepEqual(outcomeOfError(one, error), outcomeOfError(other, error));
      }),
    );
  });

  it('any complete refusal is refused or later, never unknown, and always in Portuguese', () => {
    const error = fc.option(fc.record({ code: fc.integer({ min: -1, max: 200_000 }) }));
    fc.assert(
      fc.property(fc.integer({ min: 300, max: 599 }), error, (status, found) => {
        const outcome = outcomeOfError(status, found);
        assert.ok(outcome.outcome === 'refused' || outcome.outcome === 'later');
        if (outcome.outcome === 'later') assert.ok(outcome.waitMs >= 1_000);
        if (found !== null) assert.match(failureReason(found), /\.$/);
      }),
    );
  });

  it('reads no error out of what is none', () => {
    for (const body of ['', 'x', '[]', '{}', '{"error":"no"}', '{"error":{}}', 'null']) {
      assert.equal(parseGraphError(body), null);
    }
    fc.assert(fc.property(fc.json(), (body) => void parseGraphError(body)));
  });
});
