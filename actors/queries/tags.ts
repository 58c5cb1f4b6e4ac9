/** GET /api/v1/tags: in their order without regard to case. */
import { answerOf } from '../../shared/wire/answer.ts';
import { pageOfTags } from '../organization/documents.ts';
import { type Query, skipOf } from './lists/answer.ts';

export const pageTags: Query<'tags-page'> = async ({ store }, { orgId, page, limit }) => {
  const { names, total } = await pageOfTags(store, orgId, { skip: skipOf({ page, limit }), limit });
  return answerOf({ data: names.map((name) => ({ name })), page, limit, total });
};
