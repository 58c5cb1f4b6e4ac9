/**
 * Provisioning files, spoiled anywhere. `recado apply` returns a list of problems, each at its
 * place, and never an exception. A flow that it accepts runs, for any answers of contacts.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { inspect } from 'node:util';
import type { StartableFlow } from '../../../actors/domain/flow/context.ts';
import { compileSteps } from '../../../actors/domain/flow/references.ts';
import { decideApply } from '../../../actors/domain/organization/apply.ts';
import type { OrganizationState } from '../../../actors/domain/organization.ts';
import type { Issue } from '../../../shared/failures.ts';
import { readFile } from '../../../shared/provisioning/file.ts';
import { readSteps } from '../../../shared/provisioning/flow-steps.ts';
import { applyOf, contextAt } from '../../support/actors/domain/organization-fixture.ts';
import { inEnglish } from '../../support/provisioning/in-english.ts';
import { shareStack } from '../../support/shared-stack.ts';
import type { Stack } from '../../support/stack.ts';
import { SeededRandom } from '../simulation/world/seeded-random.ts';
import { chosenCount, chosenSeed } from './chosen.ts';
import { drive } from './flow-drive.ts';
import { randomFile } from './flow-file.ts';
import { corrupted } from './hostile.ts';

const FILES = 6_000;
const TURNS = 300;
const COMMANDS = 12;
const NOW = Date.UTC(2026, 10, 20, 15);

type Judged = { readonly issues: readonly Issue[] } | { readonly state: OrganizationState | null };

/** Runs the checks of the command line, then those of the organization's actor. */
function judge(file: unknown): Judged {
  const { organizations, issues } = readFile(file);
  if (issues.length > 0) return { issues: inEnglish(issues) };
  for (const { raw } of organizations) {
    const decision = decideApply(null, applyOf(raw), contextAt(NOW));
    if ('refused' in decision) return { issues: inEnglish(decision.refused) };
    return { state: decision.accepted };
  }
  return { state: null };
}

function startable(state: OrganizationState): ReadonlyMap<string, StartableFlow> {
  return new Map(
    state.flows.map((flow) => {
      const steps = readSteps(compileSteps(flow, state));
      const byId = new Map(steps.map((step) => [step.id, step]));
      const { id: flowId, name } = flow;
      const firstStepId = steps[0]?.id ?? '';
      return [flowId, { flowId, name, versionId: `${flowId}.a`, steps: byId, firstStepId }];
    }),
  );
}

function assertTold(issues: readonly Issue[]): void {
  assert.ok(issues.length > 0);
  for (const { path, message } of issues) {
    assert.ok(message.length > 3, `${path} says something`);
    const [, index] = /flows\.\d+\.steps\.(\d+)\.\w/.exec(path) ?? [];
    if (index === undefined) continue;
    assert.match(message, /^flow ".*", step (".*"|number \d+), \S/s, path);
  }
}

function corruptedFile(random: SeededRandom): unknown {
  let file: unknown = randomFile(random);
  for (let times = random.below(3); times > 0; times--) file = corrupted(random, file);
  return file;
}

function told(seed: number, file: unknown, cause: unknown): Error {
  const shown = String(JSON.stringify(file)).slice(0, 4_000);
  return new Error(`FUZZ_SEED=${seed} FUZZ_CASES=1: ${shown}`, { cause });
}

test('a file is accepted, or refused with its problems; what is accepted runs', (t) => {
  const seed = chosenSeed();
  const count = chosenCount(FILES);
  const seen = new Map<string, number>();
  const counts = (what: string) => seen.set(what, (seen.get(what) ?? 0) + 1);
  for (let number = 0; number < count; number++) {
    const random = new SeededRandom(seed + number);
    const file = corruptedFile(random);
    try {
      const judged = judge(file);
      if ('issues' in judged) {
        assertTold(judged.issues);
        counts('refused');
        continue;
      }
      counts('accepted');
      const flows = judged.state ? startable(judged.state) : new Map<string, StartableFlow>();
      for (const flow of flows.values()) counts(drive(random, [flow, flows], TURNS));
    } catch (cause) {
      throw told(seed + number, file, cause);
    }
  }
  t.diagnostic(`seed ${seed}: ${JSON.stringify(Object.fromEntries(seen))}`);
  if (count < FILES) return;
  for (const what of ['refused', 'accepted', 'ended', 'handed off', 'waits']) {
    assert.ok((seen.get(what) ?? 0) > 50, `${what} came up`);
  }
});

/** Texts that are no file at all, or are meant to harm the reader. */
const TEXTS: readonly string[] = [
  '',
  '\u0000',
  '['.repeat(50_000),
  '{"a":'.repeat(20_000),
  '- '.repeat(20_000),
  'orgs: &a [*a]',
  `a: &a [x]\n${Array.from({ length: 30 }, (_, index) => `b${index}: &b${index} [*a, *a]`).join('\n')}`,
  'orgs: !!js/function "x"',
  '%YAML 9.9\n---\norgs: []\n--- \norgs: []',
  'orgs:\n\t- ref: tab',
  '"orgs": [{"ref": "\\ud800"}]',
  '__proto__: { orgs: [] }',
];
const DEEP = 5_000;
const MANY = 20_000;

function flowFile(steps: unknown): unknown {
  return { orgs: [{ ref: 'o', name: 'O', flows: [{ ref: 'f', name: 'F', steps }] }] };
}

/** An object with one property of its own, which may be called `__proto__`; deep below it. */
function named(name: string): Record<string, unknown> {
  return JSON.parse(`{"${name}":${'{"a":'.repeat(DEEP)}"x"${'}'.repeat(DEEP)}}`);
}

function deepCondition(): unknown {
  let when: unknown = { tag: 'x' };
  for (let depth = 0; depth < DEEP; depth++) when = { not: when };
  return when;
}

test('files that are deep, long or named after what every object has are refused as others are', () => {
  const end = { id: 'end', do: 'end' };
  const chain = Array.from({ length: MANY }, (_, index) => ({
    id: `s${index}`,
    do: 'tag',
    tags: ['x'],
    next: index + 1 < MANY ? `s${index + 1}` : null,
  }));
  const cases: readonly unknown[] = [
    flowFile([
      { id: 'c', do: 'choose', cases: [{ when: deepCondition(), next: null }], else: 'end' },
      end,
    ]),
    flowFile(chain),
    flowFile([{ id: 'a', do: 'constructor', next: 'end' }, end]),
    flowFile([{ id: 'a', do: 'toString' }]),
    flowFile([{ id: 'a', do: 'set', fields: { ok: 'x', ...named('constructor') }, next: null }]),
    flowFile([{ id: 'a', do: 'set', fields: named('__proto__'), next: null }]),
    flowFile([{ id: 'a', do: 'http', url: 'https://x', headers: named('__proto__'), next: null }]),
    flowFile([
      { id: '__proto__', do: 'end' },
      { id: 'b', do: 'send', text: 'x', next: 'constructor' },
    ]),
    flowFile([{ id: 'a', do: 'send', text: `${'{% if a %}'.repeat(1_500)}`, next: null }]),
  ];
  for (const file of cases) {
    const judged = judge(file);
    assert.ok('issues' in judged, inspect(file));
    assertTold(judged.issues);
  }
});

describe('the command itself', () => {
  let stack: Stack;
  const made = new Set<string>();
  before(async () => {
    stack = await shareStack();
  });
  after(async () => {
    await stack?.apply({ orgs: [...made].map((ref) => ({ ref, remove: true })) });
    await stack?.stop();
  });

  test('bad input is exit 2 with its problems, and nothing is stored', async (t) => {
    const seed = chosenSeed();
    const codes = new Map<number | null, number>();
    const random = Array.from({ length: chosenCount(COMMANDS) }, (_, number) => {
      const random = new SeededRandom(seed + number);
      const file = JSON.stringify(corruptedFile(random)) ?? '';
      return random.happens(0.2) ? file.slice(0, random.below(file.length)) : file;
    });
    for (const [number, text] of [...random, ...TEXTS].entries()) {
      const { code, stdout, stderr } = await stack.recado(['apply', '-'], text);
      codes.set(code, (codes.get(code) ?? 0) + 1);
      const what = `FUZZ_SEED=${seed + number} FUZZ_CASES=1: ${code} ${stderr}\n${text.slice(0, 2_000)}`;
      assert.ok(code === 0 || code === 2, what);
      assert.doesNotMatch(stderr, /\bat .*\.ts:\d+|node:internal/, what);
      if (code === 2) {
        assert.equal(stdout, '', what);
        assert.ok(stderr.length > 10, what);
      } else {
        const { orgs } = JSON.parse(stdout);
        assert.ok(orgs, what);
        for (const ref of Object.keys(orgs)) made.add(ref);
      }
    }
    t.diagnostic(`seed ${seed}: exit codes ${JSON.stringify([...codes])}`);
  });
});
