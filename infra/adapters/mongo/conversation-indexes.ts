/** Indexes of the lists of conversations, each with the question that it answers. */
import type { IndexDescription, IndexDirection } from 'mongodb';

export interface Index {
  readonly keys: Readonly<Record<string, IndexDirection>>;
  readonly options?: Pick<IndexDescription, 'name' | 'partialFilterExpression' | 'unique'>;
}

/** Dirty documents, which need a recount (`actors/counters`). */
export const RECOUNT: Index = {
  keys: { recount: 1, _id: 1 },
  options: { partialFilterExpression: { recount: { $exists: true } } },
};

export const CONVERSATION_INDEXES: readonly Index[] = [
  // A list of every status merges the three by the order that they share.
  {
    keys: {
      'snapshot.orgId': 1,
      'snapshot.channelId': 1,
      'snapshot.status': 1,
      'snapshot.lastMessageAt': -1,
      _id: -1,
    },
  },
  // With every filter of the panel and the text that is searched.
  {
    keys: {
      'snapshot.orgId': 1,
      'snapshot.status': 1,
      'snapshot.lastMessageAt': -1,
      _id: -1,
      'snapshot.channelId': 1,
      'snapshot.assignedTo': 1,
      'snapshot.hasUnread': 1,
      'snapshot.search': 1,
    },
  },
  {
    keys: {
      'snapshot.orgId': 1,
      'snapshot.assignedTo': 1,
      'snapshot.status': 1,
      'snapshot.lastMessageAt': -1,
      _id: -1,
      'snapshot.channelId': 1,
      'snapshot.hasUnread': 1,
    },
  },
  {
    keys: {
      'snapshot.orgId': 1,
      'snapshot.status': 1,
      'snapshot.lastMessageAt': -1,
      _id: -1,
      'snapshot.channelId': 1,
      'snapshot.hasUnread': 1,
    },
    options: { partialFilterExpression: { 'snapshot.hasUnread': true } },
  },
  // For counts: documents in a list's order move while they are counted.
  { keys: { 'snapshot.orgId': 1, 'snapshot.channelId': 1, 'snapshot.status': 1 } },
  // A contact has one conversation per channel: read whole, and sorted by who reads.
  { keys: { 'snapshot.orgId': 1, 'snapshot.contactId': 1 } },
  RECOUNT,
];
