/** The demo's keys: told when they are new, later to a terminal only. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, describe, test } from 'node:test';
import { formatSummary } from '../../../../../../../infra/programs/service/supervisor/start/summary.ts';

const folder = mkdtempSync(join(tmpdir(), "recado-it's-"));
const file = join(folder, 'demo.json');
const secrets = {
  ...{ accountKey: 'rcd_demo_account', channelKey: 'rcd_demo_channel' },
  ...{ accessToken: 'secret-access', appSecret: 'secret-app', verifyToken: 'secret-verify' },
  ...{ session: 'secret-session', apiKey: 'secret-api', webhookSecret: 'secret-hook' },
};
const demo = { secrets, channelId: 'chn_1', webChannelId: 'chn_2', file };

function told(isNew: boolean, toTerminal: boolean): string {
  const signInUrl = isNew ? 'http://127.0.0.1:8081/entrar#token' : null;
  return formatSummary({
    publicUrl: 'http://127.0.0.1:8080',
    panelUrl: 'http://127.0.0.1:8081',
    sandboxUrl: 'http://127.0.0.1:1/t',
    metricsUrl: 'http://127.0.0.1:2/metrics',
    dataDir: folder,
    mails: folder,
    demo: { ...demo, isNew, signInUrl },
    toTerminal,
  });
}

after(() => rmSync(folder, { recursive: true }));

describe('the demo’s keys', () => {
  test('are told at the seeding, wherever that goes', () => {
    assert.match(told(true, false), /^ {2}Account key +rcd_demo_account$/m);
    assert.match(told(true, false), /^ {2}Channel key +rcd_demo_channel$/m);
    assert.match(told(true, false), /curl .* -H 'Authorization: Bearer rcd_demo_account'/);
  });

  test('has the address of the panel, and its link only at the seeding', () => {
    assert.match(told(false, true), /^ {2}Panel +http:\/\/127\.0\.0\.1:8081$/m);
    assert.match(told(true, false), /entrar#token$/m);
    assert.doesNotMatch(told(false, true), /entrar#/);
  });

  test('are told later to a terminal', () => {
    assert.match(told(false, true), /^ {2}Account key +rcd_demo_account$/m);
  });

  test('are never told again into a journal, which is told where they are', () => {
    const summary = told(false, false);
    for (const secret of Object.values(secrets)) assert.ok(!summary.includes(secret), secret);
    assert.ok(summary.includes(`Keys            ${file}`));
  });

  test('are read by the commands then, which can be pasted as they are', () => {
    writeFileSync(file, JSON.stringify(demo));
    const commands = told(false, false)
      .split('\n')
      .filter((line) => line.startsWith('  curl '));
    assert.equal(commands.length, 2);
    const path = `${dirname(process.execPath)}:/usr/bin:/bin`;
    for (const command of commands) {
      const script = `curl() { for word; do echo "$word"; done; echo '{"data":[{"id":1}]}'; }\n`;
      const options = { encoding: 'utf8', env: { PATH: path } } as const;
      const ran = spawnSync('/bin/sh', ['-c', `${script}${command}`], options);
      assert.equal(ran.stderr.includes('demo.json'), false, ran.stderr);
      assert.match(ran.stdout, /^Authorization: Bearer rcd_demo_account$/m);
    }
  });
});
