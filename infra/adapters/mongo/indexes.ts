/**
 * Every index, each with the question that it answers. An agenda's begins with the shelf, so that
 * the server merges at most 64 ranges in the order of time, and ends with the partition, so that it
 * skips another owner's keys (D351).
 */
import type { Db } from 'mongodb';
import { CONVERSATION_INDEXES, type Index, RECOUNT } from './conversation-indexes.ts';

/** Unpublished outbox items of the previous owner, by their ids, some hundred at a time. */
const PENDING: Index = {
  keys: { pending: 1, _id: 1 },
  options: { partialFilterExpression: { pending: { $exists: true } } },
};

const INDEXES: Readonly<Record<string, readonly Index[]>> = {
  organizations: [
    { keys: { 'channels.id': 1 } },
    { keys: { 'subscriptions.id': 1 } },
    { keys: { 'keys.id': 1 } },
    // Removed stages whose deals follow.
    {
      keys: { 'leftStages.moving': 1, _id: 1 },
      options: { partialFilterExpression: { 'leftStages.moving': true } },
    },
    // The organizations of a person who signs in.
    { keys: { 'members.person': 1 } },
    // A network number is one channel's: the fence between two applies.
    {
      keys: { numbers: 1 },
      options: {
        unique: true,
        name: 'organization_numbers',
        partialFilterExpression: { numbers: { $exists: true } },
      },
    },
  ],
  contacts: [
    // With the text that is searched: a search reads no contact but those that it shows.
    { keys: { orgId: 1, updatedAt: -1, _id: -1, search: 1 } },
    { keys: { orgId: 1, phone: 1 } },
    // Lists by opt-in, and by tag.
    { keys: { orgId: 1, optIn: 1, updatedAt: -1, _id: -1, search: 1 } },
    { keys: { orgId: 1, tags: 1, optIn: 1, updatedAt: -1, _id: -1 } },
    PENDING,
    RECOUNT,
  ],
  conversations: CONVERSATION_INDEXES,
  // The log of every conversation: the unique sequence is the fence (I7).
  entries: [
    {
      keys: { conversationId: 1, seq: -1 },
      options: { unique: true, name: 'conversation_seq' },
    },
    // Entries of a history that came late, or were scheduled: few have a place of their own.
    {
      keys: { conversationId: 1, 'ownPlace.at': -1, 'ownPlace.seq': -1 },
      options: { partialFilterExpression: { ownPlace: { $exists: true } } },
    },
    // The network may report a message under any chat form; its channel and id are the same.
    {
      keys: { channelId: 1, externalId: 1 },
      options: { partialFilterExpression: { externalId: { $exists: true } } },
    },
    // By the id that a send was given, while the network is not known to have accepted it.
    {
      keys: { channelId: 1, 'send.ownId': 1 },
      options: { partialFilterExpression: { 'send.ownId': { $exists: true } } },
    },
    // Unpublished outboxes of the previous owner, those of one conversation together.
    {
      keys: { pending: 1, conversationId: 1, seq: 1 },
      options: { partialFilterExpression: { pending: { $exists: true } } },
    },
    // Class by class: a reply is found behind any number of bulk messages. With the channel: one
    // that has enough in hand is left out without reading its messages.
    {
      keys: {
        ...{ 'send.partition': 1, 'send.urgency': 1, 'send.at': 1, seq: 1 },
        ...{ conversationId: 1, _id: 1, 'send.channelId': 1, 'send.place': 1 },
      },
      options: { partialFilterExpression: { send: { $exists: true } } },
    },
    // Of one channel's queue by urgency, with what tells that a message waits.
    {
      keys: { 'send.channelId': 1, 'send.urgency': 1, 'send.at': 1, 'send.state': 1 },
      options: { partialFilterExpression: { 'send.state': 'queued' } },
    },
    // Media that are still to be fetched from their network.
    {
      keys: { 'mediaDue.partition': 1, 'mediaDue.at': 1, 'mediaDue.place': 1 },
      options: { partialFilterExpression: { mediaDue: { $exists: true } } },
    },
    // Scheduled messages: of an agenda, of one conversation, and their number in an organization.
    {
      keys: {
        ...{ 'due.partition': 1, 'due.at': 1, _id: 1 },
        ...{ 'due.orgId': 1, conversationId: 1, 'due.place': 1 },
      },
      options: { partialFilterExpression: { due: { $exists: true } } },
    },
    {
      keys: { conversationId: 1, 'due.at': 1, seq: 1 },
      options: { partialFilterExpression: { due: { $exists: true } } },
    },
    {
      keys: { 'due.orgId': 1 },
      options: { partialFilterExpression: { 'due.orgId': { $exists: true } } },
    },
    // The last runs of a flow, and the last one of a conversation.
    {
      keys: { 'ended.flowId': 1, 'ended.at': -1, _id: -1 },
      options: { partialFilterExpression: { ended: { $exists: true } } },
    },
    {
      keys: { conversationId: 1, 'ended.at': -1 },
      options: { partialFilterExpression: { ended: { $exists: true } } },
    },
    // The agenda of flows; an organization with enough in hand is left out without reading its own.
    {
      keys: {
        ...{ 'timer.partition': 1, 'timer.at': 1, _id: 1 },
        ...{ 'timer.orgId': 1, 'timer.place': 1 },
      },
      options: { partialFilterExpression: { timer: { $exists: true } } },
    },
  ],
  // Lists by what was touched last; every filter of GET /deals leads one, the others thin it out.
  deals: [
    { keys: { 'state.orgId': 1, 'state.status': 1, 'state.updatedAt': -1, _id: -1 } },
    {
      keys: {
        'state.orgId': 1,
        'state.pipelineId': 1,
        'state.status': 1,
        'state.updatedAt': -1,
        _id: -1,
      },
    },
    {
      keys: {
        'state.orgId': 1,
        'state.stageId': 1,
        'state.status': 1,
        'state.updatedAt': -1,
        _id: -1,
      },
    },
    { keys: { 'state.orgId': 1, 'state.contactId': 1, 'state.updatedAt': -1, _id: -1 } },
    // The sums of a board, from the index alone.
    {
      keys: {
        'state.orgId': 1,
        'state.pipelineId': 1,
        'state.status': 1,
        'state.stageId': 1,
        'state.valueCents': 1,
        _id: 1,
      },
    },
    // Counted by.
    {
      keys: { 'state.orgId': 1, 'state.stageId': 1, 'state.pipelineId': 1, 'state.status': 1 },
    },
    RECOUNT,
    PENDING,
  ],
  tasks: [
    { keys: { 'state.orgId': 1, 'state.done': 1, 'state.createdAt': -1, _id: -1 } },
    {
      keys: {
        'state.orgId': 1,
        'state.assigneeId': 1,
        'state.done': 1,
        'state.createdAt': -1,
        _id: -1,
      },
    },
    // By due time; with the assignee, so that those of others are not read.
    {
      keys: {
        'state.orgId': 1,
        'state.done': 1,
        'state.due.dueAt': 1,
        'state.createdAt': -1,
        _id: -1,
        'state.assigneeId': 1,
      },
    },
    // Counted by.
    { keys: { 'state.orgId': 1, 'state.assigneeId': 1, 'state.done': 1 } },
    { keys: { 'state.orgId': 1, 'state.contactId': 1, 'state.createdAt': -1, _id: -1 } },
    { keys: { 'state.orgId': 1, 'state.dealId': 1, 'state.createdAt': -1, _id: -1 } },
    RECOUNT,
    PENDING,
    // The agenda of reminders.
    {
      keys: { partition: 1, remindAt: 1, _id: 1, place: 1 },
      options: { partialFilterExpression: { remindAt: { $exists: true } } },
    },
  ],
  // Found by their age when they are swept.
  tallySteps: [{ keys: { at: 1 } }],
  externals: [{ keys: { at: 1 } }],
  // Found by their age when they are swept.
  uploads: [{ keys: { at: 1 } }],
  // Files that no entry is known to name, found by their age when they are swept.
  media: [
    {
      keys: { 'loose.since': 1 },
      options: { partialFilterExpression: { 'loose.since': { $exists: true } } },
    },
  ],
  'mediaContent.files': [
    { keys: { begun: 1 }, options: { partialFilterExpression: { begun: { $exists: true } } } },
  ],
  // Read in order.
  'files.chunks': [{ keys: { files_id: 1, n: 1 }, options: { unique: true } }],
  'mediaContent.chunks': [{ keys: { files_id: 1, n: 1 }, options: { unique: true } }],
  // Found by their age when they are swept.
  idempotency: [{ keys: { since: 1 } }],
  // Found by their end when they are swept.
  completedCommands: [{ keys: { until: 1 } }],
  deliveries: [
    {
      keys: { partition: 1, 'state.nextAttemptAt': 1, _id: 1, place: 1 },
      options: { partialFilterExpression: { 'state.status': 'pending' } },
    },
    { keys: { orgId: 1, createdAt: -1, _id: -1 } },
    { keys: { subscriptionId: 1, createdAt: -1, _id: -1 } },
    // Of event streams: written and not acknowledged, then those without a position.
    {
      keys: { subscriptionId: 1, 'state.status': 1, 'state.position': 1, order: 1 },
      options: { partialFilterExpression: { order: { $exists: true } } },
    },
    // Found by their end when they are swept.
    {
      keys: { 'state.endedAt': 1, partition: 1 },
      options: { partialFilterExpression: { order: { $exists: true } } },
    },
    // Set aside by an open breaker: the next probe, and the oldest.
    {
      keys: { subscriptionId: 1, 'state.series': 1, 'state.nextAttemptAt': 1 },
      options: { partialFilterExpression: { 'state.series': { $exists: true } } },
    },
    {
      keys: { subscriptionId: 1, 'state.series': 1, createdAt: 1, _id: 1 },
      options: { partialFilterExpression: { 'state.series': { $exists: true } } },
    },
  ],
  streams: [{ keys: { partition: 1 } }],
  // Of one organization; found by their end when they are swept.
  sessions: [{ keys: { orgId: 1, createdAt: -1 } }, { keys: { until: 1 } }],
  quickReplies: [{ keys: { orgId: 1 } }],
  audit: [
    { keys: { orgId: 1, at: -1, _id: -1 } },
    { keys: { at: 1 } },
    // Asked at each sign-in with a passphrase of an earlier version (D316).
    {
      keys: { 'subject.id': 1, orgId: 1, at: -1 },
      options: { partialFilterExpression: { 'by.operation': 'setPassphrase' } },
    },
  ],
  // Templates of an account's listing, by name; with the fields of filters.
  templates: [
    {
      keys: { accountId: 1, listing: 1, name: 1, language: 1, templateId: 1, status: 1, folded: 1 },
    },
  ],
  // Claims of acquired shelves.
  claims: [{ keys: { partitions: 1 } }],
  // Documents of some shelves, in the order of their ids.
  breakers: [
    {
      keys: { partition: 1, _id: 1 },
      options: { partialFilterExpression: { 'state.active': true } },
    },
  ],
};

/**
 * Creates missing indexes; harmless when several processes do it at once. One command makes all of
 * a collection's: each command waits for the journal, and costs an engine what its indexes cost.
 */
export async function ensureIndexes(db: Db): Promise<void> {
  await Promise.all(
    Object.entries(INDEXES).map(([collection, indexes]) =>
      db
        .collection(collection)
        .createIndexes(indexes.map(({ keys, options }) => ({ key: keys, ...options }))),
    ),
  );
}

/** How many indexes there should be, and which of them are not there as they should be. */
export async function missingIndexes(
  db: Db,
): Promise<{ readonly wanted: number; readonly missing: readonly string[] }> {
  const collections = new Set(
    (await db.listCollections({}, { nameOnly: true }).toArray()).map(({ name }) => name),
  );
  const wanted = Object.entries(INDEXES).flatMap(([collection, indexes]) =>
    indexes.map((index) => ({ collection, index })),
  );
  const present = new Map<string, ReadonlySet<string>>();
  for (const collection of Object.keys(INDEXES)) {
    const found = collections.has(collection) ? await db.collection(collection).indexes() : [];
    present.set(
      collection,
      new Set(found.map(({ key, ...options }) => shapeOf({ keys: key, options }))),
    );
  }
  const missing = wanted
    .filter(({ collection, index }) => !present.get(collection)?.has(shapeOf(index)))
    .map(({ collection, index }) => `${collection} ${JSON.stringify(index.keys)}`);
  return { wanted: wanted.length, missing };
}

/** The properties that make two indexes equal except for their names. */
function shapeOf({ keys, options }: Index): string {
  const { unique = false, partialFilterExpression = null } = options ?? {};
  return JSON.stringify([keys, unique, partialFilterExpression]);
}
