/** All organizations of the installation, read in pages: a process holds few of them at once. */
import type { FindOptions, Store } from '../../shared/ports/store.ts';
import type { OrganizationDocument } from './documents.ts';

const PAGE = 200;

/** Pages in the order of ids; each is read after the caller has processed the one before. */
export async function* organizationPages(
  store: Pick<Store, 'find'>,
  project: NonNullable<FindOptions['project']>,
  size = PAGE,
): AsyncGenerator<readonly OrganizationDocument[], undefined> {
  for (let last = ''; ; ) {
    const page = await store.find<OrganizationDocument>(
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
