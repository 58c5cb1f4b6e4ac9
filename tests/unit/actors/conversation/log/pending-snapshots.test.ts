/** What is due to be written and cleared, by tenure. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { PendingSnapshots } from '../../../../../actors/conversation/log/pending-snapshots.ts';
import { partitionOf } from '../../../../../shared/wire/subjects.ts';
import { conversationFixture } from '../../../../support/actors/domain/message-fixture.ts';

const IDS = ['cnv_1', 'cnv_2', 'cnv_3'];
const id = fc.constantFrom(...IDS);
const epoch = fc.integer({ min: 1, max: 3 });
const seq = fc.integer({ min: 1, max: 9 });
const step = fc.oneof(
  fc.record({ do: fc.constant('add' as const), id, epoch, seq }),
  fc.record({ do: fc.constant('publish' as const), id, epoch, seq }),
  fc.record({ do: fc.constant('acquire' as const), id, epoch, seq }),
  fc.record({ do: fc.constantFrom('recovered', 'release', 'take'), id, epoch, seq }),
);

interface Tenure {
  readonly epoch: number;
  isRecovering: boolean;
}

test('a write gets what its tenure has, and each conversation in its newest state', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
      const pending = new PendingSnapshots();
      const tenures = new Map<string, Tenure>();
      const due = new Map<string, number>();
      let clears: { readonly id: string; readonly entryId: string; isDeferred: boolean }[] = [];
      const end = (of: string) => {
        tenures.delete(of);
        due.delete(of);
        clears = clears.filter((each) => each.id !== of);
      };
      for (const [at, each] of steps.entries()) {
        const tenure = tenures.get(each.id);
        const isHeld = tenure?.epoch === each.epoch;
        const partition = partitionOf('conversation', each.id);
        const entryId = `ent_${at}`;
        if (each.do === 'add') {
          const state = conversationFixture({ id: each.id, seq: each.seq });
          assert.equal(pending.add(state, each.epoch), isHeld);
          if (isHeld) due.set(each.id, Math.max(each.seq, due.get(each.id) ?? 0));
        } else if (each.do === 'publish') {
          const entry = { _id: entryId, conversationId: each.id };
          assert.equal(pending.addPublished({ entry, ids: [], epoch: each.epoch }), isHeld);
          if (isHeld) clears.push({ id: each.id, entryId, isDeferred: tenure.isRecovering });
        } else if (each.do === 'acquire') {
          if (pending.acquire(partition, each.epoch)) pending.dropReleased();
          if (!isHeld) end(each.id);
          if (tenure && isHeld) tenure.isRecovering = true;
          else tenures.set(each.id, { epoch: each.epoch, isRecovering: true });
        } else if (each.do === 'recovered') {
          pending.endRecovery(partition);
          if (tenure) tenure.isRecovering = false;
          for (const clear of clears) if (clear.id === each.id) clear.isDeferred = false;
        } else if (each.do === 'release') {
          if (pending.release(partition)) pending.dropReleased();
          end(each.id);
        } else {
          const taken = pending.take();
          assert.deepEqual(new Map(taken.due.map(({ state }) => [state.id, state.seq])), due);
          const ready = clears.filter(({ isDeferred }) => !isDeferred);
          const entryIds = taken.clears.map((clear) => clear.entryId).toSorted();
          assert.deepEqual(entryIds, ready.map((clear) => clear.entryId).toSorted());
          assert.deepEqual(pending.clearable(taken.clears), taken.clears);
          due.clear();
          clears = clears.filter(({ isDeferred }) => isDeferred);
        }
      }
    }),
  );
});

test('what was taken is not cleared after its tenure, whatever follows it', () => {
  const pending = new PendingSnapshots();
  const partition = partitionOf('conversation', 'cnv_1');
  pending.acquire(partition, 1);
  pending.endRecovery(partition);
  const entry = { _id: 'ent_1', conversationId: 'cnv_1' };
  pending.addPublished({ entry, ids: [], epoch: 1 });
  const { clears } = pending.take();
  assert.equal(clears.length, 1);
  pending.release(partition);
  pending.acquire(partition, 2);
  assert.deepEqual(pending.clearable(clears), []);
});
