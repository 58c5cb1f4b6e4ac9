/** Contacts that turn out to be one: their merge, and what the network tells of one (D141). */
import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import fc from 'fast-check';
import { type ContactState, isOptedOut, newContact } from '../../../../actors/domain/contact.ts';
import {
  decideAbsorb,
  decideForwarding,
  decideLearn,
  laterOf,
  precedes,
  releaseOf,
  survivorOf,
} from '../../../../actors/domain/identity.ts';
import { CONTACT_IDS_MAX } from '../../../../shared/limits.ts';
import { forAll, withRuns } from '../../../support/property.ts';

const NOW = Date.UTC(2026, 4, 4, 12, 0, 0);
const LATER = NOW + 60_000;

function contact(over: Partial<ContactState> = {}): ContactState {
  const identity = { id: 'ctc_1', orgId: 'org_1', phone: '5511900000001', source: 'api' } as const;
  return { ...newContact(identity, NOW), version: 4, ...over };
}

/** The contact after it has absorbed the other one. */
function merged(state: ContactState, other: ContactState): ContactState {
  const decision = decideAbsorb(state, other, LATER);
  assert.ok(decision && 'accepted' in decision);
  return decision.accepted;
}

const absorbed = (state: Partial<ContactState>, other: Partial<ContactState>): ContactState =>
  merged(contact(state), contact({ id: 'ctc_2', phone: '5511900000002', ...other }));

const ids = (from: number, to: number): readonly string[] =>
  Array.from({ length: to - from }, (_, place) => `BR.${from + place}`);

it('the order of contacts has existing ones first, then older ones, then lesser ids, and none before itself', () => {
  const ordered = [
    { id: 'ctc_c', createdAt: NOW },
    { id: 'ctc_d', createdAt: NOW },
    { id: 'ctc_a', createdAt: NOW + 1 },
    { id: 'ctc_0', createdAt: null },
    { id: 'ctc_b', createdAt: null },
  ] as const;
  for (const [place, each] of ordered.entries()) {
    for (const [other, one] of ordered.entries()) {
      assert.equal(precedes(each, one), place < other, `${each.id} before ${one.id}`);
    }
  }
  const [first, ...others] = ordered;
  assert.equal(survivorOf([...others.toReversed(), first] as [typeof first]), first);
  assert.equal(survivorOf<(typeof ordered)[number]>([first, ...others]), first);
});

describe('a contact that forwards', () => {
  const into = { id: 'ctc_0', createdAt: NOW - 1, phone: '5511900000000' };

  it('keeps its number and names the other one', () => {
    const state = contact();
    assert.deepEqual(decideForwarding(state, into), { ...state, mergedInto: 'ctc_0', version: 5 });
  });

  it('has the other’s number where it does not exist itself', () => {
    const state = contact({ version: 0, phone: '' });
    const forwards = { ...state, phone: into.phone, mergedInto: 'ctc_0', version: 1 };
    assert.deepEqual(decideForwarding(state, into), forwards);
  });

  it('gives way to every existing contact where it does not exist, however early it was asked', () => {
    const state = contact({ version: 0, createdAt: NOW - 5 });
    assert.equal(decideForwarding(state, into)?.mergedInto, 'ctc_0');
    assert.equal(decideForwarding({ ...state, version: 1 }, into), null);
  });
});

describe('a contact that absorbs another', () => {
  it('has what either one has, its own name and e-mail first', () => {
    const state = contact({ name: 'Rita', email: null, tags: ['VIP'], aliases: ['BR.1'] });
    const other = contact({
      ...{ id: 'ctc_2', phone: '5511900000002', name: 'Ana', email: 'ana@example.com' },
      ...{ tags: ['vip', 'novo'], aliases: ['BR.2'], merged: ['ctc_3'] },
    });
    const accepted = {
      ...{ ...state, email: 'ana@example.com', tags: ['VIP', 'novo'] },
      ...{ aliases: ['BR.2', 'BR.1'], merged: ['ctc_3', 'ctc_2'] },
      ...{ released: ['5511900000002#5'], updatedAt: LATER, version: 5 },
    };
    const unchanged = { created: false, optedOut: false, unchanged: false, newTags: [] };
    assert.deepEqual(decideAbsorb(state, other, LATER), { accepted, ...unchanged });
  });

  it('takes a name and an e-mail from either one', () => {
    const [rita, ana] = [
      { name: 'Rita', email: 'rita@example.com' },
      { name: 'Ana', email: 'ana@example.com' },
    ];
    const none = { name: null, email: null };
    const rows = [
      [rita, ana, rita],
      [rita, none, rita],
      [none, ana, ana],
      [none, none, none],
    ] as const;
    for (const [own, other, expected] of rows) {
      const { name, email } = absorbed(own, other);
      assert.deepEqual({ name, email }, expected);
    }
  });

  it('has of each field the value of the contact changed last, of one moment its own', () => {
    const own = { plano: 'a', bairro: 'x' };
    const other = { plano: 'b', cidade: 'y' };
    const rows = [
      [NOW - 1, 'a'],
      [NOW, 'a'],
      [NOW + 1, 'b'],
    ] as const;
    for (const [updatedAt, plano] of rows) {
      const { fields } = absorbed({ fields: own }, { fields: other, updatedAt });
      assert.deepEqual(fields, { plano, bairro: 'x', cidade: 'y' });
    }
  });

  it('answers for those whom either one absorbed before', () => {
    assert.deepEqual(absorbed({ merged: ['ctc_9'] }, {}).merged, ['ctc_9', 'ctc_2']);
  });

  it('is changed now, or when it last was, if that is later', () => {
    assert.equal(absorbed({ updatedAt: LATER + 5 }, {}).updatedAt, LATER + 5);
  });

  it('has the changes of opt-in of both, the oldest first', () => {
    const [yes, no] = [
      { at: NOW - 2, optIn: true, source: 'api' },
      { at: NOW - 1, optIn: false, source: 'contact' },
    ] as const;
    const { optInHistory } = absorbed({ optInHistory: [no] }, { optInHistory: [yes] });
    assert.deepEqual(optInHistory, [yes, no]);
  });
});

describe('the opt-in after a merge', () => {
  const yes = { optIn: true, optInAt: NOW - 3, optOutAt: null };
  const no = { optIn: false, optInAt: null, optOutAt: NOW - 2 };
  const silent = { optIn: false, optInAt: null, optOutAt: null };
  const both = { optIn: false, optInAt: NOW - 3, optOutAt: NOW - 2 };

  it('is an opt-out of either one, then an opt-in of either one', () => {
    const rows = [
      [yes, yes, yes],
      [yes, silent, yes],
      [silent, yes, yes],
      [silent, silent, silent],
      [no, silent, no],
      [silent, no, no],
      [yes, no, both],
      [no, yes, both],
    ] as const;
    for (const [own, other, expected] of rows) {
      const { optIn, optInAt, optOutAt } = absorbed(own, other);
      assert.deepEqual({ optIn, optInAt, optOutAt }, expected);
    }
  });

  it('keeps a stop of marketing messages of either one, and tells it where it is new', () => {
    const stopped = { marketingOptOutAt: NOW - 2 };
    for (const [own, other, isTold] of [
      [stopped, {}, undefined],
      [{}, stopped, true],
      [{ marketingOptOutAt: null }, stopped, true],
    ] as const) {
      const decision = decideAbsorb(contact(own), contact({ id: 'ctc_2', ...other }), LATER);
      assert.ok(decision && 'accepted' in decision);
      assert.equal(decision.accepted.marketingOptOutAt, NOW - 2);
      assert.equal(decision.stoppedMarketing, isTold);
    }
    assert.ok(!('marketingOptOutAt' in absorbed({}, {})));
  });

  it('is a run’s own opt-out where nobody else opted out', () => {
    const byRun = { ...no, optOutRunId: 'run_1' };
    const rows = [
      [byRun, silent, 'run_1'],
      [silent, byRun, 'run_1'],
      [byRun, no, null],
      [no, byRun, null],
      [no, silent, null],
    ] as const;
    for (const [own, other, expected] of rows) {
      assert.equal(absorbed(own, other).optOutRunId ?? null, expected);
    }
  });

  it('tells an opt-out where it comes into force', () => {
    const rows = [
      [yes, no, true],
      [silent, no, true],
      [no, no, false],
      [no, yes, false],
      [yes, yes, false],
      [silent, silent, false],
    ] as const;
    for (const [own, other, optedOut] of rows) {
      const decision = decideAbsorb(contact(own), contact({ id: 'ctc_2', ...other }), LATER);
      assert.ok(decision && 'accepted' in decision);
      assert.equal(decision.optedOut, optedOut);
    }
  });

  it('has the later of two times, a time rather than never', () => {
    const rows = [
      [1, 2, 2],
      [2, 1, 2],
      [null, 1, 1],
      [1, null, 1],
      [null, null, null],
    ] as const;
    for (const [a, b, later] of rows) assert.equal(laterOf(a, b), later);
  });
});

describe('the numbers after a merge', () => {
  const [own, other] = ['5511900000001', '5511900000002'];

  it('are one: a second one is released, which an empty or the same one is not', () => {
    const rows = [
      [own, other, own, [`${other}#5`]],
      [own, own, own, undefined],
      [own, '', own, undefined],
      ['', other, other, undefined],
      ['', '', '', undefined],
    ] as const;
    for (const [before, others, phone, released] of rows) {
      const state = absorbed({ phone: before }, { phone: others });
      assert.deepEqual([state.phone, state.released], [phone, released]);
      assert.equal('released' in state, released !== undefined);
    }
  });

  it('are the person’s again where the other contact had one that was released', () => {
    const released = [`${other}#3`, '5511900000009#2'];
    const state = absorbed({ released }, {});
    assert.deepEqual([state.phone, state.released], [own, ['5511900000009#2']]);
    const kept = absorbed({ released: ['5511900000009#2'] }, { phone: own });
    assert.deepEqual(kept.released, ['5511900000009#2']);
  });
});

describe('the mark of a release', () => {
  const state = { released: ['551190#2', '55119#3', '55119#7'] };

  it('is the one of the whole number', () => {
    const rows = [
      [state, '55119', '55119#3'],
      [state, '551190', '551190#2'],
      [state, '5511', undefined],
      [state, '', undefined],
      [{ released: ['#1'] }, '', undefined],
      [{}, '55119', undefined],
    ] as const;
    for (const [of, phone, mark] of rows) assert.equal(releaseOf(of, phone), mark, phone);
  });
});

describe('what the network tells of a contact', () => {
  const state = contact({ aliases: ['BR.1'], released: ['5511900000009#2'] });
  const decided = { created: false, optedOut: false, newTags: [] };

  it('adds the ids that are new, once', () => {
    const told = { phone: '', aliases: ['BR.1', 'BR.2', 'BR.2'] };
    const accepted = { ...state, aliases: ['BR.1', 'BR.2'], updatedAt: LATER, version: 5 };
    assert.deepEqual(decideLearn(state, told, LATER), { accepted, ...decided, unchanged: false });
  });

  it('is nothing new where number and ids are known', () => {
    const decision = decideLearn(state, { phone: state.phone, aliases: ['BR.1'] }, LATER + 5);
    const accepted = { ...state, updatedAt: LATER + 5, version: 5 };
    assert.deepEqual(decision, { accepted, ...decided, unchanged: true });
    const nothing = decideLearn(state, { phone: '', aliases: [] }, NOW - 5);
    assert.ok('accepted' in nothing);
    assert.deepEqual([nothing.unchanged, nothing.accepted.updatedAt], [true, NOW]);
  });

  it('is new where the number alone is, or the first id', () => {
    const rows = [
      [state, { phone: '5511900000003', aliases: [] }],
      [state, { phone: '5511900000003', aliases: ['BR.9'] }],
      [contact(), { phone: '', aliases: ['BR.9'] }],
    ] as const;
    for (const [of, told] of rows) {
      const decision = decideLearn(of, told, LATER);
      assert.ok('accepted' in decision);
      assert.equal(decision.unchanged, false, JSON.stringify(told));
    }
  });

  it('releases the number that was left, and no number where there was none', () => {
    const phone = '5511900000003';
    const moved = decideLearn(state, { phone, aliases: [] }, LATER);
    assert.ok('accepted' in moved);
    assert.deepEqual(moved.accepted.released, ['5511900000009#2', '5511900000001#5']);
    const first = decideLearn(contact({ phone: '' }), { phone, aliases: [] }, LATER);
    assert.ok('accepted' in first);
    assert.deepEqual([first.accepted.phone, 'released' in first.accepted], [phone, false]);
    assert.equal('aliases' in first.accepted, false);
  });

  it('is kept of the newest ids only', () => {
    const full = contact({ aliases: ids(0, CONTACT_IDS_MAX) });
    const decision = decideLearn(full, { phone: '', aliases: ids(200, 202) }, LATER);
    assert.ok('accepted' in decision);
    const { aliases } = decision.accepted;
    assert.deepEqual(aliases, [...ids(2, CONTACT_IDS_MAX), ...ids(200, 202)]);
  });
});

const id = fc.integer({ min: 0, max: 9 }).map((n) => `ctc_${n}`);
const time = fc.integer({ min: 1, max: 20 });
const contactArb: fc.Arbitrary<ContactState> = fc
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
const people = fc.uniqueArray(contactArb, {
  selector: (each) => each.id,
  minLength: 2,
  maxLength: 5,
});

/** Pairs of contacts that are told to be one, each by its place in the list. */
const pairs = fc.array(fc.tuple(fc.nat(4), fc.nat(4)), { minLength: 1, maxLength: 12 });

test('merge: whatever is told first, the oldest stays with everything and signposts lead to it', () => {
  withRuns(2_000)([people, pairs], (all, told) => {
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
      states.set(stays.id, merged(stays, goes));
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
        one.phone !== '',
        group.some(({ phone }) => phone !== ''),
      );
      assert.equal(releaseOf(one, one.phone), undefined, 'its own number is not released');
    }
  });
});

test('a merge that is told again changes nothing', () => {
  forAll([contactArb, contactArb, fc.constantFrom('', '551191', '551194')], (a, b, phone) => {
    const other = { ...b, id: 'ctc_other' };
    assert.equal(decideAbsorb(merged(a, other), other, LATER), null);
    const told = { phone, aliases: b.aliases ?? [] };
    const once = decideLearn(a, told, LATER);
    assert.ok('accepted' in once);
    const twice = decideLearn(once.accepted, told, LATER);
    assert.ok('accepted' in twice && twice.unchanged);
  });
});

test('a number that was left is released until its person comes back', () => {
  const state = contact({ phone: '1', version: 1 });
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
