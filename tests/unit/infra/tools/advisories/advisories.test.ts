/** Report of known vulnerabilities: no answer of the registry does not count as none known. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readAdvisories } from '../../../../../infra/tools/advisories/advisories.ts';

const ADVISORY = {
  source: 1_092_000,
  name: 'old',
  title: 'Reads what it should not',
  url: 'https://github.com/advisories/GHSA-xxxx',
  severity: 'high',
  range: '<2.0.0',
};
const FOUND = {
  auditReportVersion: 2,
  vulnerabilities: {
    old: { name: 'old', severity: 'high', range: '<2.0.0', via: [ADVISORY], effects: ['above'] },
    above: { name: 'above', severity: 'high', range: '*', via: ['old'], effects: [] },
  },
};

test('each advisory is told once, with package, severity, versions and address', () => {
  const told = readAdvisories(JSON.stringify(FOUND));
  const line = `high old <2.0.0: ${ADVISORY.title} ${ADVISORY.url}`;
  assert.deepEqual(told, { asked: true, lines: [line] });
});

test('no advisory is told from no answer', () => {
  const none = { auditReportVersion: 2, vulnerabilities: {} };
  assert.deepEqual(readAdvisories(JSON.stringify(none)), { asked: true, lines: [] });
  const refused = { message: '405 Method Not Allowed', statusCode: 405, error: {} };
  const why = '405 Method Not Allowed';
  assert.deepEqual(readAdvisories(JSON.stringify(refused)), { asked: false, why });
  for (const told of ['', 'npm ERR!', '[]', 'null', '{"vulnerabilities":[]}']) {
    assert.equal(readAdvisories(told).asked, false, told);
  }
});
