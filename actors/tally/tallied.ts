/** The collections that are counted. */
import { CONVERSATION_STATUSES, DEAL_STATUSES } from '../../shared/vocabulary.ts';
import type { Place } from './places.ts';

export const CONTACTS: Place = {
  collection: 'contacts',
  orgId: 'orgId',
  facets: [],
  revision: 'version',
  told: true,
};

export const CONVERSATIONS: Place = {
  collection: 'conversations',
  orgId: 'snapshot.orgId',
  facets: [
    { path: 'snapshot.channelId' },
    { path: 'snapshot.status', values: CONVERSATION_STATUSES },
  ],
  revision: 'snapshot.seq',
  told: false,
};

export const DEALS: Place = {
  collection: 'deals',
  orgId: 'state.orgId',
  facets: [
    { path: 'state.pipelineId' },
    { path: 'state.stageId' },
    { path: 'state.status', values: DEAL_STATUSES },
  ],
  revision: 'version',
  told: false,
};

export const TASKS: Place = {
  collection: 'tasks',
  orgId: 'state.orgId',
  facets: [{ path: 'state.assigneeId' }, { path: 'state.done', values: [false, true] }],
  revision: 'version',
  told: false,
};

export const TALLIED: readonly Place[] = [CONTACTS, CONVERSATIONS, DEALS, TASKS];
