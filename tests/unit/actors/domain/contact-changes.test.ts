/** D430: what a commit changes of a contact. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type ContactState, newContact } from '../../../../actors/domain/contact.ts';
import { changesOf } from '../../../../actors/domain/contact-changes.ts';

const NOW = Date.UTC(2026, 4, 4, 12, 0, 0);
const identity = { id: 'ctc_1', orgId: 'org_1', phone: '5511', source: 'api' } as const;
const KNOWN: ContactState = {
  ...newContact(identity, NOW),
  ...{ name: 'Maria', email: 'maria@example.com', fields: { a: '1', b: '2' }, tags: ['vip'] },
  version: 3,
};

const changed = (over: Partial<ContactState>) => changesOf(KNOWN, { ...KNOWN, ...over });

test('each of them is named where its value is another', () => {
  assert.deepEqual(changed({ name: null }), ['name']);
  assert.deepEqual(changed({ email: null }), ['email']);
  assert.deepEqual(changed({ fields: { a: '1', b: '3' } }), ['fields']);
  assert.deepEqual(changed({ fields: { a: '1' } }), ['fields']);
  assert.deepEqual(changed({ tags: ['vip', 'novo'] }), ['tags']);
  assert.deepEqual(changed({ optIn: true, optInAt: NOW }), ['optIn']);
  assert.deepEqual(changed({ optOutAt: NOW }), ['optIn'], 'an opt-out without an opt-in before');
  assert.deepEqual(changed({ marketingOptOutAt: NOW }), ['marketingOptOut']);
  assert.deepEqual(changed({ name: 'Ana', tags: [], optIn: true }), ['name', 'tags', 'optIn']);
});

test('the same value again, and what nobody sets, are no change', () => {
  assert.deepEqual(changed({ fields: { b: '2', a: '1' }, tags: ['vip'] }), []);
  assert.deepEqual(changed({ version: 9, updatedAt: NOW + 9, source: 'panel' }), []);
  assert.deepEqual(changed({ phone: '5512', aliases: ['x'], released: ['5511#1'] }), []);
  assert.deepEqual(changed({ marketingOptOutAt: null }), []);
  const out = { ...KNOWN, optOutAt: NOW };
  assert.deepEqual(changesOf(out, { ...out, optOutAt: NOW + 1 }), [], 'an opt-out repeated');
});

test('a contact has not changed against itself', () => {
  const text = fc.option(fc.string());
  const state = fc.record({
    name: text,
    email: text,
    fields: fc.dictionary(fc.string(), fc.string()),
    tags: fc.array(fc.string()),
    optIn: fc.boolean(),
    optOutAt: fc.option(fc.nat()),
  });
  fc.assert(
    fc.property(state, (over) => {
      assert.deepEqual(changesOf({ ...KNOWN, ...over }, { ...KNOWN, ...over }), []);
    }),
  );
});
