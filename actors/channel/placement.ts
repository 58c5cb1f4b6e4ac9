/**
 * Where an event of the network belongs: which conversation takes it, and as which command.
 *
 * 1. A contact is who their canonical phone says; where the network hides the phone it is asked for
 *    it, and only who stays hidden is known by the network's opaque id.
 * 2. A status finds its message by our own id, or by the network's in the channel, whatever chat
 *    form it carries; or is kept until one of the two is on record.
 * 3. That a message was sent the network says twice, in its answer and as a status: a status that
 *    tells nothing new, as far as is known here, does not reach its conversation.
 */
import { conversationId, echoMessageId, inboundMessageId } from '../../shared/entity-ids.ts';
import type { NetworkEvent } from '../../shared/network.ts';
import { canonicalPhone } from '../../shared/phone.ts';
import type { Command } from '../../shared/ports.ts';
import { MESSAGE_KINDS } from '../../shared/vocabulary.ts';
import type { NetworkMessageCommand, ReceiptCommand } from '../conversation/commands.ts';
import type { EntryDocument } from '../conversation/documents.ts';
import type { MessageChange } from '../domain/message-change.ts';
import { type NetworkName, namedInChat, namesOf } from '../domain/network-name.ts';
import type { Receipt } from '../domain/receipt.ts';
import type { ChannelConfiguration } from './configuration.ts';
import type { Desk } from './desk.ts';
import { findSent } from './named-message.ts';
import { changeNumber, contactOf, type ShownPerson } from './person.ts';
import type { SentMessage } from './sent-index.ts';

type PlacedDesk = Pick<Desk, 'channelId' | 'world' | 'sent' | 'early' | 'people'>;
type ReceiptEvent = Extract<NetworkEvent, { type: 'receipt' }>;
/** Events that concern a conversation. */
type PlacedEvent = Exclude<NetworkEvent, { type: 'readiness' | 'restriction' }>;
type ChangeEvent = Extract<NetworkEvent, { type: 'edit' | 'deletion' }>;
type MessageEvent = Extract<NetworkEvent, { type: 'message' | 'echo' }>;

export type Placed = PlacedMessage | PlacedChange | PlacedReceipt;

interface Named extends NetworkName {
  readonly conversationId: string;
  /** `out`: our own number wrote it. */
  readonly direction: 'in' | 'out';
  readonly at: number;
}

export interface PlacedMessage extends Named {
  readonly event: 'message';
  readonly command: NetworkMessageCommand;
  readonly messageId: string;
}

export interface PlacedChange extends Named {
  readonly event: 'change';
  readonly change: MessageChange;
  /** Under which the network knows the author. */
  readonly personIds: readonly string[];
}

export interface PlacedReceipt {
  readonly conversationId: string;
  readonly command: Command;
}

/** Null: it concerns nobody here, or is kept for later. `ask again`: the network must repeat it. */
export function place(
  desk: PlacedDesk,
  configuration: ChannelConfiguration,
  event: PlacedEvent,
): Promise<Placed | null | 'ask again'> {
  switch (event.type) {
    case 'receipt':
      return placeReceipt(desk, event);
    case 'message':
    case 'echo':
      return placeMessage(desk, configuration, event);
    case 'edit':
    case 'deletion':
      return placeChange(desk, configuration, event);
    case 'identity':
      return placeIdentity(desk, configuration, event);
    case 'number-change':
      return placeNumberChange(desk, configuration, event);
    default:
      return event satisfies never;
  }
}

async function placeIdentity(
  desk: PlacedDesk,
  configuration: ChannelConfiguration,
  event: Extract<NetworkEvent, { type: 'identity' }>,
): Promise<null | 'ask again'> {
  const person = await personOf(desk, configuration, event);
  if (person === null) return 'ask again';
  await contactOf(desk, configuration.orgId, person);
  return null;
}

async function placeNumberChange(
  desk: PlacedDesk,
  configuration: ChannelConfiguration,
  event: Extract<NetworkEvent, { type: 'number-change' }>,
): Promise<null | 'ask again'> {
  const from = await personOf(desk, configuration, event.from);
  const to = await personOf(desk, configuration, event.to);
  if (from === null || to === null) return 'ask again';
  await changeNumber(desk, configuration.orgId, { from, to, at: event.at });
  return null;
}

/** Null when the network did not say who it is. */
async function personOf(
  desk: PlacedDesk,
  { network, country, entry }: ChannelConfiguration,
  shown: ShownPerson,
): Promise<ShownPerson | null> {
  const driver = desk.world.networks.driver(network.provider);
  const hidden = shown.phone === '' && driver.findPhone !== undefined;
  const found = hidden ? await driver.findPhone?.(network, shown.networkId) : undefined;
  if (found?.known === false) {
    desk.world.log.warn({ channelId: desk.channelId, cause: found.cause }, 'no phone looked up');
    return null;
  }
  const { phone, networkId } = found ?? shown;
  const canonical = phone === '' ? '' : (canonicalPhone(`+${phone}`, country) ?? phone);
  // Ids beside our own number are of whomever it talks to: they would make strangers one.
  if (canonical === entry.phone) return { phone: canonical, networkId };
  const aliases = [...(shown.aliases ?? []), ...(found ? [shown.networkId] : [])];
  return { phone: canonical, networkId, aliases };
}

async function placeMessage(
  desk: PlacedDesk,
  configuration: ChannelConfiguration,
  event: MessageEvent,
): Promise<PlacedMessage | 'ask again'> {
  const { ids } = desk.world;
  const { orgId, entry } = configuration;
  const person = await personOf(desk, configuration, event);
  if (person === null) return 'ask again';
  const contact = await contactOf(desk, orgId, person);
  const key = conversationId(ids, desk.channelId, contact);
  const inbound = event.type === 'message' ? event : null;
  const { at, aliases } = event;
  const names = namesOf(event);
  const command: NetworkMessageCommand = {
    id: ids.fresh('cmd'),
    type: inbound ? 'inbound' : 'echo',
    orgId,
    channelId: desk.channelId,
    contactId: contact,
    phone: person.phone,
    networkId: person.networkId,
    ...(aliases ? { aliases } : {}),
    profileName: inbound?.profileName ?? null,
    ...names,
    replyToExternalId: inbound?.replyToExternalId ?? null,
    kind: MESSAGE_KINDS.find((kind) => kind === event.kind) ?? 'unsupported',
    text: event.text,
    ...(inbound?.referral === undefined ? {} : { referral: inbound.referral }),
    ...(event.media ? { media: event.media } : {}),
    at,
    channelLabel: entry.label,
  };
  const nameMessage = inbound ? inboundMessageId : echoMessageId;
  const messageId = nameMessage(ids, desk.channelId, names.externalId);
  const direction = inbound ? 'in' : 'out';
  return { event: 'message', conversationId: key, direction, ...names, at, command, messageId };
}

async function placeChange(
  desk: PlacedDesk,
  configuration: ChannelConfiguration,
  event: ChangeEvent,
): Promise<Placed | 'ask again'> {
  const { ids } = desk.world;
  const person = await personOf(desk, configuration, event);
  if (person === null) return 'ask again';
  const contact = await contactOf(desk, configuration.orgId, person);
  const { at, fromMe, networkId, aliases = [] } = event;
  return {
    event: 'change',
    conversationId: conversationId(ids, desk.channelId, contact),
    direction: fromMe ? 'out' : 'in',
    ...namedInChat(event, { chat: networkId, fromMe }),
    at,
    change:
      event.type === 'edit' ? { type: 'edit', at, text: event.text } : { type: 'deletion', at },
    personIds: [networkId, person.networkId, ...aliases],
  };
}

async function placeReceipt(desk: PlacedDesk, event: ReceiptEvent): Promise<PlacedReceipt | null> {
  if (event.status === 'sent' && desk.sent.isRecorded(event.externalId, event)) return null;
  const receipt = receiptOf(event);
  if (event.messageId !== undefined) {
    const message = desk.sent.find(event.messageId) ?? (await messageOf(desk, event.messageId));
    return message && receiptCommand(desk, message, { receipt, networkId: event.networkId });
  }
  const known = await findSent(desk, event);
  if (known) return receiptCommand(desk, known, { receipt });
  await desk.early.keep(event.externalId, receipt);
  // Its message may have been recorded in between, by whoever looked for kept ones too early.
  const meanwhile = await findSent(desk, event);
  return meanwhile && receiptCommand(desk, meanwhile, { receipt });
}

async function messageOf(desk: PlacedDesk, messageId: string): Promise<SentMessage | null> {
  const entry = await desk.world.store.findOne<EntryDocument>(
    'entries',
    { _id: messageId, channelId: desk.channelId },
    { project: { conversationId: 1 } },
  );
  return entry && { conversationId: entry.conversationId, messageId: entry._id };
}

function receiptOf(event: ReceiptEvent): Receipt {
  const { status, at, error } = event;
  return { status, at, ...namesOf(event), ...(error ? { error } : {}) };
}

function receiptCommand(
  desk: PlacedDesk,
  { conversationId: key, messageId }: SentMessage,
  { receipt, networkId = null }: { receipt: Receipt; networkId?: string | null | undefined },
): PlacedReceipt {
  const id = desk.world.ids.fresh('cmd');
  const command: ReceiptCommand = { id, type: 'receipt', messageId, receipt, networkId };
  return { conversationId: key, command };
}
