/** Every index, each with the question that it answers. */
import type { CreateIndexesOptions, Db, IndexSpecification } from 'mongodb';

interface Index {
  readonly keys: IndexSpecification;
  readonly options?: CreateIndexesOptions;
}

const INDEXES: Readonly<Record<string, readonly Index[]>> = {
  organizations: [
    { keys: { 'channels.id': 1 } },
    { keys: { 'subscriptions.id': 1 } },
    { keys: { 'keys.id': 1 } },
  ],
  contacts: [
    { keys: { orgId: 1, updatedAt: -1, _id: -1 } },
    { keys: { orgId: 1, phone: 1 } },
    { keys: { pending: 1 }, options: { partialFilterExpression: { pending: { $exists: true } } } },
  ],
  conversations: [
    { keys: { 'snapshot.orgId': 1, 'snapshot.lastMessageAt': -1, _id: -1 } },
    {
      keys: {
        'snapshot.orgId': 1,
        'snapshot.channelId': 1,
        'snapshot.lastMessageAt': -1,
        _id: -1,
      },
    },
    {
      keys: { 'snapshot.orgId': 1, 'snapshot.status': 1, 'snapshot.lastMessageAt': -1, _id: -1 },
    },
    // A contact has one conversation per channel: few enough to sort without the index's help.
    { keys: { 'snapshot.orgId': 1, 'snapshot.contactId': 1 } },
  ],
  // The log of every conversation: the unique sequence is the fence (invariant 7).
  entries: [
    {
      keys: { conversationId: 1, seq: -1 },
      options: { unique: true, name: 'conversation_seq' },
    },
    {
      keys: { conversationId: 1, externalId: 1 },
      options: { partialFilterExpression: { externalId: { $exists: true } } },
    },
    { keys: { pending: 1 }, options: { partialFilterExpression: { pending: { $exists: true } } } },
    {
      keys: { 'send.partition': 1, 'send.at': 1, seq: 1, conversationId: 1, _id: 1 },
      options: { partialFilterExpression: { send: { $exists: true } } },
    },
  ],
  externals: [{ keys: { at: 1 } }],
  deliveries: [
    {
      keys: { partition: 1, nextAttemptAt: 1 },
      options: { partialFilterExpression: { status: 'pending' } },
    },
    { keys: { orgId: 1, createdAt: -1, _id: -1 } },
    { keys: { subscriptionId: 1, createdAt: -1, _id: -1 } },
  ],
};

/** Creates what is missing; harmless when several processes do it at once. */
export async function ensureIndexes(db: Db): Promise<void> {
  await Promise.all(
    Object.entries(INDEXES).flatMap(([collection, indexes]) =>
      indexes.map((index) =>
        db.collection(collection).createIndex(index.keys, index.options ?? {}),
      ),
    ),
  );
}
