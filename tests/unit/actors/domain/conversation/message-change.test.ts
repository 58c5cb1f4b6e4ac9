/** Edits and deletions of a message: author, order, repetition and preview (D153). */
import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import fc from 'fast-check';
import { append } from '../../../../../actors/domain/conversation/conversation.ts';
import {
  applyChange,
  type Changes,
  decidePreview,
  type MessageChange,
  mayChange,
  shownMessage,
} from '../../../../../actors/domain/conversation/message-change.ts';
import { changed } from '../../../../faults/simulation/memory/change.ts';
import {
  conversationFixture,
  NOW,
  outboundFixture,
} from '../../../../support/actors/domain/message-fixture.ts';
import { withRuns } from '../../../../support/property.ts';

const forAll = withRuns(2_000);

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
  forAll([shuffledArb], ([changes, again]) => {
    const once = told(changes);
    assert.deepEqual(told(again, told(changes.toReversed())), once);
  });
});

test('the newest edit is shown, a deletion for good', () => {
  forAll([changesArb], (changes) => {
    const shown = shownMessage(MESSAGE, told(changes));
    const edits = changes.filter((change) => change.type === 'edit');
    const newest = Math.max(...edits.map((edit) => edit.at));
    const isDeleted = changes.some(({ type }) => type === 'deletion');
    assert.equal(shown.editedAt, edits.length === 0 ? undefined : newest);
    assert.equal(shown.deletedAt !== undefined, isDeleted);
    if (isDeleted) assert.deepEqual([shown.text, shown.media], [null, null]);
    else if (edits.length === 0) assert.equal(shown.text, 'original');
    else assert.ok(edits.some((edit) => edit.at === newest && edit.text === shown.text));
  });
});

test('the record keeps the edits and deletions that the decision keeps, of two owners too', () => {
  forAll([shuffledArb], ([changes, again]) => {
    const stored = again.reduce<Record<string, unknown>>((document, change) => {
      // Each owner decides on nothing that the other has written.
      const news = applyChange({}, change);
      return changed(document, { $max: { ...news } }, { inserted: false });
    }, {});
    assert.deepEqual(stored, { ...told(again) });
    assert.ok(again.length <= 2 * changes.length);
  });
});

test('the conversation’s preview follows its message, and nothing else of the conversation moves', () => {
  forAll([changesArb, fc.boolean()], (changes, isLast) => {
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
  });
});

test('a state whose last message is in a joined log knows it by its time', () => {
  const { lastMessageSeq: _, ...joined } = append(conversationFixture(), MESSAGE, NOW);
  const change = { seq: 1, message: MESSAGE, edit: { at: NOW, text: 'nova' } };
  assert.equal(decidePreview(joined, change, NOW)?.state.lastMessagePreview, 'nova');
  const older = { ...change, message: { ...MESSAGE, createdAt: NOW - 1 } };
  assert.equal(decidePreview(joined, older, NOW), null);
});

const media = { id: 'med_1', mimeType: 'image/png', fileName: null, sizeBytes: 3 };

const edit = (at: number, text: string | null) => ({ type: 'edit', at, text }) as const;
const deletion = (at: number) => ({ type: 'deletion', at }) as const;

describe('a message', () => {
  it('is changed by its author: inbound by the contact, outbound by the connected phone', () => {
    const rows = [
      ['in', false, true],
      ['in', true, false],
      ['out', true, true],
      ['out', false, false],
      ['note', true, false],
      ['note', false, false],
    ] as const;
    for (const [direction, fromMe, allowed] of rows) {
      assert.equal(mayChange({ direction }, { fromMe }), allowed, `${direction} ${fromMe}`);
    }
  });

  it('keeps its media through an edit, and loses it and its text by a deletion', () => {
    const message = { text: 'original', media };
    const edited = { edit: { at: NOW, text: 'nova' } };
    const deleted = { deletion: { at: NOW + 1 } };
    assert.deepEqual(shownMessage(message, {}), message);
    assert.deepEqual(shownMessage(message, edited), { text: 'nova', media, editedAt: NOW });
    assert.deepEqual(shownMessage(message, { ...edited, ...deleted }), {
      ...{ text: null, media: null, editedAt: NOW, deletedAt: NOW + 1 },
    });
    const removed = { edit: { at: NOW, text: null } };
    assert.deepEqual(shownMessage(message, removed), { text: null, media, editedAt: NOW });
  });
});

describe('a change', () => {
  const known: Changes = { edit: { at: NOW, text: 'b' }, deletion: { at: NOW } };

  it('is new to a message without changes', () => {
    assert.deepEqual(applyChange({}, edit(NOW, 'a')), { edit: { at: NOW, text: 'a' } });
    assert.deepEqual(applyChange({}, edit(NOW, null)), { edit: { at: NOW, text: null } });
    assert.deepEqual(applyChange({}, deletion(NOW)), { deletion: { at: NOW } });
  });

  it('is new where it is later, or of the same time with a larger text', () => {
    for (const change of [edit(NOW + 1, 'a'), edit(NOW + 1, null), edit(NOW, 'c')]) {
      const { at, text } = change;
      assert.deepEqual(applyChange(known, change), { edit: { at, text } });
    }
    assert.deepEqual(applyChange(known, deletion(NOW + 1)), { deletion: { at: NOW + 1 } });
    const removed = { edit: { at: NOW, text: null } };
    assert.deepEqual(applyChange(removed, edit(NOW, '')), { edit: { at: NOW, text: '' } });
  });

  it('adds nothing where it is repeated, earlier, or of the same time with a lesser text', () => {
    const old = [edit(NOW, 'b'), edit(NOW, 'a'), edit(NOW, null), edit(NOW - 1, 'c')];
    for (const change of [...old, deletion(NOW), deletion(NOW - 1)]) {
      assert.equal(applyChange(known, change), null, JSON.stringify(change));
    }
    const removed = { edit: { at: NOW, text: null } };
    assert.equal(applyChange(removed, edit(NOW, null)), null);
  });
});
