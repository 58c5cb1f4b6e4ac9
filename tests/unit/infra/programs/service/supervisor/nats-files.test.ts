/** A wrong file of NATS stops the start with the name of its setting, and shows no secret. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { ConfigError, loadConfig } from '../../../../../../infra/config/config.ts';
import { requireNatsFiles } from '../../../../../../infra/config/nats-files.ts';
import { NatsOperator } from '../../../../../support/nats/accounts.ts';
import { issueCertificates } from '../../../../../support/nats/certificates.ts';

const folder = mkdtempSync(join(tmpdir(), 'recado-nats-files-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const NATS_URL = 'tls://nats.internal:4222';
const SEED = `SU${'A'.repeat(56)}`;
const { ca } = issueCertificates(folder);
const creds = new NatsOperator().issue(folder).gateway;

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

const problemOf = (settings: Readonly<Record<string, string>>): string => {
  try {
    requireNatsFiles(loadConfig({ NATS_URL, ...settings }));
  } catch (error) {
    assert.ok(error instanceof ConfigError);
    return error.problems.join(' ');
  }
  return '';
};

test('right files are accepted', () => {
  assert.equal(problemOf({ NATS_CA_FILE: ca, NATS_CREDS_FILE: creds }), '');
});

for (const [name, settings, expected] of [
  ['no such file', { NATS_CA_FILE: '/nowhere/ca.pem' }, /^NATS_CA_FILE takes .*ENOENT/],
  ['no certificate', { NATS_CA_FILE: file('ca', 'text') }, /^NATS_CA_FILE takes a file of PEM/],
  ['no such credentials', { NATS_CREDS_FILE: '/nowhere/x' }, /^NATS_CREDS_FILE takes .*ENOENT/],
  ['a seed alone', { NATS_CREDS_FILE: file('seed', SEED) }, /^NATS_CREDS_FILE takes .*no token/],
  [
    'credentials twice',
    { NATS_CREDS_FILE: creds, NATS_URL: 'nats://user:secret@nats.internal' },
    /^NATS_URL takes no credentials beside NATS_CREDS_FILE/,
  ],
] as const) {
  test(`refused: ${name}`, () => {
    const problem = problemOf(settings);
    assert.match(problem, expected);
    assert.doesNotMatch(problem, new RegExp(`secret|${SEED}`));
  });
}
