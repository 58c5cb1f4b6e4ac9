/**
 * Decisions about a passphrase by its proof (D315).
 *
 * 1. The mailbox is proven by a mailed link, or by the present passphrase that has this proof. Such a
 *    passphrase signs in everywhere.
 * 2. The link of an organization proves that organization's word alone: its member list may name
 *    anyone's e-mail. Such a passphrase signs in there, and only while the person is a member of no
 *    other. It replaces none that signs in anywhere.
 */

import { SENTENCES } from '../../shared/api/sentences.ts';
import { type Failure, failure, invalid } from '../../shared/failures.ts';
import type { HashParameters, Membership, SignInWay } from '../../shared/wire/person-commands.ts';

/** Where a link, a ticket or a passphrase signs in; null: at any organization of the e-mail. */
export type Target = { readonly orgId: string; readonly memberId: string } | null;

export type PassphraseProof =
  | { readonly by: 'mailbox' }
  | { readonly by: 'link'; readonly orgId: string };

export interface Passphrase extends HashParameters {
  /** Digest of the hash. */
  readonly proof: string;
  /** Absent in one of an earlier version, which did not say. */
  readonly provenBy?: PassphraseProof;
}

export type MembershipRefs = readonly Pick<Membership, 'orgId' | 'memberId'>[];

/** Where a passphrase of that proof signs in; null: nowhere. */
export function signInTarget(
  provenBy: PassphraseProof | null,
  memberships: MembershipRefs,
): { readonly to: Target } | null {
  if (provenBy?.by === 'mailbox') return { to: null };
  const [first] = memberships;
  if (!provenBy || !first || !areOf(memberships, provenBy.orgId)) return null;
  return { to: { orgId: first.orgId, memberId: first.memberId } };
}

function areOf(memberships: MembershipRefs, orgId: string): boolean {
  return memberships.every((each) => each.orgId === orgId);
}

export interface Setting {
  /** Of the present passphrase, where it signs in anywhere. */
  readonly present: PassphraseProof | null;
  /** The present one was given. */
  readonly isCurrent: boolean;
  /** The session that sets it: how it began, and whether a link still would be good. */
  readonly session: { readonly orgId: string; readonly way: SignInWay; readonly isFresh: boolean };
  readonly memberships: MembershipRefs;
}

const BY_MAIL_ONLY =
  'Sua senha só pode ser definida por um link do seu e-mail. Saia e use “Receber um link”.';

/** Proof of the new passphrase, or the refusal. */
export function proofOfNew({
  present,
  isCurrent,
  session,
  memberships,
}: Setting): PassphraseProof | Failure {
  const { orgId, way, isFresh } = session;
  if (way === 'mail' && (isFresh || !present)) return { by: 'mailbox' };
  if (present) {
    return isCurrent ? present : invalid({ path: 'current', message: SENTENCES.required });
  }
  return areOf(memberships, orgId) ? { by: 'link', orgId } : failure('not_allowed', BY_MAIL_ONLY);
}
