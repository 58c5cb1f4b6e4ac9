/** Records the network's status report of a message on its entry in the log. */
import type { OutboxEvent } from '../../shared/wire/outbox.ts';
import { messageEventData } from '../domain/conversation.ts';
import { spellings } from '../domain/network-name.ts';
import { decideReceipt, type Receipt } from '../domain/receipt.ts';
import type { ReceiptCommand } from './commands.ts';
import type { Conversation } from './conversation.ts';
import type { EntryDocument } from './documents.ts';

export async function recordReceipt(actor: Conversation, command: ReceiptCommand): Promise<void> {
  const { receipt, messageId } = command;
  const entry = await findEntry(actor, messageId, receipt);
  // Not of this log. The channel keeps receipts that precede the record of the network id.
  if (!entry) return;
  if (command.networkId !== null) {
    await actor.load();
    actor.learn({ networkId: command.networkId });
  }
  await record(actor, entry, receipt);
}

async function findEntry(
  actor: Conversation,
  messageId: string | null,
  { externalId, fullId }: Receipt,
): Promise<EntryDocument | null> {
  const recent = actor.recent.find(messageId, externalId);
  if (recent) return recent;
  if (messageId !== null) return actor.log.entry(messageId);
  const state = externalId === undefined ? null : await actor.load();
  if (!state || externalId === undefined) return null;
  const ours = { channelId: state.channelId, direction: 'out' } as const;
  return actor.log.entryNamed(ours, spellings({ externalId, fullId }));
}

async function record(actor: Conversation, entry: EntryDocument, receipt: Receipt): Promise<void> {
  const decision = entry.message ? decideReceipt(entry.message, receipt) : null;
  if (!decision) return;
  const outbox = decision.events.map(
    (fact): OutboxEvent => ({
      type: 'event',
      id: `${entry._id}.${fact.event}`,
      event: fact.event,
      ...(entry.requestId === undefined ? {} : { requestId: entry.requestId }),
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
  if (outbox.length > 0) actor.publish(recorded, outbox);
  if (entry.send) actor.nudgeChannel(recorded);
}
