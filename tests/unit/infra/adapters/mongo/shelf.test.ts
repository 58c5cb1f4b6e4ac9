/** A shelf's document holds what sixteen rows would, and changes as they would. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  changedShelf,
  isOpen,
  type OwnerChange,
  rowsOf,
  type ShelfDocument,
  shelfId,
} from '../../../../../infra/adapters/mongo/shelf.ts';
import type { PartitionRow } from '../../../../../shared/ports/registry.ts';
import { forAll } from '../../../../support/property.ts';

const ID = 'deal.3';
const NAMES = Array.from({ length: 16 }, (_, slot) => `deal.${48 + slot}`);

test('a shelf that nobody has written is free, and one of an earlier release is one owner’s', () => {
  assert.deepEqual(
    rowsOf(ID, undefined),
    NAMES.map((name) => ({ name, owner: null, epoch: 0 })),
  );
  assert.deepEqual(
    rowsOf(ID, { _id: ID, owner: 'a', epoch: 7 }),
    NAMES.map((name) => ({ name, owner: 'a', epoch: 7 })),
  );
  assert.equal(shelfId('deal.48'), ID);
  assert.equal(shelfId('deal.63'), ID);
  assert.equal(shelfId('deal.64'), 'deal.4');
});

test('changes apply to the partitions that are still as they were, and to no others', () => {
  const owner = fc.constantFrom('a', 'b', null);
  const change = fc.record({
    name: fc.constantFrom(...NAMES),
    owner,
    epoch: fc.integer({ min: 0, max: 3 }),
    to: owner,
    isSeen: fc.boolean(),
  });
  const old = fc.constantFrom<ShelfDocument | undefined>(undefined, {
    ...{ _id: ID, owner: 'a', epoch: 2 },
  });
  forAll(
    [old, fc.array(fc.uniqueArray(change, { selector: ({ name }) => name }))],
    (first, all) => {
      let document = first;
      const model = new Map(rowsOf(ID, first).map((row) => [row.name, row]));
      for (const asked of all) {
        const changes = asked.map(({ name, owner, epoch, to, isSeen }): OwnerChange => {
          const seen = model.get(name) ?? assert.fail(name);
          const from: PartitionRow = isSeen ? seen : { name, owner, epoch };
          return { from, to: { owner: to, epoch: from.epoch + 1 } };
        });
        const before = document?.rev ?? 0;
        document = changedShelf(ID, document, changes);
        assert.equal(document.rev, before + 1);
        for (const { from, to } of changes) {
          const row = model.get(from.name);
          if (row && isOpen({ from, to }, row)) model.set(from.name, { ...to, name: from.name });
        }
        assert.deepEqual(
          rowsOf(ID, document),
          [...model.values()].map(({ name, owner, epoch }) => ({ name, owner, epoch })),
        );
        const runs = document.runs ?? [];
        for (const [at, { owner, epoch }] of runs.entries()) {
          const next = runs[at + 1];
          assert.ok(next?.owner !== owner || next.epoch !== epoch, 'neighbours are one run');
        }
      }
    },
  );
});
