/** Author, order and repetition of changes to a message, and what they leave of it (D153). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  applyChange,
  type Changes,
  mayChange,
  shownMessage,
} from '../../../../actors/domain/message-change.ts';
import { NOW } from '../../../support/actors/domain/message-fixture.ts';

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
