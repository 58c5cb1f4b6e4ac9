/** GET /api/v1/deals: by last update, newest first (C4.13); and one deal. */
import { failure, renderFailure } from '../../shared/failures.ts';
import { DEAL_STATUSES } from '../../shared/vocabulary.ts';
import { answerOf } from '../../shared/wire/answer.ts';
import type { ListDeals } from '../../shared/wire/queries.ts';
import { anyOf, idsOfContact, readContact } from '../contact/read-contact.ts';
import { COUNTED_DEALS } from '../counters/counted-collections.ts';
import { contactNameOf, renderDeal } from '../deal/render.ts';
import type { DealState } from '../domain/deal.ts';
import type { Environment } from '../environment.ts';
import type { Filter, PathOf } from '../model/collections.ts';
import type { ContactDocument } from '../model/contact.ts';
import type { EntityDocument } from '../model/entity.ts';
import type { Query } from './lists/answer.ts';
import { type Lists, listIndex, pageOf } from './lists/page.ts';
import { answerPage, type Listing } from './lists/parts.ts';

const ORG = 'state.orgId';
const STATUS = 'state.status';

type Shown = Pick<EntityDocument<DealState>, '_id' | 'state'>;
type NamedContact = Pick<ContactDocument, '_id' | 'name' | 'phone'>;

export const DEALS: Listing<ListDeals, Shown> = {
  rest: 'deals-rest',
  read: (store, ids) => store.find('deals', ids, { project: { state: 1 } }),
  async show(environment, _query, documents) {
    const contacts = await contactsOf(environment, documents);
    return documents.map(({ state }) =>
      renderDeal(state, contactNameOf(state.contactId, contacts.get(state.contactId))),
    );
  },
};

export function listDeals(lists: Lists): Query<'deals'> {
  return async (environment, query) => {
    const { page, limit, contactId } = query;
    if (await isOfAnotherPipeline(environment, query)) {
      return answerOf({ data: [], page, limit, total: 0 });
    }
    const ids = contactId === undefined ? [] : await idsOfContact(environment.store, contactId);
    const filter = filterOf(query, ids);
    const listed = await pageOf(lists, {
      countedCollection: COUNTED_DEALS,
      filter,
      // The indexes have the status before the order: a list of all statuses merges three scans.
      indexedFilter:
        contactId === undefined ? { 'state.status': { $in: DEAL_STATUSES }, ...filter } : filter,
      by: 'state.updatedAt',
      index: listIndex(indexedBy(query), 'state.updatedAt'),
      page,
      limit,
    });
    return answerPage(lists, DEALS, { query, ...listed });
  };
}

export const findOwnDeal: Query<'own-deal'> = async ({ store }, { orgId, id }) => {
  const deal = await store.byId('deals', id);
  if (deal?.state.orgId !== orgId) return renderFailure(failure('deal_not_found'));
  const { contactId } = deal.state;
  const contact = await readContact(store, contactId);
  return answerOf({ data: renderDeal(deal.state, contactNameOf(contactId, contact)) });
};

/** A stage belongs to one pipeline: a filter by both needs no check of each deal. */
async function isOfAnotherPipeline(
  { store }: Environment,
  { orgId, pipelineId, stageId, contactId }: ListDeals,
): Promise<boolean> {
  if (pipelineId === undefined || stageId === undefined || contactId !== undefined) return false;
  const one = await store.findOne(
    'deals',
    { 'state.orgId': orgId, 'state.stageId': stageId },
    { project: { 'state.pipelineId': 1 } },
  );
  return one?.state.pipelineId !== pipelineId;
}

/** Fields of the index that leaves the fewest deals. */
function indexedBy({ contactId, stageId, pipelineId }: ListDeals): readonly PathOf<'deals'>[] {
  if (contactId !== undefined) return [ORG, 'state.contactId'];
  if (stageId !== undefined) return [ORG, 'state.stageId', STATUS];
  return pipelineId === undefined ? [ORG, STATUS] : [ORG, 'state.pipelineId', STATUS];
}

function filterOf(
  { orgId, status, pipelineId, stageId, contactId }: ListDeals,
  contactIds: readonly string[],
): Filter<'deals'> {
  const isDecided = stageId !== undefined && contactId === undefined;
  return {
    'state.orgId': orgId,
    ...(status === undefined ? {} : { 'state.status': status }),
    ...(pipelineId === undefined || isDecided ? {} : { 'state.pipelineId': pipelineId }),
    ...(stageId === undefined ? {} : { 'state.stageId': stageId }),
    // A deal keeps the id of the contact with which it was created.
    ...(contactId === undefined ? {} : { 'state.contactId': anyOf(contactIds) }),
  };
}

/** Names change in the contact only: a page reads the current ones. */
async function contactsOf(
  { store }: Environment,
  documents: readonly Shown[],
): Promise<ReadonlyMap<string, NamedContact>> {
  const ids = [...new Set(documents.map(({ state }) => state.contactId))];
  const contacts = await store.find(
    'contacts',
    { _id: { $in: ids } },
    { project: { name: 1, phone: 1, mergedInto: 1 } },
  );
  const known = contacts.map(async (contact): Promise<[string, NamedContact]> => {
    const now = contact.mergedInto === undefined ? null : await readContact(store, contact._id);
    return [contact._id, now ?? contact];
  });
  return new Map(await Promise.all(known));
}
