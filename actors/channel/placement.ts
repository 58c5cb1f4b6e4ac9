/**
 * Where an event of the network belongs: which conversation takes it, and as which command.
 *
 * 1. A contact is who their canonical phone says; where the network hides the phone it is asked for
 *    it, and only who stays hidden is known by the network's opaque id.
 * 2. A status finds its message by our own id, by the network's, or is kept until one of the two is
 *    on record.
 * 3. That a message was sent the network says twice, in its answer and as a status: a status that
 *    tells nothing new, as far as is known here, does not reach its conversation.
 */
import { contactId, conversationId, inboundMessageId } from '../../shared/keys.ts';
import type { NetworkEvent } from '../../shared/network.ts';
import { canonicalPhone } from '../../shared/phone.ts';
import type { Command } from '../../shared/ports.ts';
import { MESSAGE_KINDS } from '../../shared/vocabulary.ts';
import type { NetworkMessageCommand, ReceiptCommand } from '../conversation/commands.ts';
import type { EntryDocument } from '../conversation/documents.ts';
import type { Receipt } from '../domain/receipt.ts';
import type { ChannelConfiguration } from './configuration.ts';
import type { Desk } from './desk.ts';
import type { SentMessage } from './sent-index.ts';

type PlacedDesk = Pick<Desk, 'channelId' | 'world' | 'sent' | 'early'>;
type ReceiptEvent = Extract<NetworkEvent, { type: 'receipt' }>;
type MessageEvent = Extract<NetworkEvent, { type: 'message' | 'echo' }>;

export interface Placed {
  readonly conversationId: string;
  readonly command: Command;
  /** Set for a message typed on the phone: statuses of it may have come before. */
  readonly echoOf?: SentMessage & { readonly externalId: string };
}

/** Null: it concerns nobody here, or is kept for later. `ask again`: the network must repeat it. */
export function place(
  desk: PlacedDesk,
  configuration: ChannelConfiguration,
  event: ReceiptEvent | MessageEvent,
): Promise<Placed | null | 'ask again'> {
  return event.type === 'receipt'
    ? placeReceipt(desk, configuration, event)
    : placeMessage(desk, configuration, event);
}

interface Person {
  /** Canonical digits, or empty. */
  readonly phone: string;
  readonly networkId: string;
}

/** Null when the network did not say who it is. */
async function personOf(
  desk: PlacedDesk,
  { network, country }: ChannelConfiguration,
  shown: Person,
): Promise<Person | null> {
  const driver = desk.world.networks.driver(network.provider);
  const hidden = shown.phone === '' && driver.findPhone !== undefined;
  const found = hidden ? await driver.findPhone?.(network, shown.networkId) : undefined;
  if (found?.known === false) {
    desk.world.log.warn({ channelId: desk.channelId, cause: found.cause }, 'no phone looked up');
    return null;
  }
  const { phone, networkId } = found ?? shown;
  return { phone: phone === '' ? '' : (canonicalPhone(`+${phone}`, country) ?? phone), networkId };
}

function contactIdOf(desk: PlacedDesk, orgId: string, { phone, networkId }: Person): string {
  return contactId(desk.world.ids, orgId, phone || `~${networkId}`);
}

async function placeMessage(
  desk: PlacedDesk,
  configuration: ChannelConfiguration,
  event: MessageEvent,
): Promise<Placed | 'ask again'> {
  const { ids } = desk.world;
  const { orgId, entry } = configuration;
  const person = await personOf(desk, configuration, event);
  if (person === null) return 'ask again';
  const contact = contactIdOf(desk, orgId, person);
  const key = conversationId(ids, desk.channelId, contact);
  const { externalId } = event;
  const inbound = event.type === 'message' ? event : null;
  const command: NetworkMessageCommand = {
    id: ids.fresh('cmd'),
    type: inbound ? 'inbound' : 'echo',
    orgId,
    channelId: desk.channelId,
    contactId: contact,
    phone: person.phone,
    networkId: person.networkId,
    profileName: inbound?.profileName ?? null,
    externalId,
    replyToExternalId: inbound?.replyToExternalId ?? null,
    kind: MESSAGE_KINDS.find((kind) => kind === event.kind) ?? 'unsupported',
    text: event.text,
    ...(event.media ? { media: event.media } : {}),
    at: event.at,
    channelLabel: entry.label,
  };
  if (inbound) return { conversationId: key, command };
  const messageId = inboundMessageId(ids, desk.channelId, externalId);
  return { conversationId: key, command, echoOf: { conversationId: key, messageId, externalId } };
}

async function placeReceipt(
  desk: PlacedDesk,
  configuration: ChannelConfiguration,
  event: ReceiptEvent,
): Promise<Placed | null | 'ask again'> {
  if (event.status === 'sent' && desk.sent.isRecorded(event.externalId, event)) return null;
  const receipt = receiptOf(event);
  if (event.messageId !== undefined) {
    const message =
      desk.sent.find(event.messageId) ?? (await messageOf(desk, { _id: event.messageId }));
    return message && receiptCommand(desk, message, { receipt, networkId: event.networkId });
  }
  const known = desk.sent.find(event.externalId);
  if (known) return receiptCommand(desk, known, { receipt });
  const key = await conversationShown(desk, configuration, event);
  if (key === 'ask again') return key;
  const onRecord = () =>
    key === null ? null : messageOf(desk, { conversationId: key, externalId: event.externalId });
  const recorded = await onRecord();
  if (recorded) return receiptCommand(desk, recorded, { receipt });
  await desk.early.keep(event.externalId, receipt);
  // Its message may have been recorded in between, by whoever looked for kept ones too early.
  const meanwhile = desk.sent.find(event.externalId) ?? (await onRecord());
  return meanwhile && receiptCommand(desk, meanwhile, { receipt });
}

/** The conversation with whom the status names; null where it names nobody. */
async function conversationShown(
  desk: PlacedDesk,
  configuration: ChannelConfiguration,
  { phone = '', networkId }: ReceiptEvent,
): Promise<string | null | 'ask again'> {
  if (networkId === undefined) return null;
  const person = await personOf(desk, configuration, { phone, networkId });
  if (person === null) return 'ask again';
  const contact = contactIdOf(desk, configuration.orgId, person);
  return conversationId(desk.world.ids, desk.channelId, contact);
}

async function messageOf(
  desk: PlacedDesk,
  named:
    | { readonly _id: string }
    | { readonly conversationId: string; readonly externalId: string },
): Promise<SentMessage | null> {
  const entry = await desk.world.store.findOne<EntryDocument>(
    'entries',
    { ...named, channelId: desk.channelId },
    { project: { conversationId: 1 } },
  );
  return entry && { conversationId: entry.conversationId, messageId: entry._id };
}

function receiptOf({ status, at, externalId, error }: ReceiptEvent): Receipt {
  return { status, at, externalId, ...(error ? { error } : {}) };
}

function receiptCommand(
  desk: PlacedDesk,
  { conversationId: key, messageId }: SentMessage,
  { receipt, networkId = null }: { receipt: Receipt; networkId?: string | null | undefined },
): Placed {
  const id = desk.world.ids.fresh('cmd');
  const command: ReceiptCommand = { id, type: 'receipt', messageId, receipt, networkId };
  return { conversationId: key, command };
}
