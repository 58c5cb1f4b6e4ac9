import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type ContactChange,
  type ContactState,
  decideUpsert,
  newContact,
} from '../../../../actors/domain/contact.ts';
import { isOptOutWord } from '../../../../actors/domain/network-message.ts';
import {
  CONTACT_FIELDS_MAX,
  CONTACT_MAX_BYTES,
  CONTACT_NAME_MAX_CHARS,
  OPT_IN_HISTORY_MAX,
} from '../../../../shared/limits.ts';

const NOW = Date.UTC(2026, 4, 4, 12, 0, 0);
const identity = { id: 'ctc_1', orgId: 'org_1', phone: '5511987654321', source: 'api' } as const;

function upsert(state: ContactState, change: Omit<ContactChange, 'source'>, now = NOW) {
  const decision = decideUpsert(state, { source: 'api', ...change }, now);
  assert.ok('accepted' in decision);
  return decision;
}

test('section 4: a first upsert creates, a second one does not', () => {
  const first = upsert(newContact(identity, NOW), { name: 'Maria' });
  assert.equal(first.created, true);
  assert.equal(first.accepted.version, 1);
  const second = upsert(first.accepted, { name: 'Maria' }, NOW + 5);
  assert.equal(second.created, false);
  assert.equal(second.accepted.updatedAt, NOW + 5);
  assert.equal(second.accepted.createdAt, NOW);
});

test('section 4: an empty e-mail clears, an absent one stays', () => {
  const known = upsert(newContact(identity, NOW), { email: 'maria@example.com' }).accepted;
  assert.equal(upsert(known, { name: 'M' }).accepted.email, 'maria@example.com');
  assert.equal(upsert(known, { email: '' }).accepted.email, null);
});

test('decisions, Contacts: tags are compared whatever their case and kept as first written', () => {
  const known = upsert(newContact(identity, NOW), { tags: ['VIP', 'vip', 'Ação'] });
  assert.deepEqual(known.accepted.tags, ['VIP', 'Ação']);
  const again = upsert(known.accepted, { tags: ['AÇÃO', 'novo'] });
  assert.deepEqual(again.accepted.tags, ['VIP', 'Ação', 'novo']);
  assert.deepEqual(again.newTags, ['novo']);
});

test('decisions, Shapes: a contact holds up to 200 fields', () => {
  const fields = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`f${index}`, 'x']));
  const full = upsert(newContact(identity, NOW), { fields: fields(CONTACT_FIELDS_MAX) }).accepted;
  upsert(full, { fields: { f0: 'y' } });
  const beyond = decideUpsert(full, { source: 'api', fields: { more: 'x' } }, NOW);
  assert.ok('refused' in beyond);
  assert.deepEqual(
    beyond.refused.issues?.map(({ path }) => path),
    ['fields'],
  );
});

test('decisions, D123: no change makes a contact grow beyond 64 KiB', () => {
  const room = (bytes: number) => ({ f: 'é'.repeat(bytes / 2) });
  const known = upsert(newContact(identity, NOW), { fields: room(CONTACT_MAX_BYTES - 6) }).accepted;
  const full = upsert(known, { name: 'Ana', tags: ['vip'.slice(0, 2)] }).accepted;
  for (const change of [{ tags: ['x'] }, { fields: { x: '' } }, { email: 'a@b.co' }]) {
    const beyond = decideUpsert(full, { source: 'api', ...change }, NOW);
    assert.ok('refused' in beyond, JSON.stringify(change));
    assert.deepEqual(
      beyond.refused.issues?.map(({ path }) => path),
      ['fields'],
    );
  }
  upsert(full, { untags: ['vi'], tags: ['ouro'.slice(0, 2)] });
});

test('decisions, D123: a larger contact of earlier takes what does not make it grow', () => {
  const fields = { ['n'.repeat(950_000)]: 'x' };
  const earlier = { ...upsert(newContact(identity, NOW), {}).accepted, name: 'Ana', fields };
  const out = upsert(earlier, { optIn: false, name: 'An' });
  assert.equal(out.optedOut, true);
  assert.ok('refused' in decideUpsert(earlier, { source: 'api', tags: ['x'] }, NOW));
});

test('decisions, D123: a name of the profile is cut, and left out where there is no room', () => {
  const known = upsert(newContact(identity, NOW), { profileName: '😀'.repeat(200) }).accepted;
  assert.equal(known.name, '😀'.repeat(CONTACT_NAME_MAX_CHARS));
  const fields = { f: 'x'.repeat(CONTACT_MAX_BYTES - 2) };
  const full = upsert(newContact(identity, NOW), { fields }).accepted;
  assert.equal(upsert(full, { profileName: 'Ana' }).accepted.name, null);
});

test('section 6: an opt-out is told once while it is in force', () => {
  const out = upsert(newContact(identity, NOW), { optIn: false });
  assert.equal(out.optedOut, true);
  const again = upsert(out.accepted, { optIn: false }, NOW + 5);
  assert.equal(again.optedOut, false);
  assert.equal(again.accepted.optOutAt, NOW + 5);
  const back = upsert(again.accepted, { optIn: true }, NOW + 6);
  assert.equal(back.accepted.optIn, true);
  assert.equal(back.accepted.optInAt, NOW + 6);
  assert.equal(upsert(back.accepted, { optIn: false }, NOW + 7).optedOut, true);
});

test('decisions, Contacts: source tells where opt-in or opt-out was last recorded', () => {
  const known = upsert(newContact(identity, NOW), { name: 'M' }).accepted;
  assert.equal(known.source, 'api');
  const decision = decideUpsert(known, { source: 'contact', optIn: false }, NOW);
  assert.ok('accepted' in decision);
  assert.equal(decision.accepted.source, 'contact');
  const named = decideUpsert(decision.accepted, { source: 'api', name: 'N' }, NOW);
  assert.ok('accepted' in named);
  assert.equal(named.accepted.source, 'contact');
});

test('decisions, Behaviour: a profile name fills an empty name, never overwrites one', () => {
  const unnamed = upsert(newContact(identity, NOW), {}).accepted;
  const named = upsert(unnamed, { profileName: 'Mari' });
  assert.equal(named.accepted.name, 'Mari');
  assert.equal(named.unchanged, false);
  const kept = upsert(named.accepted, { profileName: 'Outra' });
  assert.equal(kept.accepted.name, 'Mari');
  assert.equal(kept.unchanged, true);
});

test('decisions, Behaviour: one word alone opts out, whatever its case', () => {
  for (const word of ['SAIR', 'sair', ' Parar ', 'cancelar', 'stop']) {
    assert.equal(isOptOutWord(word), true, word);
  }
  for (const text of ['quero sair', 'SAIR!', 'sai', '', null]) {
    assert.equal(isOptOutWord(text), false, String(text));
  }
});

test('a new contact has said nothing', () => {
  const identity = { id: 'ctc_1', orgId: 'org_1', phone: '5511987654321', source: 'api' } as const;
  assert.deepEqual(newContact(identity, NOW), {
    ...{ ...identity, name: null, email: null, fields: {}, tags: [] },
    ...{ optIn: false, optInAt: null, optOutAt: null, createdAt: NOW, updatedAt: NOW, version: 0 },
  });
});

test('an upsert that names nothing is unchanged; one that says the same again touches', () => {
  const made = decideUpsert(
    newContact({ id: 'c', orgId: 'o', phone: '1', source: 'api' }, NOW),
    { source: 'api' },
    NOW,
  );
  assert.ok('accepted' in made && made.created && !made.unchanged);
  const known = { ...made.accepted, name: 'Ana' };
  const unchanged = (change: object) => {
    const decision = decideUpsert(known, { source: 'api', ...change }, NOW);
    assert.ok('accepted' in decision);
    return decision.unchanged;
  };
  assert.equal(unchanged({}), true);
  assert.equal(unchanged({ profileName: 'Outra' }), true);
  for (const change of [
    { name: 'Ana' },
    { email: '' },
    { fields: {} },
    { tags: [] },
    { optIn: false },
  ]) {
    assert.equal(unchanged(change), false, JSON.stringify(change));
  }
});

test('tags are taken away whatever their case, the others stay in their order', () => {
  const state = {
    ...newContact({ id: 'c', orgId: 'o', phone: '1', source: 'api' }, NOW),
    version: 1,
  };
  const tagged = { ...state, tags: ['VIP', 'Novo', 'Lead'] };
  const decision = decideUpsert(tagged, { source: 'api', untags: ['novo', 'x'] }, NOW);
  assert.ok('accepted' in decision);
  assert.deepEqual(decision.accepted.tags, ['VIP', 'Lead']);
});

test('decisions, Shapes: one field too many is refused at `fields`, in Portuguese', () => {
  const fields = Object.fromEntries(Array.from({ length: 201 }, (_, n) => [`f${n}`, 'x']));
  const decision = decideUpsert(
    newContact({ id: 'c', orgId: 'o', phone: '1', source: 'api' }, NOW),
    { source: 'api', fields },
    NOW,
  );
  assert.ok('refused' in decision);
  const message = 'Um contato pode ter no máximo 200 campos.';
  assert.deepEqual(decision.refused.issues, [{ path: 'fields', message }]);
});

test('the newest changes of opt-in are kept, and no repeat', () => {
  let state = newContact(identity, NOW);
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
