/**
 * Generated requests against the real service. Each answer is one of the OpenAPI document, the same
 * processes go on, and memory returns to its first level. `FUZZ_SEED` repeats a run, `FUZZ_CASES`
 * makes it shorter or longer.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { MemoryWatch } from '../../support/memory.ts';
import { type Stack, startStack } from '../../support/stack.ts';
import { SeededRandom } from '../simulation/world/seeded-random.ts';
import { chosenCount, chosenSeed } from './chosen.ts';
import { type Client, clientOf } from './client.ts';
import { type Operation, operationsOf } from './document.ts';
import { createFuzzFixture, type FuzzFixture } from './fuzz-fixture.ts';
import { Oracle } from './oracle.ts';
import { curlOf, type Request, requestOf } from './requests.ts';

const CASES = 10_000;
/** Most cases more. Of these, only operations with a status that has not been seen are called. */
const COMPLETING = 40_000;
/** Shares of the cases: the first warms the processes up, the last measures the memory held. */
const WARM_UP = 0.3;
const MIDDLE = 0.5;
const CONNECTIONS = 24;
const FAILURES_SHOWN = 5;
const LOOK_EVERY = 100;
/** Growth allowed to a warm process: 5,000 calls that leak 7 kB each would hold 35. */
const GROWTH_MIB = 32;
/** Of the last share. What has leaked is still held in the last of them. */
const MEASURING_MAX = 6;
const RESIDENT_MAX_MIB = 1_024;
const ROLES = ['gateway', 'actors'];

/** Statuses that calls alone cannot bring about, only by a race, or by an earlier answer's tag. */
const RARE: readonly number[] = [304, 429, 431, 500, 503];
const SOMETIMES_409: readonly string[] = [
  ...['changeDeal', 'changePipeline'],
  ...['startFlow', 'receiveInbound'],
];

let stack: Stack;
let fixture: FuzzFixture;
let operations: readonly Operation[];
let client: Client;

before(async () => {
  stack = await startStack();
  fixture = await createFuzzFixture(stack);
  const served = await fetch(`${stack.baseUrl}/openapi.json`);
  operations = operationsOf(await served.json());
  client = clientOf(stack.baseUrl, CONNECTIONS);
});
after(async () => {
  client?.[Symbol.dispose]();
  await stack?.stop();
});

interface Outcome {
  /** Answers by operation and status. */
  readonly covered: Map<string, number>;
  readonly failures: string[];
  readonly memory: MemoryWatch;
}

/**
 * One after the other on each of some connections; each case has dice of its own.
 * @param chosen operations to call while the case comes
 */
async function fuzz(
  seed: number,
  count: number,
  chosen: (covered: Outcome['covered']) => readonly Operation[] = () => operations,
): Promise<Outcome> {
  const oracle = new Oracle(operations);
  const memory = new MemoryWatch(stack);
  const outcome: Outcome = { covered: new Map(), failures: [], memory };
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let number = next++; number < count; number = next++) {
      const among = chosen(outcome.covered);
      if (outcome.failures.length >= FAILURES_SHOWN || among.length === 0) return;
      const random = new SeededRandom(seed + number);
      const operation = random.pick(operations);
      if (!among.includes(operation)) continue;
      if (number % LOOK_EVERY === 0) await memory.sample();
      const request = requestOf(operation, random, fixture.inputs);
      try {
        const answer = await client.send(request);
        const cell = `${oracle.operationOf(request)?.id ?? 'none'} ${answer.status}`;
        outcome.covered.set(cell, (outcome.covered.get(cell) ?? 0) + 1);
        oracle.judge(request, answer);
      } catch (cause) {
        outcome.failures.push(told(String(cause), request, seed + number));
      }
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, worker));
  return outcome;
}

function told(what: string, request: Request, seed: number): string {
  const again = `FUZZ_SEED=${seed} FUZZ_CASES=1 repeats it, or:`;
  return `${what}\n${again}\n${curlOf(stack.baseUrl, request)}`;
}

/** Statuses that an operation tells of, that calls alone can bring about, and that nobody saw. */
function missingOf({ id, statuses }: Operation, seen: (cell: string) => boolean): string[] {
  const reachable = (status: number): boolean =>
    !RARE.includes(status) && (status !== 409 || SOMETIMES_409.includes(id));
  return statuses.filter(reachable).flatMap((status) => {
    const cell = `${id} ${status}`;
    return seen(cell) ? [] : cell;
  });
}

/** MiB that a role holds more than when it was warm. */
function grownIn(outcome: Outcome | undefined, warm: Outcome, role: string): number {
  return (outcome?.memory.floor[role] ?? 0) - (warm.memory.floor[role] ?? 0);
}

test('10,000 generated requests: no answer is outside the document, and nothing dies', async (t) => {
  const seed = chosenSeed();
  const count = chosenCount(CASES);
  const { pids } = stack.runFile();
  const [warmUp, middle] = [Math.floor(count * WARM_UP), Math.ceil(count * MIDDLE)];
  const warm = await fuzz(seed + count - warmUp, warmUp);
  const first = await fuzz(seed, middle);
  const measured: Outcome[] = [];
  for (let more = 0; more < MEASURING_MAX; more++) {
    const from = more === 0 ? seed + middle : seed + count + COMPLETING + more * count;
    const outcome = await fuzz(from, count - warmUp - middle);
    measured.push(outcome);
    // Garbage that no collection has met yet: it comes with more work.
    if (ROLES.every((role) => grownIn(outcome, warm, role) <= GROWTH_MIB)) break;
  }
  const seen = (cell: string): boolean =>
    [warm, first, ...measured].some((outcome) => outcome.covered.has(cell));
  const incomplete = (more: Outcome['covered']): readonly Operation[] =>
    operations.filter((each) => missingOf(each, (cell) => seen(cell) || more.has(cell)).length > 0);
  const completing = count < CASES ? 0 : COMPLETING;
  const last = await fuzz(seed + count, completing, incomplete);
  const all = [warm, first, ...measured, last];
  const covered = new Map<string, number>();
  for (const [cell, times] of all.flatMap((each) => [...each.covered])) {
    covered.set(cell, (covered.get(cell) ?? 0) + times);
  }
  t.diagnostic(`seed ${seed}, ${count} requests: ${JSON.stringify([...covered].sort())}`);
  for (const { memory } of [warm, first, ...measured]) {
    t.diagnostic(
      `MiB held ${JSON.stringify(memory.floor)}, resident ${JSON.stringify(memory.peak)}`,
    );
  }
  const failures = all.flatMap((outcome) => outcome.failures);
  assert.equal(failures.length, 0, `${failures.join('\n\n')}\n${stack.story()}`);
  assert.deepEqual(stack.runFile().pids, pids, 'no process died');
  if (count < CASES) return;
  assert.deepEqual(
    operations.flatMap((each) => missingOf(each, (cell) => covered.has(cell))),
    [],
  );
  for (const role of ROLES) {
    const grown = grownIn(measured.at(-1), warm, role);
    assert.ok(grown <= GROWTH_MIB, `${role} holds ${grown} MiB more than when it was warm`);
    const peak = Math.max(...measured.map(({ memory }) => memory.peak[role] ?? 0));
    assert.ok(peak < RESIDENT_MAX_MIB, `${role} stays small`);
  }
});
