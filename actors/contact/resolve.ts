/** Look-up of the contact that answers for an id: reads follow signposts as commands do (D141). */
import { contactId, laterContactId } from '../../shared/entity-ids.ts';
import type { Ids } from '../../shared/ports/ids.ts';
import type { Store } from '../../shared/ports/store.ts';
import { releaseOf } from '../domain/identity.ts';
import type { ContactDocument } from './documents.ts';

/** A chain leads to ever older contacts: a longer one is a fault. */
const HOPS_MAX = 32;

export async function readContact(store: Store, id: string): Promise<ContactDocument | null> {
  let found = await store.byId<ContactDocument>('contacts', id);
  for (let hops = 0; found?.mergedInto !== undefined && hops < HOPS_MAX; hops++) {
    found = await store.byId<ContactDocument>('contacts', found.mergedInto);
  }
  return found;
}

/** The contact of a number; null where the number has none, or none any more. */
export async function readContactByPhone(
  { store, ids }: { readonly store: Store; readonly ids: Ids },
  orgId: string,
  phone: string,
): Promise<ContactDocument | null> {
  let id = contactId(ids, orgId, phone);
  for (let hops = 0; hops < HOPS_MAX; hops++) {
    const found = await store.byId<ContactDocument>('contacts', id);
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
export function anyOf(ids: readonly string[]): unknown {
  return ids.length === 1 ? ids[0] : { $in: ids };
}
