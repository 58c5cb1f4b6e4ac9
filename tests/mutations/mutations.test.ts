/** Every protection is watched: switched off, something fails (docs/reliability.md). */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, suite, test } from 'node:test';
import { editsOf, type Mutant } from './mutant.ts';
import { MUTANTS } from './mutants.ts';

const ROOT = resolve(import.meta.dirname, '../..');
/** Worlds of a hunt, counted from where it begins. */
const SEEDS = 400;
/** As many as `npm test` simulates: one in ten of them is slow. */
const SLOW_AMONG_SEEDS = 500;
const AS_NPM_TEST = ['--import', './infra/programs/setup/untracked-promises.mjs'];
const PLANTED = ['--import', './tests/mutations/plant.ts'];
/** A process that ends at its first failure leaves its folders behind. */
const LEFT_BEHIND = mkdtempSync(join(tmpdir(), 'recado-mutants-'));
const BROKEN = /: [1-9]\d* violations in/;

/** Runs what has to notice the mutant. */
async function hunt(mutant: Mutant) {
  const args = argumentsOf(mutant);
  // Settings of node:test for its own children are not meant for another run of it.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const child = spawn(process.execPath, [...AS_NPM_TEST, ...PLANTED, ...args], {
    cwd: ROOT,
    env: { ...env, MUTANT: mutant.name, TMPDIR: LEFT_BEHIND },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [told] = await Promise.all([text(child.stdout), once(child, 'close')]);
  return { code: child.exitCode, told };
}

function argumentsOf({ caughtBy, from = 1 }: Mutant): readonly string[] {
  if (typeof caughtBy === 'object') {
    return ['--test-reporter=tap', caughtBy.test];
  }
  // The first world is the one that finds it: a second thread would run another beside it.
  const hunting = ['--until-broken', '--workers', '1', '--from', String(from)];
  const worlds = ['tests/simulation/main.ts', ...hunting, '--seeds'];
  if (caughtBy === 'simulation') return [...worlds, String(SEEDS)];
  return [...worlds, String(SLOW_AMONG_SEEDS + 1 - from), '--slow'];
}

after(() => rmSync(LEFT_BEHIND, { recursive: true, force: true }));

suite('a protection that is switched off is missed', { concurrency: 2 }, () => {
  for (const mutant of MUTANTS) {
    test(mutant.name, { timeout: 300_000 }, async (t) => {
      const source = readFileSync(join(ROOT, mutant.file), 'utf8');
      for (const { find } of editsOf(mutant)) {
        assert.equal(source.split(find).length, 2, 'the protection is there, once');
      }
      const { code, told } = await hunt(mutant);
      assert.equal(code, 1, told.slice(-2_000));
      const world = /^seed (\d+):/m.exec(told)?.[1];
      if (world !== undefined && Number(world) !== (mutant.from ?? 1)) {
        t.diagnostic(`from: ${world} would begin with the world that finds it`);
      }
      assert.match(
        told,
        typeof mutant.caughtBy === 'string' ? BROKEN : /^not ok/m,
        told.slice(-2_000),
      );
    });
  }
});
