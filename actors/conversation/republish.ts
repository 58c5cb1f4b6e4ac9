/**
 * Outboxes of conversations that an earlier owner left: published in the order of their commits.
 * An entry may get events long after it was appended, for receipts: each event has its time.
 */
import type { Store } from '../../shared/ports/store.ts';
import type { OutboxItem } from '../../shared/wire/outbox.ts';
import { blockFlow } from '../flow/timers.ts';
import { UnpublishedOutbox } from '../outbox/unpublished-outbox.ts';
import type { EntryDocument } from './api.ts';
import type { ConversationParts } from './conversation.ts';

const PAGE = 500;

export function unpublishedEntries(
  environment: ConversationParts['environment'],
): UnpublishedOutbox<EntryDocument> {
  return new UnpublishedOutbox<EntryDocument>(environment, 'entries', {
    path: 'conversationId',
    of: ({ conversationId }) => conversationId,
    sort: { conversationId: 1, seq: 1 },
  });
}

/** Conversations of the partition whose owners have left events. */
export async function withUnpublished(
  store: Store,
  partition: number,
): Promise<ReadonlySet<string>> {
  const ids = new Set<string>();
  for (let last = ''; ; ) {
    const filter = { pending: partition, outbox: { $exists: true }, conversationId: { $gt: last } };
    const options = {
      sort: { conversationId: 1, seq: 1 },
      limit: PAGE,
      project: { conversationId: 1 },
    } as const;
    const page = await store.find('entries', filter, options);
    for (const { conversationId } of page) ids.add(conversationId);
    const end = page.at(-1);
    if (!end || page.length < PAGE) return ids;
    last = end.conversationId;
  }
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
  const published = new Map(inOrder.map((each) => [each.item, publishOne(parts, each)]));
  await Promise.all(
    entries.map(async (entry) => {
      const outbox = entry.outbox ?? [];
      const acknowledged = await Promise.all(outbox.map((item) => published.get(item)));
      const ids = outbox.map(({ id }) => id);
      if (acknowledged.every(Boolean)) parts.snapshotWriter.markPublished({ entry, ids, epoch });
    }),
  );
}

function commitTime({ after }: EntryDocument, item: OutboxItem): number {
  return (item.type === 'event' ? item.at : undefined) ?? after.at;
}

function publishOne(parts: ConversationParts, { entry, item }: Pending): Promise<boolean> {
  const release = blockFlow(parts, entry, [item]);
  return parts.relay
    .publish({ orgId: entry.orgId, id: entry.conversationId }, [item])
    .finally(release);
}
