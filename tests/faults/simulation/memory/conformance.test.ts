/**
 * The database of the simulation is MongoDB as far as the actors use it. The same operations run
 * against it and the real engine: those of generated sequences and those of whole worlds.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { useUntil } from '../../../support/test-hooks.ts';
import { simulate } from '../simulate.ts';
import { claims } from './conformance/claims.ts';
import { corners } from './conformance/corners.ts';
import { counterOperations } from './conformance/counters.ts';
import { countedDueWork, logDueWork, recordDueWork } from './conformance/due-work.ts';
import { startEngine } from './conformance/engine.ts';
import { logReads } from './conformance/log-reads.ts';
import { logWrites } from './conformance/log-writes.ts';
import { type Operation, shapesOf } from './conformance/operation.ts';
import { Pair } from './conformance/pair.ts';
import { recordReads } from './conformance/record-reads.ts';
import { recordWrites } from './conformance/record-writes.ts';
import { RecordedDatabase } from './conformance/recorded.ts';
import { scheduledOperations } from './conformance/scheduled.ts';
import { streamOperations } from './conformance/streams.ts';
import { templateOperations } from './conformance/templates.ts';

const SEQUENCES = 60;
const OPERATIONS_MAX = 60;
const WORLDS = [1] as const;
const COUNTED = ['contacts', 'deals', 'tasks'] as const;

const logs = fc.oneof(
  { arbitrary: logWrites, weight: 3 },
  { arbitrary: logReads, weight: 2 },
  { arbitrary: counterOperations(['conversations']), weight: 2 },
  { arbitrary: scheduledOperations, weight: 2 },
  { arbitrary: fc.oneof(logDueWork, countedDueWork(['conversations'])), weight: 1 },
);
const records = fc.oneof(
  { arbitrary: recordWrites, weight: 3 },
  { arbitrary: recordReads, weight: 2 },
  { arbitrary: counterOperations(COUNTED), weight: 2 },
  { arbitrary: streamOperations, weight: 1 },
  { arbitrary: templateOperations, weight: 1 },
  { arbitrary: claims, weight: 1 },
  { arbitrary: fc.oneof(recordDueWork, countedDueWork(COUNTED)), weight: 1 },
);
/** Of few documents much: a sequence is about the one half or the other. */
const sequence = fc.oneof(
  fc.array(logs, { minLength: 10, maxLength: OPERATIONS_MAX, size: 'max' }),
  fc.array(records, { minLength: 10, maxLength: OPERATIONS_MAX, size: 'max' }),
);

const engine = useUntil(startEngine, (started) => started.stop());

/** Collections with documents after the last comparison; null after one that failed. */
let filled: readonly string[] | null = null;

async function emptied() {
  const { db } = engine.mongo;
  const all = () => db.listCollections({}, { nameOnly: true }).toArray();
  const names = filled ?? (await all()).map(({ name }) => name);
  filled = null;
  await Promise.all(names.map((name) => db.collection(name).deleteMany({})));
  return engine.mongo;
}

async function compare(operations: readonly Operation[]): Promise<void> {
  const pair = new Pair(await emptied());
  await pair.carryOutAll(operations);
  filled = await pair.compareAll();
}

const recorded: Operation[][] = [];

test('what the actors of a world asked of it, the real engine answers alike', {
  timeout: 180_000,
}, async () => {
  for (const seed of WORLDS) {
    const database = new RecordedDatabase();
    await simulate(seed, { database });
    recorded.push(database.operations);
    await compare(database.operations);
  }
});

test('what is generated has every shape of what actors ask', { timeout: 180_000 }, () => {
  const generated = new Set(
    fc.sample(sequence, { numRuns: 1_000, seed: 1 }).flatMap((each) => each.flatMap(shapesOf)),
  );
  const asked = new Set(recorded.flatMap((each) => each.flatMap(shapesOf)));
  assert.ok(asked.size > 40, `${asked.size} shapes`);
  assert.deepEqual([...asked].filter((shape) => !generated.has(shape)).sort(), []);
});

test('generated operations on few documents end alike', { timeout: 180_000 }, async () => {
  await fc.assert(fc.asyncProperty(sequence, compare), { numRuns: SEQUENCES });
});

test('operators end alike on values of every type', { timeout: 180_000 }, async () => {
  const some = fc.array(corners, { minLength: 10, maxLength: OPERATIONS_MAX, size: 'max' });
  await fc.assert(fc.asyncProperty(some, compare), { numRuns: SEQUENCES });
});
