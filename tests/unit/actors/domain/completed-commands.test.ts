import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  type CompletedCommand,
  type CompletedCommands,
  findCompleted,
  mayBeEvicted,
  NONE_COMPLETED,
  withCompleted,
} from '../../../../actors/domain/completed-commands.ts';
import {
  COMPLETED_COMMANDS_MAX,
  LASTING_COMMAND_RETENTION_MS,
  PLAIN_COMMAND_RETENTION_MS,
} from '../../../../shared/limits.ts';
import { pluck } from '../../../support/pluck.ts';
import { withRuns } from '../../../support/property.ts';

const NOW = Date.UTC(2026, 10, 20, 12);
const HOUR_MS = 60 * 60 * 1000;

/** So many commands of one sort at one pace; the last of them may be lost half-way. */
interface Burst {
  readonly commands: number;
  readonly lasting: boolean;
  readonly everyMs: number;
  readonly lost: boolean;
}

const burst: fc.Arbitrary<Burst> = fc.record({
  commands: fc.integer({ min: 1, max: 150 }),
  lasting: fc.boolean(),
  everyMs: fc.constantFrom(0, 1, 40, 1_000, 31_000, HOUR_MS),
  lost: fc.boolean(),
});

interface Told {
  readonly lasting: boolean;
  readonly at: number;
  readonly status: number;
}

class Entity {
  completed: CompletedCommands = NONE_COMPLETED;
  now = NOW;
  /** Records that the sweep has not removed. */
  readonly records = new Map<string, CompletedCommand>();
  readonly told = new Map<string, Told>();
  #commands = 0;

  commit(lasting: boolean, lost: boolean): void {
    const id = `cmd_${++this.#commands}`;
    const status = this.#commands % 2 === 0 ? 200 : 201;
    const before = this.completed;
    const { completed, evicted: leaving } = withCompleted(
      before,
      { id, status, lasting },
      this.now,
    );
    for (const each of leaving) this.records.set(each.id, each);
    assert.ok(completed.recent.length <= COMPLETED_COMMANDS_MAX);
    assert.ok(completed.leftUntil >= before.leftUntil);
    if (lost) return;
    this.completed = completed;
    this.told.set(id, { lasting, at: this.now, status });
  }

  sweep(): void {
    for (const [id, { until }] of this.records) if (until <= this.now) this.records.delete(id);
  }

  /** Finds the record of a repeated command as an owner does. */
  find(id: string, lasting: boolean): CompletedCommand | null {
    const known = findCompleted(this.completed, id);
    if (known) return known;
    const mayBeRecorded = mayBeEvicted(this.completed, { lasting, repeat: true }, this.now);
    return (mayBeRecorded && this.records.get(id)) || null;
  }
}

function play(bursts: readonly Burst[], lookUp: (entity: Entity) => void): void {
  const entity = new Entity();
  for (const { commands, lasting, everyMs, lost } of bursts) {
    for (let number = 1; number <= commands; number++) {
      entity.commit(lasting, lost && number === commands);
      entity.now += everyMs;
    }
    entity.sweep();
    lookUp(entity);
  }
}

/** Checks the rule after each burst of commands. */
function afterEachBurst(rule: (entity: Entity) => void): void {
  withRuns(300)([fc.array(burst, { minLength: 1, maxLength: 12 })], (bursts) => play(bursts, rule));
}

test('a committed command is found, with its status, for as long as it may be repeated', () => {
  afterEachBurst((entity) => {
    for (const [id, { lasting, at, status }] of entity.told) {
      const keptMs = lasting ? LASTING_COMMAND_RETENTION_MS : PLAIN_COMMAND_RETENTION_MS;
      if (entity.now >= at + keptMs) continue;
      assert.equal(entity.find(id, lasting)?.status, status, `${id} is found`);
    }
  });
});

test('a command that was not committed is not found', () => {
  afterEachBurst((entity) => {
    for (const id of entity.records.keys()) assert.ok(entity.told.has(id), id);
    for (const { id } of entity.completed.recent) assert.ok(entity.told.has(id), id);
  });
});

test('no record outlives its command, and after the last none is looked up', () => {
  afterEachBurst((entity) => {
    for (const { until } of entity.records.values()) {
      assert.ok(until > entity.now && until <= entity.now + LASTING_COMMAND_RETENTION_MS);
      assert.ok(entity.completed.leftUntil >= until || isLost(entity, until));
    }
    const after = entity.now + LASTING_COMMAND_RETENTION_MS;
    assert.ok(!mayBeEvicted(entity.completed, { lasting: true, repeat: true }, after));
  });
});

/** Its document was not written: the command is in the document still. */
function isLost({ completed }: Entity, until: number): boolean {
  return completed.recent.some((each) => each.until === until);
}

test('a plain command that is asked for the first time looks up no record', () => {
  afterEachBurst(({ completed, now }) => {
    assert.ok(!mayBeEvicted(completed, { lasting: false, repeat: false }, now));
  });
});

const PLAIN_MS = 30_000;
const LASTING_MS = (24 * 60 + 10) * 60_000;

const plain = (id: string) => ({ id, status: 200, lasting: false });

/** So many lasting commands, each a millisecond after the one before. */
function filled(commands: number): CompletedCommands {
  const numbers = Array.from({ length: commands }, (_, number) => number);
  return numbers.reduce((before, number) => {
    const command = { id: `cmd_${number}`, status: 201, lasting: true };
    return withCompleted(before, command, NOW + number).completed;
  }, NONE_COMPLETED);
}

test('a plain command is kept for half a minute, a lasting one for a day and ten minutes', () => {
  for (const [lasting, keptMs] of [
    [false, PLAIN_MS],
    [true, LASTING_MS],
  ] as const) {
    const recorded = withCompleted(NONE_COMPLETED, { ...plain('cmd_1'), lasting }, NOW);
    assert.deepEqual(recorded, {
      completed: { recent: [{ id: 'cmd_1', until: NOW + keptMs, status: 200 }], leftUntil: 0 },
      evicted: [],
    });
  }
});

test('a command whose time is over leaves with the next commit, and needs no record', () => {
  const first = withCompleted(NONE_COMPLETED, plain('cmd_1'), NOW).completed;
  const idsAfter = (now: number) => {
    const { completed, evicted } = withCompleted(first, plain('cmd_2'), now);
    assert.deepEqual([evicted, completed.leftUntil], [[], 0]);
    return completed.recent.map(({ id }) => id);
  };
  assert.deepEqual(idsAfter(NOW + PLAIN_MS - 1), ['cmd_1', 'cmd_2']);
  assert.deepEqual(idsAfter(NOW + PLAIN_MS), ['cmd_2']);
});

test('two hundred commands stay; of one more the older half leaves, in its order', () => {
  const full = filled(200);
  assert.deepEqual([full.recent.length, full.leftUntil], [200, 0]);
  const { completed, evicted } = withCompleted(full, plain('cmd_200'), NOW + 200);
  const idsFrom = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, index) => `cmd_${from + index}`);
  assert.deepEqual(pluck(evicted, 'id'), idsFrom(0, 101));
  assert.deepEqual(pluck(completed.recent, 'id'), idsFrom(101, 201));
  assert.equal(completed.leftUntil, NOW + 100 + LASTING_MS, 'the last of those that left');
  assert.equal(findCompleted(completed, 'cmd_100'), null);
  assert.equal(findCompleted(completed, 'cmd_101')?.status, 201);
});

test('a record is looked up only for a command that may be repeated, while one counts', () => {
  const left = { recent: [], leftUntil: NOW };
  const rows = [
    [true, false, NOW - 1, true],
    [false, true, NOW - 1, true],
    [true, true, NOW - 1, true],
    [false, false, NOW - 1, false],
    [true, true, NOW, false],
  ] as const;
  for (const [lasting, repeat, now, expected] of rows) {
    assert.equal(mayBeEvicted(left, { lasting, repeat }, now), expected);
  }
});
