/**
 * D262: `@scarf/scarf`, which comes with Swagger UI, reports each installation to its maker. Here
 * it may not, in two ways: npm does not run its script, and its script finds itself switched off.
 */

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import * as v from 'valibot';
import { ROOT } from '../../../../../infra/tools/source.ts';
import { record } from '../../../../support/stand-ins/server.ts';

const SCRIPT = join(ROOT, 'node_modules/@scarf/scarf/report.js');
const folder = mkdtempSync(join(tmpdir(), 'recado-scarf-'));
after(() => rmSync(folder, { recursive: true, force: true }));

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(join(ROOT, path), 'utf8'));
}

const Package = v.object({ allowScripts: v.record(v.string(), v.boolean()) });
const Lock = v.object({
  packages: v.record(v.string(), v.object({ hasInstallScript: v.optional(v.boolean(), false) })),
});

/** The requests of the package's own script, run for the project in that folder. */
async function reportsOf(project: string, env: Readonly<Record<string, string>> = {}) {
  await using server = await record(() => 200);
  const own = { INIT_CWD: project, SCARF_LOCAL_PORT: String(server.port), SCARF_VERBOSE: 'true' };
  const asInstalled = { PATH: process.env.PATH, ...own, ...env };
  await promisify(execFile)(process.execPath, [SCRIPT], { cwd: project, env: asInstalled });
  return server.arrived.map(({ method, path }) => `${method} ${path}`);
}

test('no report of an installation is sent, even where the environment asks for it', async () => {
  assert.deepEqual(await reportsOf(ROOT), []);
  assert.deepEqual(await reportsOf(ROOT, { SCARF_ANALYTICS: 'true' }), []);
});

test('without the setting one would be sent', async () => {
  const project = { name: 'other', version: '1.0.0', scarfSettings: { skipTraversal: true } };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(project));
  assert.deepEqual(await reportsOf(folder), ['POST /package-event/install']);
});

test('the packages with a script of their installation are known, and npm runs none of scarf', () => {
  const { packages } = v.parse(Lock, readJson('package-lock.json'));
  const scripted = Object.entries(packages).filter(([, { hasInstallScript }]) => hasInstallScript);
  const paths = scripted.map(([path]) => path);
  assert.deepEqual(paths, ['node_modules/@scarf/scarf', 'node_modules/esbuild']);
  const { allowScripts } = v.parse(Package, readJson('package.json'));
  assert.deepEqual(allowScripts, { '@scarf/scarf': false });
});
