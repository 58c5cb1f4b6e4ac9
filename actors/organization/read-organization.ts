/** Reads of some properties of organizations. */

import type { Document, FindOptions, Store } from '../../shared/ports/store.ts';
import type { OrganizationState } from '../domain/organization.ts';
import type { OrganizationDocument } from '../model/organization.ts';

/** Some properties of the organization; null where there is none. */
export async function readOrganization<Name extends keyof OrganizationState>(
  store: Store,
  orgId: string,
  names: readonly Name[],
): Promise<Pick<OrganizationState, Name> | null> {
  const project = Object.fromEntries(names.map((name) => [name, 1 as const]));
  return store.findOne<Document & Pick<OrganizationState, Name>>(
    'organizations',
    { _id: orgId },
    { project },
  );
}

const PAGE = 200;

/** Pages in the order of ids; each is read after the caller has processed the one before. */
export async function* organizationPages(
  store: Pick<Store, 'find'>,
  project: NonNullable<FindOptions['project']>,
  size = PAGE,
): AsyncGenerator<readonly OrganizationDocument[], undefined> {
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
