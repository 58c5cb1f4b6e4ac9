import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  type ContactChange,
  type ContactState,
  decideUpsert,
  newContact,
} from '../../../../actors/domain/contact.ts';

const RUNS = { numRuns: 3_000 };
const NOW = Date.UTC(2026, 4, 4, 12, 0, 0);
const begin = newContact(
  { id: 'ctc_1', orgId: 'org_1', phone: '5511987654321', source: 'api' },
  NOW,
);

const tagArb = fc.constantFrom('vip', 'VIP', 'Vip', 'ação', 'AÇÃO', 'novo', 'Novo', 'x');
const changeArb: fc.Arbitrary<ContactChange> = fc.record(
  {
    source: fc.constantFrom('api' as const, 'webhook' as const, 'contact' as const),
    name: fc.constantFrom('Ana', 'Bia', 'Caio'),
    profileName: fc.constantFrom('ana ✨', 'b'),
    email: fc.constantFrom('', 'a@example.com', 'b@example.com'),
    fields: fc.dictionary(fc.constantFrom('plano', 'cidade', '__proto__', 'x'), fc.string(), {
      maxKeys: 3,
    }),
    tags: fc.array(tagArb, { maxLength: 4 }),
    optIn: fc.boolean(),
  },
  { requiredKeys: ['source'] },
);
const changesArb = fc.array(changeArb, { maxLength: 10 });

function apply(state: ContactState, change: ContactChange, now = NOW) {
  const decision = decideUpsert(state, change, now);
  assert.ok('accepted' in decision);
  return decision;
}

const fold = (tag: string): string => tag.toLowerCase();

test('decisions, Contacts: an upsert never removes a tag or a field, and has each tag once', () => {
  fc.assert(
    fc.property(changesArb, (changes) => {
      changes.reduce((state, change) => {
        const after = apply(state, change).accepted;
        assert.deepEqual(after.tags.slice(0, state.tags.length), state.tags);
        assert.equal(new Set(after.tags.map(fold)).size, after.tags.length);
        for (const tag of change.tags ?? []) assert.ok(after.tags.map(fold).includes(fold(tag)));
        for (const key of Object.keys(state.fields)) assert.ok(key in after.fields);
        assert.equal(after.phone, state.phone);
        assert.equal(after.version, state.version + 1);
        return after;
      }, begin);
    }),
    RUNS,
  );
});

test('section 6: contact.opt_out is told at each step into opt-out and at no other', () => {
  fc.assert(
    fc.property(changesArb, (changes) => {
      let state = begin;
      let out = false;
      for (const change of changes) {
        const decision = apply(state, change);
        assert.equal(decision.optedOut, change.optIn === false && !out);
        if (change.optIn !== undefined) out = !change.optIn;
        state = decision.accepted;
        assert.equal(!state.optIn && state.optOutAt !== null, out);
      }
    }),
    RUNS,
  );
});

test('upserts that name different things come to the same, whatever their order', () => {
  const apart: fc.Arbitrary<readonly ContactChange[]> = fc
    .tuple(
      fc.constantFrom('Ana', 'Bia'),
      fc.constantFrom('a@example.com', ''),
      fc.string(),
      fc.string(),
      fc.boolean(),
    )
    .map(([name, email, plano, cidade, optIn]) => [
      { source: 'api', name },
      { source: 'api', email },
      { source: 'api', fields: { plano } },
      { source: 'api', fields: { cidade } },
      { source: 'api', optIn },
    ]);
  const shuffled = apart.chain((changes) =>
    fc.tuple(
      fc.constant(changes),
      fc.shuffledSubarray([...changes], { minLength: changes.length, maxLength: changes.length }),
    ),
  );
  const all = (changes: readonly ContactChange[]): ContactState =>
    changes.reduce((state, change) => apply(state, change).accepted, begin);
  fc.assert(
    fc.property(shuffled, ([one, other]) => {
      assert.deepEqual(all(other), all(one));
    }),
    RUNS,
  );
});

test('section 4: saying the same again changes nothing but times and version', () => {
  fc.assert(
    fc.property(changesArb, changeArb, (changes, change) => {
      const known = changes.reduce((state, each) => apply(state, each).accepted, begin);
      const once = apply(known, change);
      const twice = apply(once.accepted, change);
      const { version: _, ...rest } = twice.accepted;
      const { version: __, ...before } = once.accepted;
      assert.deepEqual(rest, before);
      assert.deepEqual(twice.newTags, []);
      assert.equal(twice.optedOut, false);
    }),
    RUNS,
  );
});

test('time goes forward, also when the clock goes back', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(changeArb, fc.integer({ min: -60_000, max: 60_000 }))),
      (steps) => {
        steps.reduce((state, [change, offset]) => {
          const after = apply(state, change, NOW + offset).accepted;
          assert.ok(after.updatedAt >= state.updatedAt);
          assert.equal(after.createdAt, state.createdAt);
          return after;
        }, begin);
      },
    ),
    RUNS,
  );
});
