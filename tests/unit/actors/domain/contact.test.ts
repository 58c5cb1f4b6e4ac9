/** Contact: upserts, tags, fields, opt-in and opt-out, and its bounds (D123). */
import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import fc from 'fast-check';
import {
  type ContactChange,
  type ContactState,
  decideUpsert,
  historyOf,
  newContact,
  refusesMarketing,
} from '../../../../actors/domain/contact.ts';
import {
  CONTACT_MAX_BYTES,
  CONTACT_NAME_MAX_CHARS,
  OPT_IN_HISTORY_MAX,
} from '../../../../shared/limits.ts';
import { withRuns } from '../../../support/property.ts';

const NOW = Date.UTC(2026, 4, 4, 12, 0, 0);
const identity = { id: 'ctc_1', orgId: 'org_1', phone: '5511987654321', source: 'api' } as const;
const NEW = newContact(identity, NOW);

function apply(state: ContactState, change: ContactChange, now = NOW) {
  const decision = decideUpsert(state, change, now);
  assert.ok('accepted' in decision);
  return decision;
}

type Change = Omit<ContactChange, 'source'>;

const upsert = (state: ContactState, change: Change, now = NOW) =>
  apply(state, { source: 'api', ...change }, now);

/** The problems of a change that is refused. */
function problems(state: ContactState, change: Change) {
  const decision = decideUpsert(state, { source: 'api', ...change }, NOW);
  assert.ok('refused' in decision, JSON.stringify(change));
  return decision.refused.issues;
}

test('a new contact has no name, no tags, and has said nothing about opt-in', () => {
  assert.deepEqual(NEW, {
    ...{ ...identity, name: null, email: null, fields: {}, tags: [] },
    ...{ optIn: false, optInAt: null, optOutAt: null, createdAt: NOW, updatedAt: NOW, version: 0 },
  });
});

test('section 4: a first upsert creates the contact, a second one does not', () => {
  const first = upsert(NEW, { name: 'Maria' });
  assert.deepEqual([first.created, first.accepted.version], [true, 1]);
  const second = upsert(first.accepted, { name: 'Maria' }, NOW + 5);
  const { updatedAt, createdAt } = second.accepted;
  assert.deepEqual([second.created, updatedAt, createdAt], [false, NOW + 5, NOW]);
});

test('section 4: an empty e-mail clears, an absent one stays', () => {
  const known = upsert(NEW, { email: 'maria@example.com' }).accepted;
  assert.equal(upsert(known, { name: 'M' }).accepted.email, 'maria@example.com');
  assert.equal(upsert(known, { email: '' }).accepted.email, null);
});

test('a stop of marketing messages is no opt-out, and of a stop and its end the later counts', () => {
  const wish = (state: ContactState, wanted: boolean, at: number) =>
    apply(state, { source: 'contact', marketing: { wanted, at } }, NOW + 1_000);
  const stopped = wish(upsert(NEW, { optIn: true }).accepted, false, NOW);
  assert.deepEqual([stopped.stoppedMarketing, stopped.optedOut], [true, false]);
  const { optIn, optOutAt, marketingOptOutAt, source } = stopped.accepted;
  assert.deepEqual([optIn, optOutAt, marketingOptOutAt, source], [true, null, NOW, 'api']);
  assert.ok(refusesMarketing(stopped.accepted));
  const again = wish(stopped.accepted, false, NOW + 5);
  assert.deepEqual([again.stoppedMarketing, again.accepted.marketingOptOutAt], [false, NOW]);
  const resumed = wish(again.accepted, true, NOW + 10);
  assert.ok(!refusesMarketing(resumed.accepted) && !resumed.stoppedMarketing);
  assert.ok(!refusesMarketing(wish(resumed.accepted, false, NOW + 9).accepted), 'told late');
  assert.ok(refusesMarketing(wish(resumed.accepted, false, NOW + 10).accepted));
  assert.ok(refusesMarketing(wish(stopped.accepted, true, NOW - 1).accepted), 'told late');
  const unknown = wish(NEW, true, NOW);
  assert.ok(!('marketingOptOutAt' in unknown.accepted));
  const out = upsert(NEW, { optIn: false });
  assert.deepEqual([out.stoppedMarketing, refusesMarketing(out.accepted)], [false, true]);
  const kept = upsert(stopped.accepted, { optIn: true }).accepted;
  assert.ok(refusesMarketing(kept), 'only the network tells its end');
});

test('a name of blanks is none: it keeps the name that is there, and fills no empty one', () => {
  const known = upsert(NEW, { name: 'Maria' }).accepted;
  for (const name of ['', ' ', '\t\u00a0\n']) {
    assert.equal(upsert(known, { name }).accepted.name, 'Maria');
    assert.equal(upsert(NEW, { name }).accepted.name, null);
    const emptied = { ...known, name };
    assert.equal(upsert(emptied, {}).accepted.name, null, 'of an earlier version');
    assert.equal(upsert(emptied, { profileName: 'Mari' }).accepted.name, 'Mari');
  }
});

test('D422: a change removes the fields and tags that it names, and a null name clears', () => {
  const known = upsert(NEW, { name: 'Maria', fields: { a: '1', b: '2' }, tags: ['VIP', 'x'] });
  const change = { name: null, unfields: ['a', 'none'], untags: ['vip', 'none'] };
  const { accepted, newTags } = upsert(known.accepted, { ...change, fields: { c: '3' } });
  assert.deepEqual(accepted.fields, { b: '2', c: '3' });
  assert.deepEqual([accepted.name, accepted.tags, newTags], [null, ['x'], []]);
});

test('D422: a field makes room for another in one change', () => {
  const fields = Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`f${n}`, 'x']));
  const full = upsert(NEW, { fields }).accepted;
  const changed = upsert(full, { fields: { more: 'x' }, unfields: ['f0'] }).accepted;
  assert.equal(Object.keys(changed.fields).length, 200);
});

test('tags are one, whatever the blanks around them and the spelling of their accents', () => {
  const composed = 'Café';
  const decomposed = composed.normalize('NFD');
  assert.notEqual(composed, decomposed);
  const known = upsert(NEW, { tags: [` ${decomposed}`, composed, 'CAFÉ ', 'cafe'] }).accepted;
  assert.deepEqual(known.tags, [composed, 'cafe']);
  const twins = { ...known, tags: [decomposed, 'vip', ` ${composed}`, 'VIP ', 'x'] };
  assert.deepEqual(upsert(twins, { email: '' }).accepted.tags, [composed, 'vip', 'x']);
  assert.deepEqual(upsert(twins, { untags: [composed] }).accepted.tags, ['vip', 'x']);
  assert.deepEqual(upsert(twins, { tags: ['Vip'] }).newTags, []);
});

test('an upsert that names nothing is unchanged; one that says the same again touches', () => {
  const made = upsert(NEW, {});
  assert.ok(made.created && !made.unchanged);
  const known = { ...made.accepted, name: 'Ana' };
  for (const change of [{}, { profileName: 'Outra' }]) {
    assert.equal(upsert(known, change).unchanged, true, JSON.stringify(change));
  }
  const same = [{ name: 'Ana' }, { email: '' }, { fields: {} }, { tags: [] }, { optIn: false }];
  for (const change of same) {
    assert.equal(upsert(known, change).unchanged, false, JSON.stringify(change));
  }
});

test('decisions, Contacts: tags are compared whatever their case and kept as first written', () => {
  const known = upsert(NEW, { tags: ['VIP', 'vip', 'Ação'] }).accepted;
  assert.deepEqual(known.tags, ['VIP', 'Ação']);
  const again = upsert(known, { tags: ['AÇÃO', 'novo'] });
  assert.deepEqual([again.accepted.tags, again.newTags], [['VIP', 'Ação', 'novo'], ['novo']]);
  const untagged = upsert(again.accepted, { untags: ['ação', 'x'] }).accepted;
  assert.deepEqual(untagged.tags, ['VIP', 'novo'], 'the others stay in their order');
});

test('decisions, Shapes: a contact holds up to 200 fields; one more is refused in Portuguese', () => {
  const fields = Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`f${n}`, 'x']));
  const full = upsert(NEW, { fields }).accepted;
  upsert(full, { fields: { f0: 'y' } });
  const message = 'Um contato pode ter no máximo 200 campos.';
  assert.deepEqual(problems(full, { fields: { more: 'x' } }), [{ path: 'fields', message }]);
});

test('decisions, D123: a contact has 64 KiB, and more is refused at `fields`, in Portuguese', () => {
  const filled = (bytes: number) => ({ f: 'x'.repeat(bytes - 1) });
  upsert(NEW, { fields: filled(CONTACT_MAX_BYTES) });
  const message =
    'Nome, e-mail, etiquetas e campos de um contato podem ter juntos ' +
    'no máximo 65536 bytes em UTF-8.';
  const beyond = [{ path: 'fields', message }];
  assert.deepEqual(problems(NEW, { fields: filled(CONTACT_MAX_BYTES + 1) }), beyond);
  const known = upsert(NEW, { fields: { f: 'é'.repeat(CONTACT_MAX_BYTES / 2 - 3) } }).accepted;
  const full = upsert(known, { name: 'Ana', tags: ['vi'] }).accepted;
  for (const change of [{ tags: ['x'] }, { fields: { x: '' } }, { email: 'a@b.co' }]) {
    assert.deepEqual(problems(full, change), beyond, JSON.stringify(change));
  }
  upsert(full, { untags: ['vi'], tags: ['ou'] });
});

test('decisions, D123: a larger contact of earlier takes what does not make it grow', () => {
  const earlier = {
    ...upsert(NEW, {}).accepted,
    name: 'Ana',
    fields: { ['n'.repeat(950_000)]: 'x' },
  };
  assert.equal(upsert(earlier, { optIn: false, name: 'An' }).optedOut, true);
  problems(earlier, { tags: ['x'] });
});

test('decisions, D123: a profile name is cut at its bound, and left out where there is no room', () => {
  const known = upsert(NEW, { profileName: '😀'.repeat(200) }).accepted;
  assert.equal(known.name, '😀'.repeat(CONTACT_NAME_MAX_CHARS));
  for (const [bytesLeft, name] of [
    [4, 'Zoé'],
    [3, null],
  ] as const) {
    const fields = { f: 'x'.repeat(CONTACT_MAX_BYTES - bytesLeft - 1) };
    const { accepted } = upsert(NEW, { fields, profileName: 'Zoé' });
    assert.equal(accepted.name, name, `${bytesLeft} bytes are left`);
  }
});

test('decisions, Behaviour: a profile name fills an empty name, never overwrites one', () => {
  const named = upsert(upsert(NEW, {}).accepted, { profileName: 'Mari' });
  assert.deepEqual([named.accepted.name, named.unchanged], ['Mari', false]);
  const kept = upsert(named.accepted, { profileName: 'Outra' });
  assert.deepEqual([kept.accepted.name, kept.unchanged], ['Mari', true]);
});

test('a profile name loses the control characters that the network passed on', () => {
  assert.equal(upsert(NEW, { profileName: 'Zo\u202eé\u001b[2J\n' }).accepted.name, 'Zoé[2J');
  assert.equal(upsert(NEW, { profileName: '\u2066\u200e' }).accepted.name, null);
});

test('section 6: an opt-out is told once while it is in force', () => {
  const out = upsert(NEW, { optIn: false });
  assert.equal(out.optedOut, true);
  const again = upsert(out.accepted, { optIn: false }, NOW + 5);
  assert.deepEqual([again.optedOut, again.accepted.optOutAt], [false, NOW + 5]);
  const back = upsert(again.accepted, { optIn: true }, NOW + 6);
  assert.deepEqual([back.accepted.optIn, back.accepted.optInAt], [true, NOW + 6]);
  assert.equal(upsert(back.accepted, { optIn: false }, NOW + 7).optedOut, true);
});

test('an opt-out is a run’s own until anybody repeats it, and never of one who repeats', () => {
  const by = (runId: string) => ({ optIn: false, runId });
  const out = upsert(NEW, by('run_1'));
  assert.equal(out.accepted.optOutRunId, 'run_1');
  assert.equal(upsert(out.accepted, { tags: ['a'] }).accepted.optOutRunId, 'run_1');
  for (const again of [{ optIn: false }, { optIn: true }, by('run_1'), by('run_2')]) {
    assert.equal(upsert(out.accepted, again).accepted.optOutRunId, null);
  }
  const other = upsert(upsert(NEW, { optIn: false }).accepted, by('run_1'));
  assert.equal(other.accepted.optOutRunId ?? null, null);
  const back = upsert(upsert(out.accepted, { optIn: true }).accepted, by('run_2'));
  assert.equal(back.accepted.optOutRunId, 'run_2');
});

test('decisions, Contacts: source tells where opt-in or opt-out was last recorded', () => {
  const known = upsert(NEW, { name: 'M' }).accepted;
  assert.equal(known.source, 'api');
  const out = apply(known, { source: 'contact', optIn: false }).accepted;
  assert.equal(out.source, 'contact');
  assert.equal(upsert(out, { name: 'N' }).accepted.source, 'contact');
});

test('the newest changes of opt-in are kept in its history, and no repeat', () => {
  const twice = upsert(upsert(NEW, { optIn: true }).accepted, { optIn: true }).accepted;
  assert.equal(twice.optInHistory?.length, 1);
  let state = NEW;
  for (let n = 0; n < OPT_IN_HISTORY_MAX + 10; n++) {
    for (const at of [2 * n, 2 * n + 1]) {
      state = upsert(state, { optIn: n % 2 === 0 }, NOW + at).accepted;
    }
  }
  const history = state.optInHistory ?? [];
  assert.equal(history.length, OPT_IN_HISTORY_MAX);
  const at = NOW + 2 * (OPT_IN_HISTORY_MAX + 9);
  assert.deepEqual(history.at(-1), { at, optIn: false, source: 'api' });
  assert.ok(history.every(({ optIn }, place) => optIn !== history[place + 1]?.optIn));
});

describe('the opt-in history of two contacts', () => {
  const at = (minute: number) =>
    ({ at: NOW + 60_000 * minute, optIn: minute % 2 === 0, source: 'api' }) as const;

  it('has the records of both in the order of their times', () => {
    const history = historyOf([at(1), at(4), at(5)], [at(0), at(2), at(3), at(6)]);
    assert.deepEqual(history, { optInHistory: [0, 1, 2, 3, 4, 5, 6].map(at) });
  });

  it('has the newest of both, whichever has them', () => {
    const minutes = Array.from({ length: OPT_IN_HISTORY_MAX + 2 }, (_, minute) => minute);
    const records = minutes.map(at);
    const newest = { optInHistory: records.slice(2) };
    assert.deepEqual(historyOf(records.slice(30), records.slice(0, 30)), newest);
    assert.deepEqual(historyOf(records.slice(0, 30), records.slice(30)), newest);
  });

  it('is absent where there is none', () => {
    assert.deepEqual(historyOf(), {});
    assert.deepEqual(historyOf([], []), {});
    assert.deepEqual(historyOf([at(1)]), { optInHistory: [at(1)] });
  });
});

const forAll = withRuns(3_000);
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

const fold = (tag: string): string => tag.toLowerCase();

test('decisions, Contacts: an upsert never removes a tag or a field, and has each tag once', () => {
  forAll([changesArb], (changes) => {
    changes.reduce((state, change) => {
      const after = apply(state, change).accepted;
      assert.deepEqual(after.tags.slice(0, state.tags.length), state.tags);
      assert.equal(new Set(after.tags.map(fold)).size, after.tags.length);
      for (const tag of change.tags ?? []) assert.ok(after.tags.map(fold).includes(fold(tag)));
      for (const key of Object.keys(state.fields)) assert.ok(key in after.fields);
      assert.equal(after.phone, state.phone);
      assert.equal(after.version, state.version + 1);
      return after;
    }, NEW);
  });
});

test('section 6: contact.opt_out is told at each step into opt-out and at no other', () => {
  forAll([changesArb], (changes) => {
    let state = NEW;
    let out = false;
    for (const change of changes) {
      const decision = apply(state, change);
      assert.equal(decision.optedOut, change.optIn === false && !out);
      if (change.optIn !== undefined) out = !change.optIn;
      state = decision.accepted;
      assert.equal(!state.optIn && state.optOutAt !== null, out);
    }
  });
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
    changes.reduce((state, change) => apply(state, change).accepted, NEW);
  forAll([shuffled], ([one, other]) => {
    assert.deepEqual(all(other), all(one));
  });
});

test('section 4: saying the same again changes nothing but times and version', () => {
  forAll([changesArb, changeArb], (changes, change) => {
    const known = changes.reduce((state, each) => apply(state, each).accepted, NEW);
    const once = apply(known, change);
    const twice = apply(once.accepted, change);
    const { version: _, ...rest } = twice.accepted;
    const { version: __, ...before } = once.accepted;
    assert.deepEqual(rest, before);
    assert.deepEqual(twice.newTags, []);
    assert.equal(twice.optedOut, false);
  });
});

test('time goes forward, also when the clock goes back', () => {
  forAll([fc.array(fc.tuple(changeArb, fc.integer({ min: -60_000, max: 60_000 })))], (steps) => {
    steps.reduce((state, [change, offset]) => {
      const after = apply(state, change, NOW + offset).accepted;
      assert.ok(after.updatedAt >= state.updatedAt);
      assert.equal(after.createdAt, state.createdAt);
      return after;
    }, NEW);
  });
});
