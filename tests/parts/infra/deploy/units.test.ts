/** The units of infra/deploy/systemd, as systemd itself reads them. */
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { ROOT } from '../../../../infra/tools/source.ts';

const UNITS = join(ROOT, 'infra/deploy/systemd');
const HOME = '/opt/recado/current';

const folder = mkdtempSync(join(tmpdir(), 'recado-units-'));
after(() => rmSync(folder, { recursive: true, force: true }));

/** An installation in its place: systemd looks whether the program is there. */
function installation(): string {
  const home = join(folder, 'home');
  const bin = join(home, '.runtime/node/bin');
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, 'node'), '#!/bin/sh\n');
  chmodSync(join(bin, 'node'), 0o755);
  return home;
}

/** What systemd says of a unit, nothing where it is right. */
async function verify(name: string, text: string): Promise<string> {
  const place = mkdtempSync(join(folder, 'units-'));
  writeFileSync(join(place, name), text.replaceAll(HOME, installation()));
  const unit = join(place, name.replace('@.', '@1.'));
  const env = { ...process.env, SYSTEMD_LOG_LEVEL: 'warning' };
  const run = promisify(execFile)('systemd-analyze', ['verify', '--man=no', unit], { env });
  const { stderr } = await run.catch((error: unknown) => ({
    stderr: `${String(error)} ${String(Reflect.get(Object(error), 'stderr'))}`,
  }));
  return stderr;
}

const { error } = spawnSync('systemd-analyze', ['--version']);
const skip = error ? 'this machine has no systemd-analyze' : false;

test('systemd accepts every unit, and would find a fault in it', { skip }, async () => {
  const names = readdirSync(UNITS).filter((name) => name.endsWith('.service'));
  assert.equal(names.length, 4);
  for (const name of names) {
    const text = readFileSync(join(UNITS, name), 'utf8');
    assert.equal(await verify(name, text), '', name);
    assert.match(await verify(name, text.replace('RestartSec=', 'RestartSecs=')), /RestartSecs/);
    const elsewhere = text.replace(`ExecStart=${HOME}`, 'ExecStart=/nowhere');
    assert.match(await verify(name, elsewhere), /nowhere.*not executable/);
  }
});
