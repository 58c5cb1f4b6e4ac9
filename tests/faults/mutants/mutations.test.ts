/** Every protection is watched: switched off, something fails (docs/reliability.md). */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, suite, type TestContext, test } from 'node:test';
import { type Hunts, startHunts, worldsOf } from './hunts.ts';
import { editsOf, type Mutant } from './mutant.ts';
import { MUTANTS } from './mutants.ts';
import type { Told } from './thread.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const AS_NPM_TEST = ['--import', './tests/preloaded/untracked-promises.mjs'];
const PLANTED = ['--import', './tests/faults/mutants/plant.ts'];
/** A process that ends at its first failure leaves its folders behind, an overdue thread too. */
const LEFT_BEHIND = mkdtempSync(join(tmpdir(), 'recado-mutants-'));
const BROKEN = /: [1-9]\d* violations in/;
/** Of a hunt in a thread that is ended as overdue, and of another one in a process. */
const TIMEOUT_MS = 1_200_000;

// Threads and processes inherit it.
process.env.TMPDIR = LEFT_BEHIND;
let hunts: Hunts;

/** Runs what has to notice the mutant. */
async function hunt(t: TestContext, mutant: Mutant): Promise<Told> {
  const answered = await hunts.answers.get(mutant.name);
  if (answered?.answer) return answered.answer;
  // The mutant may have broken the thread, or one before it that left something behind.
  if (answered) t.diagnostic(`apart: its thread is ${answered.ended}`);
  return await inProcess(t, mutant);
}

async function inProcess({ signal }: TestContext, mutant: Mutant): Promise<Told> {
  // Settings of node:test for its own children are not meant for another run of it.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const child = spawn(process.execPath, [...AS_NPM_TEST, ...PLANTED, ...argumentsOf(mutant)], {
    cwd: ROOT,
    env: { ...env, MUTANT: mutant.name },
    stdio: ['ignore', 'pipe', 'inherit'],
    signal,
  });
  const [told] = await Promise.all([text(child.stdout), once(child, 'close')]);
  return { code: child.exitCode, told };
}

function argumentsOf(mutant: Mutant): readonly string[] {
  const { caughtBy } = mutant;
  if (typeof caughtBy === 'object') return ['--test-reporter=tap', caughtBy.test];
  const { from, count, slowOnly } = worldsOf(caughtBy, mutant.from);
  const worlds = [
    '--from',
    String(from),
    '--seeds',
    String(count),
    ...(slowOnly ? ['--slow'] : []),
  ];
  return ['tests/faults/simulation/main.ts', '--until-broken', '--workers', '1', ...worlds];
}

before(() => {
  hunts = startHunts(
    ROOT,
    MUTANTS.filter(({ apart }) => !apart),
  );
});
after(async () => {
  await hunts.ended;
  rmSync(LEFT_BEHIND, { recursive: true, force: true });
});

suite('a protection that is switched off is missed', { concurrency: 2 }, () => {
  for (const mutant of MUTANTS) {
    test(mutant.name, { timeout: TIMEOUT_MS }, async (t) => {
      const source = readFileSync(join(ROOT, mutant.file), 'utf8');
      for (const { find } of editsOf(mutant)) {
        assert.equal(source.split(find).length, 2, 'the protection is there, once');
      }
      const { code, told } = await hunt(t, mutant);
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
