/** The audit log of one organization, newest first. */
import { answerOf } from '../../shared/wire/answer.ts';
import { timestamp } from '../../shared/wire/outbox.ts';
import { type Query, skipOf } from './lists/answer.ts';

/** Without a total: entries are counted nowhere. `more` says whether a page follows. */
export const pageAudit: Query<'audit-page'> = async ({ store }, query) => {
  const { orgId, page, limit } = query;
  const found = await store.find(
    'audit',
    { orgId },
    {
      sort: { at: -1, _id: -1 },
      skip: skipOf(query),
      limit: limit + 1,
      index: { orgId: 1, at: -1, _id: -1 },
    },
  );
  const data = found.slice(0, limit).map(({ _id: id, at, by, subject, details }) => {
    const { memberId, name, role, address, operation, origin } = by;
    const acting = { memberId, name, role, address, operation, ...(origin ? { origin } : {}) };
    return { id, at: timestamp(at), ...acting, subject, details };
  });
  return answerOf({ data, page, limit, more: found.length > limit });
};
