/** Memberships of persons in organizations. */

import type { Membership } from '../../shared/wire/person-commands.ts';
import { isActive, type MemberEntry, roleOf } from '../domain/organization.ts';
import type { Store } from '../model/collections.ts';
import type { OrganizationDocument } from '../model/organization.ts';

/** A membership, with the member's name and address. */
export interface FoundMembership extends Membership {
  readonly memberName: string;
  readonly memberEmail: string | null;
}

const OF_MEMBERSHIP = { name: 1, members: 1, removed: 1 } as const;

const MEMBERSHIPS_MAX = 200;

type WithMembers = Pick<OrganizationDocument, '_id' | keyof typeof OF_MEMBERSHIP>;

function membershipsOf(
  { _id: orgId, name: orgName, members, removed }: WithMembers,
  isWanted: (member: MemberEntry) => boolean,
): readonly FoundMembership[] {
  if (removed === true) return [];
  return members
    .filter((member) => isActive(member) && isWanted(member))
    .map((member) => ({
      ...{ orgId, orgName, memberId: member.id },
      ...{ memberName: member.name, memberEmail: member.email },
      role: roleOf(member),
    }));
}

/** The active members that a person is, in all organizations. */
export async function findMemberships(
  store: Store,
  personId: string,
): Promise<readonly FoundMembership[]> {
  const found = await store.find(
    'organizations',
    { 'members.person': personId },
    { project: OF_MEMBERSHIP, limit: MEMBERSHIPS_MAX },
  );
  return found.flatMap((each) => membershipsOf(each, ({ person }) => person === personId));
}

/** One membership; null where the member is not active. */
export async function findMembership(
  store: Store,
  { orgId, memberId }: { readonly orgId: string; readonly memberId: string },
): Promise<FoundMembership | null> {
  const found = await store.findOne('organizations', { _id: orgId }, { project: OF_MEMBERSHIP });
  const [membership] = found ? membershipsOf(found, ({ id }) => id === memberId) : [];
  return membership ?? null;
}
