/**
 * D132: those of one entity against a model that forgets nothing.
 * Commits may be lost half-way: what leaves is on record, the document is as before.
 */
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
  LASTING_COMMAND_KEPT_MS,
  PLAIN_COMMAND_KEPT_MS,
} from '../../../../shared/limits.ts';

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
  kept: CompletedCommands = NONE_COMPLETED;
  now = NOW;
  /** Records that the sweep has not removed. */
  readonly records = new Map<string, CompletedCommand>();
  readonly told = new Map<string, Told>();
  #commands = 0;

  commit(lasting: boolean, lost: boolean): void {
    const id = `cmd_${++this.#commands}`;
    const status = this.#commands % 2 === 0 ? 200 : 201;
    const before = this.kept;
    const { kept, evicted: leaving } = withCompleted(before, { id, status, lasting }, this.now);
    for (const each of leaving) this.records.set(each.id, each);
    assert.ok(kept.recent.length <= COMPLETED_COMMANDS_MAX);
    assert.ok(kept.leftUntil >= before.leftUntil);
    if (lost) return;
    this.kept = kept;
    this.told.set(id, { lasting, at: this.now, status });
  }

  sweep(): void {
    for (const [id, { until }] of this.records) if (until <= this.now) this.records.delete(id);
  }

  /** Finds the record of a repeated command as an owner does. */
  find(id: string, lasting: boolean): CompletedCommand | null {
    const known = findCompleted(this.kept, id);
    if (known) return known;
    const mayBeRecorded = mayBeEvicted(this.kept, { lasting, repeat: true }, this.now);
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

const RUNS = { numRuns: 300 };

test('a committed command is found, with its status, for as long as it may be repeated', () => {
  fc.assert(
    fc.property(fc.array(burst, { minLength: 1, maxLength: 12 }), (bursts) => {
      play(bursts, (entity) => {
        for (const [id, { lasting, at, status }] of entity.told) {
          const keptMs = lasting ? LASTING_COMMAND_KEPT_MS : PLAIN_COMMAND_KEPT_MS;
          if (entity.now >= at + keptMs) continue;
          assert.equal(entity.find(id, lasting)?.status, status, `${id} is found`);
        }
      });
    }),
    RUNS,
  );
});

test('a command that was not committed is not found', () => {
  fc.assert(
    fc.property(fc.array(burst, { minLength: 1, maxLength: 12 }), (bursts) => {
      play(bursts, (entity) => {
        for (const id of entity.records.keys()) assert.ok(entity.told.has(id), id);
        for (const { id } of entity.kept.recent) assert.ok(entity.told.has(id), id);
      });
    }),
    RUNS,
  );
});

test('no record outlives its command, and after the last none is looked up', () => {
  fc.assert(
    fc.property(fc.array(burst, { minLength: 1, maxLength: 12 }), (bursts) => {
      play(bursts, (entity) => {
        for (const { until } of entity.records.values()) {
          assert.ok(until > entity.now && until <= entity.now + LASTING_COMMAND_KEPT_MS);
          assert.ok(entity.kept.leftUntil >= until || isLost(entity, until));
        }
        const after = entity.now + LASTING_COMMAND_KEPT_MS;
        assert.ok(!mayBeEvicted(entity.kept, { lasting: true, repeat: true }, after));
      });
    }),
    RUNS,
  );
});

/** Its document was not written: the command is in the document still. */
function isLost({ kept }: Entity, until: number): boolean {
  return kept.recent.some((each) => each.until === until);
}

test('a plain command that is asked for the first time looks up no record', () => {
  fc.assert(
    fc.property(fc.array(burst, { minLength: 1, maxLength: 12 }), (bursts) => {
      play(bursts, ({ kept, now }) => {
        assert.ok(!mayBeEvicted(kept, { lasting: false, repeat: false }, now));
      });
    }),
    RUNS,
  );
});
