/** The collections with exact counters. */
import { CONVERSATION_STATUSES, DEAL_STATUSES } from '../../shared/vocabulary.ts';
import type { CountedCollection } from './counted-collection.ts';

export const COUNTED_CONTACTS: CountedCollection<'contacts'> = {
  collection: 'contacts',
  orgId: 'orgId',
  facets: [],
  // A document moves in it only when the contact's number changes, which sets the dirty flag.
  index: { orgId: 1, phone: 1 },
  revision: 'version',
  recordsBatches: true,
};

export const COUNTED_CONVERSATIONS: CountedCollection<'conversations'> = {
  collection: 'conversations',
  orgId: 'snapshot.orgId',
  facets: [
    { path: 'snapshot.channelId' },
    { path: 'snapshot.status', values: CONVERSATION_STATUSES },
  ],
  index: { 'snapshot.orgId': 1, 'snapshot.channelId': 1, 'snapshot.status': 1 },
  revision: 'snapshot.seq',
  recordsBatches: false,
};

export const COUNTED_DEALS: CountedCollection<'deals'> = {
  collection: 'deals',
  orgId: 'state.orgId',
  facets: [
    { path: 'state.stageId' },
    { path: 'state.pipelineId' },
    { path: 'state.status', values: DEAL_STATUSES },
  ],
  index: { 'state.orgId': 1, 'state.stageId': 1, 'state.pipelineId': 1, 'state.status': 1 },
  revision: 'version',
  recordsBatches: false,
};

export const COUNTED_TASKS: CountedCollection<'tasks'> = {
  collection: 'tasks',
  orgId: 'state.orgId',
  facets: [{ path: 'state.assigneeId' }, { path: 'state.done', values: [false, true] }],
  index: { 'state.orgId': 1, 'state.assigneeId': 1, 'state.done': 1 },
  revision: 'version',
  recordsBatches: false,
};

export const COUNTED_COLLECTIONS: readonly CountedCollection[] = [
  COUNTED_CONTACTS,
  COUNTED_CONVERSATIONS,
  COUNTED_DEALS,
  COUNTED_TASKS,
];
