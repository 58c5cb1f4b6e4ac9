/**
 * Outboxes of conversations that an earlier owner left: published in the order of their commits.
 */
import type { OutboxItem } from '../../shared/wire/outbox.ts';
import { partitionOf } from '../../shared/wire/subjects.ts';
import { blockFlow } from '../flow/timers.ts';
import { UnpublishedOutbox } from '../outbox/unpublished-outbox.ts';
import type { EntryDocument } from './api.ts';
import type { ConversationParts } from './conversation.ts';
import { commitTime } from './publication-order.ts';

export function unpublishedEntries(
  environment: ConversationParts['environment'],
): UnpublishedOutbox<EntryDocument> {
  return new UnpublishedOutbox<EntryDocument>(environment, 'entries', {
    path: 'conversationId',
    of: ({ conversationId }) => conversationId,
    sort: { conversationId: 1, seq: 1 },
  });
}

interface Pending {
  readonly entry: EntryDocument;
  readonly item: OutboxItem;
  readonly at: number;
}

/** Publishes the outboxes of one conversation, whose entries are given in the order of `seq`. */
export async function republish(
  parts: ConversationParts,
  entries: readonly EntryDocument[],
  epoch: number,
): Promise<void> {
  const pending = entries.flatMap((entry) =>
    (entry.outbox ?? []).map((item): Pending => ({ entry, item, at: commitTime(entry, item) })),
  );
  const inOrder = pending.toSorted((a, b) => a.at - b.at);
  for (const { conversationId, outbox = [] } of entries) {
    parts.outboxRecovery.publishes(conversationId, outbox);
  }
  const published = new Map(inOrder.map((each) => [each.item, publishOne(parts, each, epoch)]));
  await Promise.all(
    entries.map(async (entry) => {
      const outbox = entry.outbox ?? [];
      const acknowledged = await Promise.all(outbox.map((item) => published.get(item)));
      const ids = outbox.map(({ id }) => id);
      if (acknowledged.every(Boolean)) parts.snapshotWriter.markPublished({ entry, ids, epoch });
    }),
  );
}

function publishOne(
  parts: ConversationParts,
  { entry, item }: Pending,
  epoch: number,
): Promise<boolean> {
  const release = blockFlow(parts, entry, [item]);
  return parts.relay
    .publish({ orgId: entry.orgId, id: entry.conversationId, epoch }, [item])
    .finally(release);
}

/** Publishes every outbox of the conversation that is not known to be published. */
export async function republishPending(
  parts: ConversationParts,
  conversationId: string,
  epoch: number,
): Promise<void> {
  const pending = { conversationId, pending: partitionOf('conversation', conversationId) };
  const { store } = parts.environment;
  const entries = await store.find<EntryDocument>('entries', pending, { sort: { seq: 1 } });
  void republish(parts, entries, epoch);
}
