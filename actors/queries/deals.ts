/** GET /api/v1/deals: by last update, newest first (C4.13); and one deal. */
import { failure, renderFailure } from '../../shared/failures.ts';
import { DEAL_STATUSES } from '../../shared/vocabulary.ts';
import { answerOf } from '../../shared/wire/answer.ts';
import type { ListDeals } from '../../shared/wire/queries.ts';
import { anyOf, idsOfContact, readContact } from '../contact/read-contact.ts';
import { COUNTED_DEALS } from '../counters/counted-collections.ts';
import { contactNameOf, renderDeal } from '../deal/render.ts';
import type { DealState } from '../domain/deal.ts';
import { findStage, type OrganizationState, placeOfLeft } from '../domain/organization.ts';
import type { Environment } from '../environment.ts';
import type { Filter, PathOf } from '../model/collections.ts';
import type { ContactDocument } from '../model/contact.ts';
import type { EntityDocument } from '../model/entity.ts';
import { movingTo } from '../organization/pipelines.ts';
import { readOrganization } from '../organization/read-organization.ts';
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
  async show(environment, { orgId }, documents) {
    const [contacts, organization] = await Promise.all([
      contactsOf(environment, documents),
      readOrganization(environment.store, orgId, ['leftStages']),
    ]);
    return documents.map(({ state }) => {
      const contact = contactNameOf(state.contactId, contacts.get(state.contactId));
      return renderDeal(inPlace(organization, state), contact);
    });
  },
};

export function listDeals(lists: Lists): Query<'deals'> {
  return async (environment, query) => {
    const { page, limit, contactId } = query;
    const stages = await stagesAsked(environment, query);
    if (stages === null) return answerOf({ data: [], page, limit, total: 0 });
    const ids = contactId === undefined ? [] : await idsOfContact(environment.store, contactId);
    const filter = filterOf(query, stages, ids);
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
  const [contact, organization] = await Promise.all([
    readContact(store, contactId),
    readOrganization(store, orgId, ['leftStages']),
  ]);
  const state = inPlace(organization, deal.state);
  return answerOf({ data: renderDeal(state, contactNameOf(contactId, contact)) });
};

type Left = Pick<OrganizationState, 'leftStages'> | null;

/** As it is once it has followed a stage that was removed. */
function inPlace(organization: Left, state: DealState): DealState {
  const place = placeOfLeft(organization?.leftStages, state.stageId);
  return place ? { ...state, ...place } : state;
}

/**
 * The stages whose deals the list shows: of one that takes in the deals of removed ones, these too.
 * Null where it can have no deal: the stage was removed, or is one of another pipeline.
 */
async function stagesAsked(
  { store }: Environment,
  { orgId, pipelineId, stageId }: ListDeals,
): Promise<readonly string[] | null> {
  if (stageId === undefined) return [];
  const organization = await readOrganization(store, orgId, ['leftStages', 'pipelines']);
  const { leftStages, pipelines = [] } = organization ?? {};
  if (placeOfLeft(leftStages, stageId)) return null;
  const found = findStage(pipelines, stageId);
  if (pipelineId !== undefined && found?.pipelineId !== pipelineId) return null;
  return [stageId, ...movingTo(leftStages, stageId)];
}

/** Fields of the index that leaves the fewest deals. */
function indexedBy({ contactId, stageId, pipelineId }: ListDeals): readonly PathOf<'deals'>[] {
  if (contactId !== undefined) return [ORG, 'state.contactId'];
  if (stageId !== undefined) return [ORG, 'state.stageId', STATUS];
  return pipelineId === undefined ? [ORG, STATUS] : [ORG, 'state.pipelineId', STATUS];
}

function filterOf(
  { orgId, status, pipelineId, stageId, contactId }: ListDeals,
  stages: readonly string[],
  contactIds: readonly string[],
): Filter<'deals'> {
  // A stage belongs to one pipeline: a filter by both needs no check of each deal.
  const isDecided = stageId !== undefined;
  return {
    'state.orgId': orgId,
    ...(status === undefined ? {} : { 'state.status': status }),
    ...(pipelineId === undefined || isDecided ? {} : { 'state.pipelineId': pipelineId }),
    ...(stageId === undefined ? {} : { 'state.stageId': anyOf(stages) }),
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
