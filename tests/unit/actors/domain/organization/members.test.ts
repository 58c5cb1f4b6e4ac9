import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  accessChanges,
  decideMember,
  lastAdmins,
  memberRow,
  withPersons,
} from '../../../../../actors/domain/organization/members.ts';
import {
  isActive,
  type MemberEntry,
  type OrganizationState,
  roleOf,
} from '../../../../../actors/domain/organization.ts';
import { personId } from '../../../../../shared/entity-ids.ts';
import { INVITATIONS_PER_DAY, MEMBERS_MAX_PER_ORGANIZATION } from '../../../../../shared/limits.ts';
import type { MemberCommand } from '../../../../../shared/provisioning/commands.ts';
import { MEMBER_ROLES } from '../../../../../shared/vocabulary.ts';
import {
  applied,
  contextAt,
  NOW,
  named,
  problemsOf,
} from '../../../../support/actors/domain/organization-fixture.ts';
import { forAll } from '../../../../support/property.ts';
import { ANA } from './acting-person-fixture.ts';

const LATER = NOW + 5_000;
const DAY_MS = 24 * 60 * 60 * 1000;
const context = contextAt(LATER);
const { ids } = context;

const member = (ref: string, more: object = {}) => ({
  ...{ ref, name: ref, email: `${ref}@example.com` },
  ...more,
});

/** One admin, two attendants. */
function team(): OrganizationState {
  const members = [member('ana', { role: 'admin' }), member('bia'), member('caio')];
  return applied({ ref: 'loja', name: 'Loja', members });
}

/** The organization after the order; fails where nothing changes. */
function after(state: OrganizationState, command: MemberCommand): OrganizationState {
  const { next } = decideMember(state, command, context);
  assert.ok(next, 'changes something');
  return next;
}

/** Status and body of a refusal. */
function refusal(state: OrganizationState, command: MemberCommand): readonly unknown[] {
  const { status, body, next } = decideMember(state, command, context);
  assert.equal(next, null);
  return [status, body];
}

const access = (of: string, disabled: boolean): MemberCommand => {
  return { id: 'cmd_1', type: 'members.disable', member: of, disabled };
};
const role = (of: string, wanted: 'admin' | 'attendant' | 'viewer'): MemberCommand => {
  return { id: 'cmd_1', type: 'members.role', member: of, role: wanted };
};
const invitation = (more: object = {}): MemberCommand => ({
  ...{ id: 'mbr_cmd', type: 'members.invite', name: 'Gil', email: 'gil@example.com' },
  ...{ role: 'viewer', ...more },
});

const NOT_FOUND = [404, { error: 'Membro não encontrado.' }];
const EXISTS = [409, { error: 'Já existe um membro com este e-mail.' }];

describe('an order about a member', () => {
  it('names it by its ref, or else by its id', () => {
    const state = team();
    const [ana, bia, caio] = state.members;
    assert.ok(ana && bia && caio);
    const wanted = { ...bia, role: 'viewer' };
    for (const name of ['bia', bia.id]) {
      assert.deepEqual(after(state, role(name, 'viewer')).members, [ana, wanted, caio]);
    }
    const confusing = { ...state, members: [{ ...ana, id: 'bia' }, bia, caio] };
    const { members } = after(confusing, role('bia', 'viewer'));
    assert.deepEqual(members, [confusing.members[0], wanted, caio]);
  });

  it('finds no member that is not there, and none that was removed', () => {
    const state = team();
    const gone = applied({ ref: 'loja', members: [{ ref: 'bia', remove: true }] }, state);
    assert.deepEqual(refusal(state, role('gil', 'viewer')), NOT_FOUND);
    assert.deepEqual(refusal(gone, role('bia', 'viewer')), NOT_FOUND);
    assert.deepEqual(refusal(gone, access(named(gone.members, 'bia').id, true)), NOT_FOUND);
  });

  it('answers the member as it is then, one version further', () => {
    const state = team();
    const { id } = named(state.members, 'bia');
    const row = { id, ref: 'bia', name: 'bia', email: 'bia@example.com' };
    const viewer = decideMember(state, role('bia', 'viewer'), context);
    const body = { data: { ...row, role: 'viewer', disabled: false } };
    assert.deepEqual([viewer.status, viewer.body], [200, body]);
    assert.equal(viewer.next?.version, state.version + 1);
    const off = decideMember(state, access('bia', true), context);
    const disabled = { data: { ...row, role: 'attendant', disabled: true } };
    assert.deepEqual([off.status, off.body], [200, disabled]);
    assert.equal(off.next?.version, state.version + 1);
    const same = decideMember(state, role('bia', 'attendant'), context);
    const unchanged = { data: { ...row, role: 'attendant', disabled: false } };
    assert.deepEqual(same, { status: 200, body: unchanged, next: null });
  });

  it('takes access away from a moment on, and gives it back', () => {
    const state = team();
    const bia = named(state.members, 'bia');
    const off = after(state, access('bia', true));
    assert.deepEqual(named(off.members, 'bia'), { ...bia, disabledAt: LATER });
    assert.equal(memberRow(named(off.members, 'bia')).disabled, true);
    const on = after(off, access('bia', false));
    assert.deepEqual(named(on.members, 'bia'), bia);
    assert.equal(memberRow(named(on.members, 'bia')).disabled, false);
    assert.equal(decideMember(state, access('bia', false), context).next, null);
    assert.equal(decideMember(off, access('bia', true), context).next, null);
  });

  it('keeps the moment of a disabled member whose role changes', () => {
    const off = after(team(), access('bia', true));
    const viewer = after(off, role('bia', 'viewer'));
    assert.equal(named(viewer.members, 'bia').disabledAt, LATER);
  });

  it('gives no access back to an e-mail that another active member has', () => {
    const off = after(team(), access('bia', true));
    const taken = after(off, invitation({ email: 'BIA@example.com' }));
    assert.deepEqual(refusal(taken, access('bia', false)), EXISTS);
    assert.equal(after(taken, role('bia', 'viewer')).members.length, 4);
    const free = after(taken, access('mbr_cmd', true));
    assert.equal(after(free, access('bia', false)).members.length, 4);
  });

  it('leaves the last admin', () => {
    const error = 'Este é o último administrador da organização e não pode perder o acesso.';
    for (const order of [role('ana', 'viewer'), access('ana', true)]) {
      assert.deepEqual(refusal(team(), order), [409, { error }]);
      after(after(team(), role('bia', 'admin')), order);
    }
  });

  it('of a person tells in the audit log which member, role and access it was', () => {
    const [{ id } = { id: '' }] = team().members.slice(1);
    const rows = [
      [role('bia', 'viewer'), id, { role: 'viewer', disabled: 'false' }],
      [access('bia', true), id, { role: 'attendant', disabled: 'true' }],
      [
        invitation(),
        ids.derive('mbr', team().id, 'mbr_cmd'),
        { role: 'viewer', disabled: 'false' },
      ],
    ] as const;
    const unsigned = decideMember(team(), role('bia', 'viewer'), context).next;
    assert.equal(unsigned?.audit, undefined);
    for (const [order, of, details] of rows) {
      const { next } = decideMember(team(), order, { ...context, by: ANA });
      const entries = next?.audit?.map(({ id: _, ...entry }) => entry);
      const subject = { kind: 'member', id: of };
      assert.deepEqual(entries, [{ at: LATER, by: ANA, subject, details }]);
    }
  });
});

describe('an invitation', () => {
  it('adds a member beside the others, one version further', () => {
    const state = team();
    const { status, body, next } = decideMember(state, invitation(), context);
    const [added] = next?.members.slice(3) ?? [];
    const { id = '' } = added ?? {};
    const row = { id, ref: 'mbr_cmd', name: 'Gil', email: 'gil@example.com', role: 'viewer' };
    const person = personId(ids, { id, orgId: state.id, email: 'gil@example.com' });
    assert.deepEqual(added, { ...row, person });
    assert.deepEqual([status, body], [201, { data: { ...row, disabled: false } }]);
    assert.deepEqual(next?.members.slice(0, 3), state.members);
    assert.equal(next?.version, state.version + 1);
    assert.equal(after(state, invitation({ ref: 'gil' })).members[3]?.ref, 'gil');
  });

  it('asked again tells the member as it is, and changes nothing', () => {
    const state = after(after(team(), invitation({ ref: 'gil' })), role('gil', 'admin'));
    const again = decideMember(state, invitation({ ref: 'gil', name: 'Gilberto' }), context);
    const { id } = named(state.members, 'gil');
    const row = { id, ref: 'gil', name: 'Gil', email: 'gil@example.com', role: 'admin' };
    const body = { data: { ...row, disabled: false } };
    assert.deepEqual(again, { status: 200, body, next: null });
  });

  it('is refused for the ref or the e-mail of another active member', () => {
    assert.deepEqual(refusal(team(), invitation({ ref: 'bia' })), EXISTS);
    assert.deepEqual(refusal(team(), invitation({ email: 'Bia@Example.com' })), EXISTS);
  });

  it('takes the place of a member that was removed or disabled, under its id', () => {
    const gone = applied({ ref: 'loja', members: [{ ref: 'bia', remove: true }] }, team());
    for (const state of [gone, after(team(), access('bia', true))]) {
      const [ana, bia, caio] = state.members;
      const { members } = after(state, invitation({ ref: 'bia', email: 'outra@example.com' }));
      const { id, person, ...entry } = members[2] ?? {};
      assert.deepEqual(members.slice(0, 2), [ana, caio]);
      assert.deepEqual([members.length, id], [3, bia?.id]);
      assert.deepEqual(entry, {
        ...{ ref: 'bia', name: 'Gil', email: 'outra@example.com', role: 'viewer' },
      });
      assert.notEqual(person, bia?.person);
    }
  });
});

describe('bounds of a team', () => {
  const crowd = (count: number) => Array.from({ length: count }, (_, at) => member(`m${at}`));
  /** An earlier version has stored more than a file may add. */
  const stored = (count: number): OrganizationState => {
    const state = applied({ ref: 'loja', name: 'Loja', members: crowd(1) });
    const [first] = state.members;
    assert.ok(first);
    const members = crowd(count).map((each) => ({ ...first, ...each, id: `mbr_${each.ref}` }));
    return { ...state, members: members.map((each) => ({ ...each, person: `prs_${each.ref}` })) };
  };
  const file = (members: readonly object[]) => ({ ref: 'loja', members });
  const FULL = MEMBERS_MAX_PER_ORGANIZATION;

  it('is 500 members: a file and an invitation add none beyond them', () => {
    assert.deepEqual(problemsOf({ ...file(crowd(FULL)), name: 'Loja' }), []);
    const beyond = problemsOf({ ...file(crowd(FULL + 1)), name: 'Loja' });
    assert.deepEqual(beyond, ['members are 500 at most']);
    assert.deepEqual(problemsOf(file([member('new')]), stored(FULL)), ['members are 500 at most']);
    assert.equal(decideMember(stored(FULL - 1), invitation(), context).status, 201);
    assert.equal(decideMember(stored(FULL), invitation(), context).status, 409);
  });

  it('lets a larger team of earlier change, shrink and replace, and not grow', () => {
    const large = stored(FULL + 20);
    const gone = { ref: 'm1', remove: true };
    assert.deepEqual(problemsOf(file([{ ref: 'm1', name: 'Outra' }]), large), []);
    assert.deepEqual(problemsOf(file([gone]), large), []);
    assert.deepEqual(problemsOf(file([gone, member('new')]), large), []);
    assert.equal(problemsOf(file([member('new')]), large).length, 1);
    const off = after(large, access('m1', true));
    assert.equal(decideMember(off, invitation({ ref: 'm1' }), context).status, 201);
  });

  it('is 50 invitations within any day, repeated ones among them', () => {
    const at = (now: number) => contextAt(now);
    let state = team();
    for (let made = 0; made < INVITATIONS_PER_DAY; made++) {
      const command = invitation({ id: `cmd_${made}`, ref: 'gil' });
      const { next } = decideMember(state, command, at(LATER + made));
      assert.ok(next, `${made} is counted`);
      assert.equal(decideMember(next, command, at(LATER + made)).next, null, 'its repeat is not');
      state = next;
    }
    const more = (id: string, now: number) => {
      const others = { id, ref: id, email: `${id}@example.com` };
      return [{ id, ref: 'gil' }, others].map(
        (which) => decideMember(state, invitation(which), at(now)).status,
      );
    };
    assert.deepEqual(more('new', LATER + 1_000), [429, 429]);
    assert.deepEqual(more('late', LATER + DAY_MS - 1), [429, 429]);
    assert.deepEqual(more('next', LATER + DAY_MS), [200, 201]);
    assert.equal(state.invitations?.length, INVITATIONS_PER_DAY);
  });

  it('of an invited member are those of a file: a name on one line, a real e-mail', () => {
    const paths = (more: object) => {
      const { status, body } = decideMember(team(), invitation(more), context);
      return [
        status,
        ...(body as { problems: { path: string }[] }).problems.map(({ path }) => path),
      ];
    };
    assert.deepEqual(paths({ name: 'Gil\u001b[2J' }), [422, 'name']);
    assert.deepEqual(paths({ name: ' ', email: 'gil' }), [422, 'name', 'email']);
  });
});

describe('members that an earlier version has stored', () => {
  const person = (state: OrganizationState, ref: string) =>
    personId(ids, { ...named(state.members, ref), orgId: state.id });
  const without = (state: OrganizationState, ...refs: readonly string[]) => ({
    ...state,
    members: state.members.map(({ person, ...entry }) =>
      refs.includes(entry.ref) || person === undefined ? entry : { ...entry, person },
    ),
  });

  it('get their persons, one version further', () => {
    const state = team();
    const all = ['ana', 'bia', 'caio'];
    for (const refs of [all, ['bia'], ['ana', 'caio']]) {
      const next = withPersons(without(state, ...refs), ids);
      assert.deepEqual(next, { ...state, version: state.version + 1 });
    }
    assert.equal(named(state.members, 'bia').person, person(state, 'bia'));
  });

  it('keep a person that they have; with all of them the state is the same', () => {
    const state = team();
    assert.equal(withPersons(state, ids), state);
    const kept = state.members.map((each) => ({ ...each, person: `prs_${each.ref}` }));
    const some = without({ ...state, members: kept }, 'bia');
    const [ana, bia, caio] = withPersons(some, ids).members;
    const persons = [ana?.person, bia?.person, caio?.person];
    assert.deepEqual(persons, ['prs_ana', person(state, 'bia'), 'prs_caio']);
  });
});

const ADMINS = applied({
  ...{ ref: 'loja', name: 'Loja' },
  members: ['ana', 'bia', 'caio'].map((ref) => member(ref, { role: 'admin' })),
});
const refArb = fc.constantFrom('ana', 'bia', 'caio');
const command: fc.Arbitrary<MemberCommand> = fc.oneof(
  fc.tuple(refArb, fc.constantFrom(...MEMBER_ROLES)).map(([of, wanted]) => role(of, wanted)),
  fc.tuple(refArb, fc.boolean()).map(([of, disabled]) => access(of, disabled)),
);

function admins(members: readonly MemberEntry[]): number {
  return members.filter((member) => isActive(member) && roleOf(member) === 'admin').length;
}

describe('members', () => {
  it('always have an admin that is active, whatever is asked', () => {
    forAll([fc.array(command, { maxLength: 30 })], (commands) => {
      let now = ADMINS;
      for (const each of commands) {
        const { status, next } = decideMember(now, each, context);
        assert.ok([200, 409].includes(status));
        if (status === 409) assert.equal(next, null);
        now = next ?? now;
        assert.ok(admins(now.members) >= 1);
      }
    });
  });

  it('lose their sessions with each change of access, and with no other', () => {
    forAll([command], (each) => {
      const { next } = decideMember(ADMINS, each, context);
      const changed = accessChanges(ADMINS.members, next?.members ?? ADMINS.members);
      assert.equal(changed.length > 0, next !== null && each.type === 'members.disable');
    });
  });

  it('a change that is so already, or asked again, changes nothing', () => {
    forAll([command], (each) => {
      const { next } = decideMember(ADMINS, each, context);
      if (next) assert.equal(decideMember(next, each, context).next, null);
    });
  });

  it('of an organization without an admin may stay so', () => {
    assert.deepEqual(lastAdmins([], []), []);
  });
});

describe('a file and the last admin (D215)', () => {
  function having(roles: Readonly<Record<string, string>>): OrganizationState {
    const members = Object.entries(roles).map(([ref, role]) => ({ ref, name: ref, role }));
    return applied({ ref: 'loja', name: 'Loja', members });
  }

  const problems = (before: OrganizationState, ...members: readonly object[]) =>
    problemsOf({ ref: 'loja', members }, before);

  const last = (place: number) => `members.${place} is the last admin, and one has to remain`;
  const removed = (ref: string) => ({ ref, remove: true });
  const demoted = (ref: string) => ({ ref, role: 'viewer' });

  it('is refused where it removes or demotes it, at its place', () => {
    const one = having({ ana: 'admin', bia: 'attendant' });
    assert.deepEqual(problems(one, removed('ana')), [last(0)]);
    assert.deepEqual(problems(one, demoted('ana')), [last(0)]);
    assert.deepEqual(problems(one, removed('bia'), demoted('ana')), [last(1)]);
    const two = having({ ana: 'admin', bia: 'admin' });
    assert.deepEqual(problems(two, removed('ana'), demoted('bia')), [last(0), last(1)]);
  });

  it('is taken where an admin remains, or comes with it', () => {
    const two = having({ ana: 'admin', bia: 'admin' });
    assert.deepEqual(problems(two, removed('ana')), []);
    const one = having({ ana: 'admin', bia: 'attendant' });
    assert.deepEqual(problems(one, { ref: 'bia', role: 'admin' }, removed('ana')), []);
    assert.deepEqual(problems(one, removed('bia'), { ref: 'ana', name: 'Ana' }), []);
  });

  it('is refused where the admin that remains is disabled, and taken where there was none', () => {
    const two = having({ ana: 'admin', bia: 'admin' });
    assert.deepEqual(problems(after(two, access('bia', true)), removed('ana')), [last(0)]);
    const none = having({ ana: 'attendant' });
    assert.deepEqual(problems(none, removed('ana')), []);
    for (const whole of [none, two]) {
      assert.equal(applied({ ref: 'loja', remove: true }, whole).removed, true);
    }
  });
});
