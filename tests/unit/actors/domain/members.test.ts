/** Decisions about members: roles, access, and the last admin (D215). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  accessChanges,
  decideMember,
  lastAdmins,
} from '../../../../actors/domain/organization/members.ts';
import {
  isActive,
  type MemberEntry,
  roleOf,
} from '../../../../actors/domain/organization/state.ts';
import type { MemberCommand } from '../../../../shared/provisioning/commands.ts';
import { MEMBER_ROLES } from '../../../../shared/vocabulary.ts';
import { applied, contextAt, NOW } from '../../../support/actors/domain/organization-fixture.ts';

const REFS = ['ana', 'bia', 'caio'] as const;
const state = applied({
  ref: 'loja',
  name: 'Loja',
  members: REFS.map((ref) => ({ ref, name: ref, email: `${ref}@example.com`, role: 'admin' })),
});
const context = contextAt(NOW);

const command: fc.Arbitrary<MemberCommand> = fc.oneof(
  fc.record({
    id: fc.uuid(),
    type: fc.constant('members.role' as const),
    member: fc.constantFrom(...REFS),
    role: fc.constantFrom(...MEMBER_ROLES),
  }),
  fc.record({
    id: fc.uuid(),
    type: fc.constant('members.disable' as const),
    member: fc.constantFrom(...REFS),
    disabled: fc.boolean(),
  }),
);

function admins(members: readonly MemberEntry[]): number {
  return members.filter((member) => isActive(member) && roleOf(member) === 'admin').length;
}

describe('members', () => {
  it('always have an admin that is active, whatever is asked', () => {
    fc.assert(
      fc.property(fc.array(command, { maxLength: 30 }), (commands) => {
        let now = state;
        for (const each of commands) {
          const { status, next } = decideMember(now, each, context);
          assert.ok([200, 409].includes(status));
          if (status === 409) assert.equal(next, null);
          now = next ?? now;
          assert.ok(admins(now.members) >= 1);
        }
      }),
    );
  });

  it('lose their sessions with each change of access, and with no other', () => {
    fc.assert(
      fc.property(command, (each) => {
        const { next } = decideMember(state, each, context);
        const changed = accessChanges(state.members, next?.members ?? state.members);
        assert.equal(changed.length > 0, next !== null && each.type === 'members.disable');
      }),
    );
  });

  it('a change that is so already, or asked again, changes nothing', () => {
    fc.assert(
      fc.property(command, (each) => {
        const { next } = decideMember(state, each, context);
        if (next) assert.equal(decideMember(next, each, context).next, null);
      }),
    );
  });

  it('are invited once: the e-mail is of one active member', () => {
    const invite = (id: string, email: string) =>
      ({ id, type: 'members.invite', name: 'Gil', email, role: 'viewer' }) as const;
    const first = decideMember(state, invite('mbr_1', 'gil@example.com'), context);
    assert.equal(first.status, 201);
    assert.ok(first.next);
    const again = decideMember(first.next, invite('mbr_1', 'gil@example.com'), context);
    assert.deepEqual([again.status, again.next], [200, null]);
    assert.equal(decideMember(first.next, invite('mbr_2', 'GIL@example.com'), context).status, 409);
  });

  it('of an organization without an admin may stay so', () => {
    assert.deepEqual(lastAdmins([], []), []);
  });

  it('of a person’s change have its audit entry in the state', () => {
    const by = {
      ...{ memberId: 'mbr_9', name: 'Zé', role: MEMBER_ROLES[0], sessionId: 'ses_1' },
      ...{ address: '203.0.113.1', operation: 'changeMember' },
    } as const;
    const change = { id: 'cmd_1', type: 'members.role', member: 'bia', role: 'viewer' } as const;
    const { next } = decideMember(state, change, { ...context, by });
    const [entry, ...more] = next?.audit ?? [];
    assert.equal(more.length, 0);
    assert.deepEqual(entry?.by, by);
    assert.deepEqual(entry?.details, { role: 'viewer', disabled: 'false' });
    assert.equal(decideMember(state, change, context).next?.audit, undefined);
  });
});
