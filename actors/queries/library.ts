/** The files of an organization's library. */
import { compareNames } from '../../shared/text/name-order.ts';
import { answerOf } from '../../shared/wire/answer.ts';
import { shownFile } from '../domain/organization/library.ts';
import { present } from '../domain/organization.ts';
import { readOrganization } from '../organization/read-organization.ts';
import { type Query, skipOf } from './lists/answer.ts';

/** As the command line lists them. */
export const listLibrary: Query<'library'> = async ({ store }, { orgId }) => {
  const organization = await readOrganization(store, orgId, ['files']);
  const files = present(organization?.files ?? []);
  const data = files.map(({ id, ref, name, mimeType, sizeBytes }) => {
    return { id, ref, name, mimeType, sizeBytes };
  });
  return answerOf({ data });
};

/** GET /api/v1/files: by name; a library has a thousand at most. */
export const pageLibrary: Query<'library-page'> = async ({ store }, { orgId, page, limit }) => {
  const organization = await readOrganization(store, orgId, ['files', 'createdAt']);
  const files = present(organization?.files ?? []).toSorted(
    (a, b) => compareNames(a.name, b.name) || (a.id < b.id ? -1 : 1),
  );
  const skip = skipOf({ page, limit });
  const data = files
    .slice(skip, skip + limit)
    .map((file) => shownFile(file, { createdAt: organization?.createdAt ?? 0 }));
  return answerOf({ data, page, limit, total: files.length });
};
