/** Edits and deletions of a message (D153). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { append } from '../../../../actors/domain/conversation.ts';
import {
  applyChange,
  type Changes,
  decidePreview,
  type MessageChange,
  shownMessage,
} from '../../../../actors/domain/message-change.ts';
import { changed } from '../../../faults/simulation/memory/change.ts';
import {
  conversationFixture,
  NOW,
  outboundFixture,
} from '../../../support/actors/domain/message-fixture.ts';

const RUNS = { numRuns: 2_000 };

const at = fc.integer({ min: NOW, max: NOW + 4 });
const text = fc.option(fc.constantFrom('', 'a', 'b', 'ç'));
const changeArb: fc.Arbitrary<MessageChange> = fc.oneof(
  fc.record({ type: fc.constant('edit' as const), at, text }),
  fc.record({ type: fc.constant('deletion' as const), at }),
);
const changesArb = fc.array(changeArb, { maxLength: 8 });
const shuffledArb = changesArb.chain((changes) =>
  fc.tuple(fc.constant(changes), fc.shuffledSubarray([...changes, ...changes], { minLength: 0 })),
);

const MESSAGE = outboundFixture({ text: 'original', createdAt: NOW });

function told(changes: readonly MessageChange[], known: Changes = {}): Changes {
  let now = known;
  for (const change of changes) now = { ...now, ...applyChange(now, change) };
  return now;
}

test('what is shown depends neither on the order of changes nor on repetition', () => {
  fc.assert(
    fc.property(shuffledArb, ([changes, again]) => {
      const once = told(changes);
      assert.deepEqual(told(again, told(changes.toReversed())), once);
    }),
    RUNS,
  );
});

test('the newest edit is shown, a deletion for good', () => {
  fc.assert(
    fc.property(changesArb, (changes) => {
      const shown = shownMessage(MESSAGE, told(changes));
      const edits = changes.filter((change) => change.type === 'edit');
      const newest = Math.max(...edits.map((edit) => edit.at));
      const isDeleted = changes.some(({ type }) => type === 'deletion');
      assert.equal(shown.editedAt, edits.length === 0 ? undefined : newest);
      assert.equal(shown.deletedAt !== undefined, isDeleted);
      if (isDeleted) assert.deepEqual([shown.text, shown.media], [null, null]);
      else if (edits.length === 0) assert.equal(shown.text, 'original');
      else assert.ok(edits.some((edit) => edit.at === newest && edit.text === shown.text));
    }),
    RUNS,
  );
});

test('the record keeps what the decision keeps, of two owners too', () => {
  fc.assert(
    fc.property(shuffledArb, ([changes, again]) => {
      const stored = again.reduce<Record<string, unknown>>((document, change) => {
        // Each owner decides on nothing that the other has written.
        const news = applyChange({}, change);
        return changed(document, { $max: { ...news } }, { inserted: false });
      }, {});
      assert.deepEqual(stored, { ...told(again) });
      assert.ok(again.length <= 2 * changes.length);
    }),
    RUNS,
  );
});

test('the preview follows its message, and nothing else of the conversation moves', () => {
  fc.assert(
    fc.property(changesArb, fc.boolean(), (changes, isLast) => {
      const first = append(conversationFixture(), MESSAGE, NOW);
      const later = outboundFixture({ text: 'depois', createdAt: NOW });
      const before = isLast ? first : append(first, later, NOW);
      let state = before;
      let known: Changes = {};
      for (const change of changes) {
        known = { ...known, ...applyChange(known, change) };
        const entry = { seq: first.seq, message: MESSAGE, ...known };
        const decided = decidePreview(state, entry, NOW);
        if (!decided) continue;
        assert.deepEqual([decided.queued, decided.outbox, decided.message], [false, [], undefined]);
        assert.equal(decided.state.seq, state.seq + 1);
        state = decided.state;
        assert.equal(decidePreview(state, entry, NOW), null);
      }
      const { lastMessagePreview, seq: _, ...rest } = state;
      const { lastMessagePreview: shown, seq: __, ...restBefore } = before;
      assert.deepEqual(rest, restBefore);
      const { text: newest, deletedAt } = shownMessage(MESSAGE, known);
      const kind = deletedAt === undefined ? '[text]' : '[deleted]';
      assert.equal(lastMessagePreview, isLast ? (newest ?? kind) : shown);
    }),
    RUNS,
  );
});

test('a state whose last message is in a joined log knows it by its time', () => {
  const { lastMessageSeq: _, ...joined } = append(conversationFixture(), MESSAGE, NOW);
  const change = { seq: 1, message: MESSAGE, edit: { at: NOW, text: 'nova' } };
  assert.equal(decidePreview(joined, change, NOW)?.state.lastMessagePreview, 'nova');
  const older = { ...change, message: { ...MESSAGE, createdAt: NOW - 1 } };
  assert.equal(decidePreview(joined, older, NOW), null);
});
