/** What the network says of a message, recorded on its entry in the log. */
import type { OutboxEvent } from '../../shared/outbox.ts';
import type { Document } from '../../shared/ports.ts';
import { messageEventData } from '../domain/conversation.ts';
import { decideReceipt, type Receipt } from '../domain/receipt.ts';
import type { ConversationActor } from './actor.ts';
import type { ReceiptCommand } from './commands.ts';
import type { EntryDocument } from './documents.ts';

const RECENT_MAX = 64;

/** Entries whose receipts are likely to come next: saves a read for each. */
export class RecentEntries {
  readonly #entries = new Map<string, EntryDocument>();

  keep(entry: EntryDocument): void {
    this.#entries.delete(entry._id);
    this.#entries.set(entry._id, entry);
    if (this.#entries.size <= RECENT_MAX) return;
    const oldest = this.#entries.keys().next().value;
    if (oldest !== undefined) this.#entries.delete(oldest);
  }

  has(entryId: string): boolean {
    return this.#entries.has(entryId);
  }

  find(messageId: string | null, externalId: string | undefined): EntryDocument | undefined {
    if (messageId !== null) return this.#entries.get(messageId);
    for (const entry of this.#entries.values()) {
      if (externalId !== undefined && entry.message.externalId === externalId) return entry;
    }
    return undefined;
  }
}

interface EarlyReceipts extends Document {
  readonly receipts: readonly Receipt[];
}

export async function recordReceipt(
  actor: ConversationActor,
  command: ReceiptCommand,
): Promise<void> {
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
  actor: ConversationActor,
  messageId: string | null,
  externalId: string | undefined,
): Promise<EntryDocument | null> {
  const recent = actor.recent.find(messageId, externalId);
  if (recent) return recent;
  if (messageId !== null) return actor.log.entry(messageId);
  return externalId === undefined ? null : actor.log.entryByExternalId(externalId);
}

async function record(
  actor: ConversationActor,
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

function earlyId(actor: ConversationActor, externalId: string): string {
  return `${actor.id}/${externalId}`;
}

async function keepEarly(actor: ConversationActor, receipt: Receipt): Promise<void> {
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
  actor: ConversationActor,
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
