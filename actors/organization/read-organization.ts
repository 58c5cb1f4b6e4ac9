/** Reads of some properties of organizations. */

import type { Found } from '../../shared/ports/store-paths.ts';
import type { OrganizationState } from '../domain/organization.ts';
import type { FieldOf, Store } from '../model/collections.ts';
import type { OrganizationDocument } from '../model/organization.ts';
import { projectionOf } from '../runtime/computed.ts';

/** Some properties of the organization; null where there is none. */
export async function readOrganization<Name extends keyof Omit<OrganizationState, 'id'>>(
  store: Store,
  orgId: string,
  names: readonly Name[],
): Promise<Found<OrganizationDocument, Name> | null> {
  const project = projectionOf(names);
  return store.findOne('organizations', { _id: orgId }, { project });
}

const PAGE = 200;

/** Pages in the order of ids; each is read after the caller has processed the one before. */
export async function* organizationPages<At extends FieldOf<'organizations'>>(
  store: Pick<Store, 'find'>,
  project: { readonly [_ in At]: 1 },
  size = PAGE,
): AsyncGenerator<readonly Found<OrganizationDocument, At>[], undefined> {
  for (let last = ''; ; ) {
    const page = await store.find(
      'organizations',
      { _id: { $gt: last } },
      { sort: { _id: 1 }, limit: size, project },
    );
    yield page;
    const end = page.at(-1);
    if (!end || page.length < size) return;
    last = end._id;
  }
}
