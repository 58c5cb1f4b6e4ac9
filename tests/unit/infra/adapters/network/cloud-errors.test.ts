/** The error table is complete and says the same on every HTTP status. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { CLOUD_CODES } from '../../../../../infra/adapters/network/cloud/codes.ts';
import {
  failureReason,
  outcomeOfError,
  parseGraphError,
} from '../../../../../infra/adapters/network/cloud/send.ts';
import { payloadOf } from './cloud-batch.ts';

const ACCOUNT_WITH_REASON = [
  131031, 368, 190, 102, 0, 10, 3, 131005, 133010, 133006, 131045, 131037, 33, 200, 201, 210, 250,
  299,
];
const UNPAID = [131042, 131044, 141006];
const RATE_LIMITS = [4, 17, 32, 341, 613, 80007, 80008];
const LIMITED = [131048, 131064];
const TRANSIENT = [1, 2, 131000, 135000, 131016, 131057, 133004];
const OWN_SENTENCE = [130472, 130497, 131063, 137000];
const OTHER_REFUSALS = [
  131047, 131026, 131049, 131050, 131051, 131052, 131053, 131008, 131009, 100, 131021, 131030,
  131062, 132000, 132001, 132005, 132007, 132008, 132012, 132015, 132016, 132018, 132068, 132069,
];
const REFUSED = [...OTHER_REFUSALS, ...OWN_SENTENCE];
const KNOWN = CLOUD_CODES.map(({ code }) => code);

describe('cloud: the error table', () => {
  it('knows every code of the reference, each once and with its source', () => {
    const throttles = [130429, 131056, ...RATE_LIMITS];
    const listed = [...throttles, ...TRANSIENT, ...LIMITED, ...UNPAID, ...REFUSED];
    const account = ACCOUNT_WITH_REASON.filter((code) => code < 200 || code > 299);
    const byNumber = (one: number, other: number) => one - other;
    assert.deepEqual(KNOWN.toSorted(byNumber), [...listed, ...account].toSorted(byNumber));
    for (const { code, source } of CLOUD_CODES) assert.match(source, /\w{4}/, String(code));
  });

  it('docs/networks.md says of every code what the driver does', () => {
    const page = readFileSync(new URL('../../../../../docs/networks.md', import.meta.url), 'utf8');
    const [, section = ''] = page.split('\n## Error codes\n');
    const rows = (section.split('\n## ')[0] ?? '').split('\n').filter((row) => /^\| \d/.test(row));
    const told = rows.flatMap((row) => (row.split('|')[1] ?? '').match(/\d+/g) ?? []).map(Number);
    for (const code of KNOWN) assert.ok(told.includes(code), String(code));
  });

  const later = (status: number, error: Parameters<typeof outcomeOfError>[1]) => {
    const outcome = outcomeOfError(status, error);
    assert.ok(outcome.outcome === 'later', JSON.stringify(error));
    return outcome;
  };

  it('token, permission and lock stop the account and spend no message', () => {
    for (const code of ACCOUNT_WITH_REASON) {
      const { scope, channelReason } = later(400, { code });
      assert.ok(scope === 'account' && channelReason, String(code));
    }
  });

  it('rate limits of Graph wait and are repeated, and spend no message', () => {
    for (const code of RATE_LIMITS) {
      const outcome = later(400, { code });
      assert.deepEqual(outcome, { outcome: 'later', scope: 'account', waitMs: 60_000 });
    }
  });

  it('102 is a dead token, as 190 is', () => {
    assert.deepEqual(outcomeOfError(401, { code: 102 }), outcomeOfError(401, { code: 190 }));
  });

  it('a payment problem holds what the network bills, and leaves the channel ready', () => {
    for (const code of UNPAID) {
      const { scope, channelReason, restriction, failure } = later(400, { code });
      assert.deepEqual([scope, channelReason, failure], ['pair', undefined, undefined]);
      assert.deepEqual(restriction, { until: null, cause: 'payment' }, String(code));
      assert.match(failureReason({ code }), /pagamento/);
    }
  });

  it('transient errors wait', () => {
    for (const code of TRANSIENT) assert.equal(later(500, { code }).channelReason, undefined);
  });

  it('permanent errors refuse with the code as a string', () => {
    for (const code of REFUSED) {
      const outcome = outcomeOfError(400, { code });
      assert.ok(outcome.outcome === 'refused' && outcome.code === String(code), String(code));
      assert.match(outcome.reason, /\.$/);
    }
  });

  it('a limit of the account holds its queue for an hour that no probe cuts short', () => {
    for (const code of LIMITED) {
      const { scope, waitMs, unprobed, channelReason } = later(400, { code });
      assert.deepEqual([scope, waitMs, unprobed], ['account', 60 * 60_000, true], String(code));
      assert.match(channelReason ?? '', /\.$/);
    }
    assert.equal(later(400, parseGraphError(payloadOf('error-spam'))).unprobed, true);
  });

  it('no error of the whole account fails a message, however often it is met', () => {
    for (const code of [...RATE_LIMITS, ...LIMITED, ...ACCOUNT_WITH_REASON]) {
      const { scope, failure } = later(400, { code, transient: true });
      assert.deepEqual([scope, failure], ['account', undefined], String(code));
    }
  });

  it('some refusals have a sentence of their own', () => {
    const sentences = [...OWN_SENTENCE, 131009].map((code) => failureReason({ code }));
    assert.equal(new Set(sentences).size, sentences.length);
    for (const sentence of sentences) assert.doesNotMatch(sentence, /código/);
  });

  it('an error that calls itself transient waits, and fails in the end', () => {
    const failure = { code: '131009', reason: 'A rede recusou os dados da mensagem.' };
    const known = outcomeOfError(400, parseGraphError(payloadOf('error-transient')));
    assert.deepEqual(known, { outcome: 'later', scope: 'pair', waitMs: 5_000, failure });
    const unknown = later(400, { code: 999_999, transient: true });
    assert.deepEqual([unknown.scope, unknown.failure?.code], ['pair', '999999']);
    for (const status of [429, 500, 503]) {
      const outcome = later(status, { code: 999_999, transient: true });
      assert.deepEqual([outcome.scope, outcome.failure], ['number', undefined], String(status));
    }
    const final = outcomeOfError(400, parseGraphError('{"error":{"code":7,"is_transient":false}}'));
    assert.equal(final.outcome, 'refused');
  });

  it('a known code means the same whatever the status', () => {
    const code = fc.constantFrom(...KNOWN);
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
