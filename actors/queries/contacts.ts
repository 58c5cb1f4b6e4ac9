/** GET /api/v1/contacts: by last update, newest first (contract section 4). */
import type { ListContacts } from '../../shared/commands.ts';
import type { Filter } from '../../shared/ports.ts';
import type { ContactDocument } from '../contact/actor.ts';
import { foldText, renderContact } from '../contact/render.ts';
import { found, type Query, skipOf } from './answer.ts';

export const listContacts: Query<ListContacts> = async ({ store }, query) => {
  const filter = filterOf(query);
  const [documents, total] = await Promise.all([
    store.find<ContactDocument>('contacts', filter, {
      sort: { updatedAt: -1, _id: -1 },
      skip: skipOf(query),
      limit: query.limit,
      project: { answers: 0, search: 0, outbox: 0 },
    }),
    store.count('contacts', filter),
  ]);
  const data = documents.map(({ _id, ...state }) => renderContact({ ...state, id: _id }));
  return found({ data, page: query.page, limit: query.limit, total });
};

function filterOf({ orgId, phone, query }: ListContacts): Filter {
  const text = foldText(query ?? '');
  return {
    orgId,
    ...(phone === undefined ? {} : { phone }),
    ...(text === '' ? {} : { search: { $regex: literal(text) } }),
  };
}

/** A search is for what was typed, not for a pattern. */
function literal(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&');
}
