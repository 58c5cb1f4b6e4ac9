/**
 * The proof of a passphrase that an earlier version has stored without one: the organization in
 * whose session it was set, by that organization's audit log. It counts where no other organization
 * has ever named the e-mail. Else it signs in nowhere, and a mailed link leads to a new one (D316).
 */
import type { PassphraseProof } from '../domain/passphrase.ts';
import type { Environment } from '../environment.ts';

export async function proofOfEarlier(
  { store }: Pick<Environment, 'store'>,
  personId: string,
): Promise<PassphraseProof | null> {
  // Removed and disabled members, too: their organization may have set it.
  const named = { 'members.person': personId };
  const found = await store.find('organizations', named, { project: { _id: 1 }, limit: 2 });
  const [only, ...others] = found;
  if (!only || others.length > 0) return null;
  const ofPerson = { 'subject.id': personId, 'by.operation': 'setPassphrase' };
  const newest = { sort: { at: -1 }, limit: 1 } as const;
  const [entry] = await store.find('audit', { orgId: only._id, ...ofPerson }, newest);
  // Set from a session of another organization, the entry names no session.
  return entry?.by.sessionId ? { by: 'link', orgId: only._id } : null;
}
