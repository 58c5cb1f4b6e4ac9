/** Look-up of the contact that answers for an id. Reads follow signposts as commands do (D141). */

import { contactId, laterContactId, spelledContactIds } from '../../shared/entity-ids.ts';
import type { Ids } from '../../shared/ports/ids.ts';
import { releaseOf } from '../domain/identity.ts';
import type { Store } from '../model/collections.ts';
import type { ContactDocument } from '../model/contact.ts';

/** A chain leads to ever older contacts: a longer one is a fault. */
const HOPS_MAX = 32;

export async function readContact(store: Store, id: string): Promise<ContactDocument | null> {
  let found = await store.byId('contacts', id);
  for (let hops = 0; found?.mergedInto !== undefined && hops < HOPS_MAX; hops++) {
    found = await store.byId('contacts', found.mergedInto);
  }
  return found;
}

/** The contact of a number; null where the number has none, or none any more. */
export async function readContactByPhone(
  environment: { readonly store: Store; readonly ids: Ids },
  orgId: string,
  phone: string,
): Promise<ContactDocument | null> {
  const { ids } = environment;
  for (const id of [contactId(ids, orgId, phone), ...spelledContactIds(ids, orgId, phone)]) {
    const found = await readContactFrom(environment, { id, orgId, phone });
    if (found) return found;
  }
  return null;
}

/** The contact to which the number leads from this id. */
export async function readContactFrom(
  { store, ids }: { readonly store: Store; readonly ids: Ids },
  from: { readonly id: string; readonly orgId: string; readonly phone: string },
): Promise<ContactDocument | null> {
  const { orgId, phone } = from;
  let { id } = from;
  for (let hops = 0; hops < HOPS_MAX; hops++) {
    const found = await store.byId('contacts', id);
    if (!found) return null;
    const release = releaseOf(found, phone);
    if (release === undefined && found.mergedInto === undefined) return found;
    const later = release !== undefined && laterContactId(ids, { id, orgId }, release);
    id = later || (found.mergedInto ?? id);
  }
  return null;
}

/** Every id under which other entities may name the contact, its own first. */
export async function idsOfContact(store: Store, id: string): Promise<readonly string[]> {
  const found = await readContact(store, id);
  return found ? [found._id, ...(found.merged ?? [])] : [id];
}

/** Filter value of a list: equality with one id, or with any of several. */
export function anyOf(ids: readonly string[]): string | { readonly $in: readonly string[] } {
  const [only, ...others] = ids;
  return only !== undefined && others.length === 0 ? only : { $in: ids };
}
