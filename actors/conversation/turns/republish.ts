/** Outboxes of a conversation's entries: published, whoever has committed them. */
import type { StoredMedia } from '../../../shared/message.ts';
import type { OutboxItem } from '../../../shared/wire/outbox.ts';
import { shelfFor } from '../../../shared/wire/subjects.ts';
import { nudgeOf } from '../../channel/sending/send-nudge.ts';
import { shownFile } from '../../domain/conversation/message-file.ts';
import type { EntryDocument } from '../../model/conversation.ts';
import { byNumber } from '../../outbox/event-order.ts';
import type { PublishingEntity } from '../../outbox/relay.ts';
import { UnpublishedOutbox } from '../../outbox/unpublished-outbox.ts';
import { retryWhile } from '../../runtime/repeat.ts';
import { blockFlow } from '../flow/timers.ts';
import type { ConversationParts } from './conversation.ts';
import { applySettlement } from './settle.ts';

const RETRY = { firstMs: 1_000 };

export function unpublishedEntries(
  environment: ConversationParts['environment'],
): UnpublishedOutbox<'entries'> {
  return new UnpublishedOutbox<'entries'>(environment, {
    kind: 'conversation',
    collection: 'entries',
    entity: {
      path: 'conversationId',
      of: ({ conversationId }) => conversationId,
      sort: { conversationId: 1, seq: 1 },
      prefix: 'cnv',
    },
  });
}

/** The event with the address of its message's file, as the history shows it. */
function withFileUrl(item: OutboxItem, publicUrl: string): OutboxItem {
  if (item.type !== 'event' || !isFile(item.data.media)) return item;
  return { ...item, data: { ...item.data, media: shownFile(item.data.media, publicUrl) } };
}

function isFile(value: unknown): value is StoredMedia {
  return typeof value === 'object' && value !== null && 'mimeType' in value;
}

/** True when every item was acknowledged; false when the lease has ended. */
export function publishItems(
  parts: ConversationParts,
  { entry, epoch }: { readonly entry: EntryDocument; readonly epoch: number },
  items: readonly OutboxItem[],
  findEarlier?: PublishingEntity['findEarlier'],
): Promise<boolean> {
  const { orgId, conversationId: id } = entry;
  const release = blockFlow(parts, entry, items);
  const { publicUrl } = parts.environment.settings;
  const told = items.map((item) => withFileUrl(item, publicUrl));
  const entity = {
    orgId,
    collection: 'entries',
    id,
    epoch,
    ...(findEarlier ? { findEarlier } : {}),
  } as const;
  return parts.relay.publish(entity, told).finally(release);
}

/** Publishes all outboxes of one conversation, events in the order of their numbers. */
export async function republish(
  parts: ConversationParts,
  entries: readonly EntryDocument[],
  epoch: number,
): Promise<void> {
  const pending = entries.flatMap((entry) => (entry.outbox ?? []).map((item) => ({ entry, item })));
  const inOrder = pending.toSorted((a, b) => byNumber(a.item, b.item));
  const published = new Map(
    inOrder.map(({ entry, item }) => [item, publishItems(parts, { entry, epoch }, [item])]),
  );
  await Promise.all(
    entries.map(async (entry) => {
      const outbox = entry.outbox ?? [];
      const acknowledged = await Promise.all([
        ...outbox.map((item) => published.get(item)),
        settled(parts, entry),
      ]);
      const ids = outbox.map(({ id }) => id);
      if (acknowledged.every(Boolean)) parts.snapshotWriter.markPublished({ entry, ids, epoch });
    }),
  );
}

/** True once the settlement of a scheduled message is applied; false when the lease has ended. */
async function settled({ environment }: ConversationParts, entry: EntryDocument): Promise<boolean> {
  if (!entry.settles) return true;
  const { store, leaseHeld: mayAct } = environment;
  const retry = { mayAct, wait: RETRY, failedMessage: 'a settlement was not applied' };
  const applied = await retryWhile(environment, retry, async () => {
    const message = await applySettlement(store, entry);
    if (message?.send) {
      environment.bus.nudge({ kind: 'channel', key: message.channelId }, nudgeOf(message));
    }
    return true;
  });
  return applied === true;
}

/**
 * Publishes every outbox of the conversation that is not known to be published. One read finds all:
 * entries are cleared every 15 s.
 */
export async function republishPending(
  parts: ConversationParts,
  conversationId: string,
  epoch: number,
): Promise<void> {
  const pending = { conversationId, pending: shelfFor('conversation', conversationId) };
  const { store } = parts.environment;
  const entries = await store.find('entries', pending, { sort: { seq: 1 } });
  void republish(parts, entries, epoch);
}
