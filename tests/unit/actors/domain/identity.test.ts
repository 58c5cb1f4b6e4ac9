/** Contacts that turn out to be one: in any order of merges nothing of them is lost (D141). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type ContactState, isOptedOut, newContact } from '../../../../actors/domain/contact.ts';
import {
  decideAbsorb,
  decideForwarding,
  decideLearn,
  precedes,
  releaseOf,
  survivorOf,
} from '../../../../actors/domain/identity.ts';

const LATER = 1_000;
const id = fc.integer({ min: 0, max: 9 }).map((n) => `ctc_${n}`);
const time = fc.integer({ min: 1, max: 20 });
const contact: fc.Arbitrary<ContactState> = fc
  .record({
    id,
    phone: fc.constantFrom('', '551191', '551192', '551193'),
    tags: fc.uniqueArray(fc.constantFrom('vip', 'VIP', 'novo', 'ouro'), {
      selector: (tag) => tag.toLowerCase(),
    }),
    fields: fc.dictionary(fc.constantFrom('plano', 'cidade'), fc.constantFrom('a', 'b')),
    aliases: fc.uniqueArray(fc.constantFrom('BR.1', 'BR.2', 'BR.3')),
    name: fc.constantFrom(null, 'Rita', 'Ana'),
    createdAt: time,
    optInAt: fc.option(time),
    optOutAt: fc.option(time),
    optIn: fc.boolean(),
  })
  .map((some) => ({
    ...newContact({ id: some.id, orgId: 'org_1', phone: some.phone, source: 'contact' }, 1),
    ...some,
    updatedAt: some.createdAt,
    version: 1,
  }));
const people = fc.uniqueArray(contact, { selector: (each) => each.id, minLength: 2, maxLength: 5 });

function absorbed(state: ContactState, other: ContactState): ContactState {
  const decision = decideAbsorb(state, other, LATER);
  assert.ok(decision && 'accepted' in decision);
  return decision.accepted;
}

/** Pairs of contacts that are told to be one, each by its place in the list. */
const pairs = fc.array(fc.tuple(fc.nat(4), fc.nat(4)), { minLength: 1, maxLength: 12 });

test('whatever is told first, the oldest stays with everything and signposts lead to it', () => {
  fc.assert(
    fc.property(people, pairs, (all, told) => {
      const states = new Map(all.map((each) => [each.id, each]));
      const followed = (from: string): ContactState => {
        const seen = new Set<string>();
        let state = states.get(from);
        while (state?.mergedInto !== undefined) {
          assert.ok(!seen.has(state.id), 'no signposts in a circle');
          seen.add(state.id);
          state = states.get(state.mergedInto);
        }
        assert.ok(state);
        return state;
      };
      const merge = (a: ContactState, b: ContactState): void => {
        if (a.id === b.id) return;
        const stays = survivorOf([a, b]);
        const goes = stays.id === a.id ? b : a;
        assert.equal(decideForwarding(stays, goes), null, 'the older one never gives way');
        const signpost = decideForwarding(goes, stays);
        assert.ok(signpost);
        states.set(goes.id, signpost);
        states.set(stays.id, absorbed(stays, goes));
      };
      const named = (place: number): string => all[place % all.length]?.id ?? '';
      for (const [a, b] of told) merge(followed(named(a)), followed(named(b)));
      const groups = Map.groupBy(all, (each) => followed(each.id).id);
      for (const [stays, group] of groups) {
        const one = followed(stays);
        assert.ok(group.every((each) => each.id === one.id || precedes(one, each)));
        const tags = new Set(one.tags.map((tag) => tag.toLowerCase()));
        for (const each of group) {
          for (const tag of each.tags) assert.ok(tags.has(tag.toLowerCase()), `tag ${tag}`);
          for (const field of Object.keys(each.fields)) assert.ok(field in one.fields, field);
          for (const alias of each.aliases ?? []) assert.ok(one.aliases?.includes(alias), alias);
          if (each.id !== one.id) assert.ok(one.merged?.includes(each.id), 'its id answers');
          if (isOptedOut(each)) assert.ok(isOptedOut(one), 'an opt-out wins');
        }
        assert.equal(
          one.phone === '',
          group.every(({ phone }) => phone === ''),
        );
        assert.equal(releaseOf(one, one.phone), undefined, 'its own number is not released');
      }
    }),
    { numRuns: 2_000 },
  );
});

test('to be told again changes nothing', () => {
  fc.assert(
    fc.property(contact, contact, fc.constantFrom('', '551191', '551194'), (a, b, phone) => {
      const other = { ...b, id: 'ctc_other' };
      assert.equal(decideAbsorb(absorbed(a, other), other, LATER), null);
      const told = { phone, aliases: b.aliases ?? [] };
      const once = decideLearn(a, told, LATER);
      assert.ok('accepted' in once);
      const twice = decideLearn(once.accepted, told, LATER);
      assert.ok('accepted' in twice && twice.unchanged);
    }),
  );
});

test('a number that was left is released until its person comes back', () => {
  const state = {
    ...newContact({ id: 'a', orgId: 'o', phone: '1', source: 'api' }, 1),
    version: 1,
  };
  const learn = (from: ContactState, phone: string): ContactState => {
    const decision = decideLearn(from, { phone, aliases: [] }, LATER);
    assert.ok('accepted' in decision);
    return decision.accepted;
  };
  const moved = learn(state, '2');
  assert.deepEqual([moved.phone, moved.released], ['2', ['1#2']]);
  const back = learn(moved, '1');
  assert.deepEqual([back.phone, back.released], ['1', ['2#3']]);
  assert.deepEqual(learn(back, '3').released, ['2#3', '1#4'], 'each release has its own mark');
});
