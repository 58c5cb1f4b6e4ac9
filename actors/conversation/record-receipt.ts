/** What the network says of a message, recorded on its entry in the log. */
import type { OutboxEvent } from '../../shared/outbox.ts';
import type { Document } from '../../shared/ports.ts';
import { messageEventData } from '../domain/conversation.ts';
import { decideReceipt, type Receipt } from '../domain/receipt.ts';
import type { ReceiptCommand } from './commands.ts';
import type { Conversation } from './conversation.ts';
import type { EntryDocument } from './documents.ts';

interface EarlyReceipts extends Document {
  readonly receipts: readonly Receipt[];
}

export async function recordReceipt(actor: Conversation, command: ReceiptCommand): Promise<void> {
  const { receipt, messageId } = command;
  const entry = await findEntry(actor, messageId, receipt.externalId);
  if (!entry) return keepEarly(actor, receipt);
  if (command.networkId !== null) {
    await actor.load();
    actor.learn({ networkId: command.networkId });
  }
  const recorded = await record(actor, entry, receipt);
  // The statuses of a network that does not send our id back may have come before our record.
  if (command.earlyPossible && receipt.externalId !== undefined) {
    await applyEarly(actor, recorded, receipt.externalId);
  }
}

async function findEntry(
  actor: Conversation,
  messageId: string | null,
  externalId: string | undefined,
): Promise<EntryDocument | null> {
  const recent = actor.recent.find(messageId, externalId);
  if (recent) return recent;
  if (messageId !== null) return actor.log.entry(messageId);
  return externalId === undefined ? null : actor.log.entryByExternalId(externalId);
}

async function record(
  actor: Conversation,
  entry: EntryDocument,
  receipt: Receipt,
): Promise<EntryDocument> {
  const decision = decideReceipt(entry.message, receipt);
  if (!decision) return entry;
  const outbox = decision.events.map(
    (fact): OutboxEvent => ({
      type: 'event',
      id: `${entry._id}.${fact.event}`,
      event: fact.event,
      data: {
        ...messageEventData(entry.after, decision.message, {
          messageId: entry._id,
          occurredAt: fact.at,
        }),
        ...(decision.message.error ? { error: decision.message.error } : {}),
      },
    }),
  );
  const recorded = await actor.log.change(entry, decision.message, outbox);
  actor.recent.keep(recorded);
  if (outbox.length > 0) actor.handOn(recorded, outbox);
  if (entry.send) actor.nudgeChannel(recorded);
  return recorded;
}

function earlyId(actor: Conversation, externalId: string): string {
  return `${actor.id}/${externalId}`;
}

async function keepEarly(actor: Conversation, receipt: Receipt): Promise<void> {
  if (receipt.externalId === undefined) return;
  const { store, clock } = actor.parts.world;
  await store.commit([
    {
      update: 'externals',
      filter: { _id: earlyId(actor, receipt.externalId) },
      change: { $push: { receipts: receipt }, $set: { at: clock.now() } },
      upsert: true,
    },
  ]);
}

async function applyEarly(
  actor: Conversation,
  entry: EntryDocument,
  externalId: string,
): Promise<void> {
  const { store } = actor.parts.world;
  const early = await store.findOne<EarlyReceipts>('externals', {
    _id: earlyId(actor, externalId),
  });
  let recorded = entry;
  for (const receipt of early?.receipts ?? []) recorded = await record(actor, recorded, receipt);
}
