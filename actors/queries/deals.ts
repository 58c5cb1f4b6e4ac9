/** GET /api/v1/deals: by last touched, newest first (contract section 4). */
import type { ListDeals } from '../../shared/commands.ts';
import type { Filter } from '../../shared/ports.ts';
import type { ContactDocument } from '../contact/actor.ts';
import { DEALS } from '../deal/actor.ts';
import { contactNameOf, renderDeal } from '../deal/render.ts';
import type { DealState } from '../domain/deal.ts';
import type { RecordDocument } from '../outbox/record.ts';
import type { World } from '../world.ts';
import { found, type Query, skipOf } from './answer.ts';

type DealDocument = RecordDocument<DealState>;

export const listDeals: Query<ListDeals> = async (world, query) => {
  const { store } = world;
  const filter = filterOf(query);
  const { page, limit } = query;
  const [documents, total] = await Promise.all([
    store.find<DealDocument>(DEALS.collection, filter, {
      sort: { 'state.updatedAt': -1, _id: -1 },
      skip: skipOf(query),
      limit,
      project: { state: 1 },
    }),
    store.count(DEALS.collection, filter),
  ]);
  const contacts = await contactsOf(world, documents);
  const data = documents.map(({ state }) =>
    renderDeal(state, contactNameOf(state.contactId, contacts.get(state.contactId))),
  );
  return found({ data, page, limit, total });
};

function filterOf({ orgId, status, pipelineId, stageId, contactId }: ListDeals): Filter {
  return {
    'state.orgId': orgId,
    ...(status === undefined ? {} : { 'state.status': status }),
    ...(pipelineId === undefined ? {} : { 'state.pipelineId': pipelineId }),
    ...(stageId === undefined ? {} : { 'state.stageId': stageId }),
    ...(contactId === undefined ? {} : { 'state.contactId': contactId }),
  };
}

/** Names change in the contact alone: a page reads them as they are now. */
async function contactsOf(
  { store }: World,
  documents: readonly DealDocument[],
): Promise<ReadonlyMap<string, ContactDocument>> {
  const ids = [...new Set(documents.map(({ state }) => state.contactId))];
  const contacts = await store.find<ContactDocument>(
    'contacts',
    { _id: { $in: ids } },
    { project: { name: 1, phone: 1 } },
  );
  return new Map(contacts.map((contact) => [contact._id, contact]));
}
