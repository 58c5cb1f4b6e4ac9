/**
 * Event routing: finds the conversation of a network event, and the command for it.
 *
 * 1. The canonical phone identifies a contact. Where the network hides the phone, the driver looks
 *    it up. A contact whose phone stays hidden is identified by the network's opaque id.
 * 2. A status finds its message by our own id, or by the network's id in the channel under any chat
 *    form. Otherwise it is kept until one of the two is on record.
 * 3. The network reports a send twice: in its answer and as a status. A status that adds nothing,
 *    as far as this process knows, does not reach its conversation.
 */
import { conversationId, echoMessageId, inboundMessageId } from '../../shared/entity-ids.ts';
import type { Command } from '../../shared/ports/bus.ts';
import type { NetworkEvent } from '../../shared/ports/network.ts';
import { canonicalPhone } from '../../shared/text/phone.ts';
import { MESSAGE_KINDS } from '../../shared/vocabulary.ts';
import type { NetworkMessageCommand, ReceiptCommand } from '../conversation/commands.ts';
import type { EntryDocument } from '../conversation/documents.ts';
import type { MessageChange } from '../domain/message-change.ts';
import { type NetworkName, namedInChat, namesOf } from '../domain/network-name.ts';
import type { Receipt } from '../domain/receipt.ts';
import type { ChannelSender } from './channel-sender.ts';
import type { ChannelConfiguration } from './configuration.ts';
import { findSent } from './named-message.ts';
import { changeNumber, type NetworkPerson, resolveContact } from './resolve-contact.ts';
import type { SentMessage } from './sent-index.ts';

type RoutingContext = Pick<
  ChannelSender,
  'channelId' | 'environment' | 'sent' | 'unmatched' | 'contacts'
>;
type ReceiptEvent = Extract<NetworkEvent, { type: 'receipt' }>;
/** Events that concern a conversation. */
type ConversationEvent = Exclude<NetworkEvent, { type: 'readiness' | 'restriction' }>;
type ChangeEvent = Extract<NetworkEvent, { type: 'edit' | 'deletion' }>;
type MessageEvent = Extract<NetworkEvent, { type: 'message' | 'echo' }>;

export type RoutedEvent = RoutedMessage | RoutedChange | RoutedReceipt;

interface Named extends NetworkName {
  readonly conversationId: string;
  /** `out`: our own number wrote it. */
  readonly direction: 'in' | 'out';
  readonly at: number;
}

export interface RoutedMessage extends Named {
  readonly event: 'message';
  readonly command: NetworkMessageCommand;
  readonly messageId: string;
}

export interface RoutedChange extends Named {
  readonly event: 'change';
  readonly change: MessageChange;
  /** Ids under which the network knows the author. */
  readonly personIds: readonly string[];
}

export interface RoutedReceipt {
  readonly conversationId: string;
  readonly command: Command;
}

/**
 * Null: the event needs no command, or is kept for later. `ask again`: the network must repeat it.
 */
export function routeEvent(
  context: RoutingContext,
  configuration: ChannelConfiguration,
  event: ConversationEvent,
): Promise<RoutedEvent | null | 'ask again'> {
  switch (event.type) {
    case 'receipt':
      return routeReceipt(context, event);
    case 'message':
    case 'echo':
      return routeMessage(context, configuration, event);
    case 'edit':
    case 'deletion':
      return routeChange(context, configuration, event);
    case 'identity':
      return routeIdentity(context, configuration, event);
    case 'number-change':
      return routeNumberChange(context, configuration, event);
    default:
      return event satisfies never;
  }
}

async function routeIdentity(
  context: RoutingContext,
  configuration: ChannelConfiguration,
  event: Extract<NetworkEvent, { type: 'identity' }>,
): Promise<null | 'ask again'> {
  const person = await personOf(context, configuration, event);
  if (person === null) return 'ask again';
  await resolveContact(context, configuration.orgId, person);
  return null;
}

async function routeNumberChange(
  context: RoutingContext,
  configuration: ChannelConfiguration,
  event: Extract<NetworkEvent, { type: 'number-change' }>,
): Promise<null | 'ask again'> {
  const from = await personOf(context, configuration, event.from);
  const to = await personOf(context, configuration, event.to);
  if (from === null || to === null) return 'ask again';
  await changeNumber(context, configuration.orgId, { from, to, at: event.at });
  return null;
}

/** Null when the network did not answer the look-up of the phone. */
async function personOf(
  context: RoutingContext,
  { network, country, entry }: ChannelConfiguration,
  person: NetworkPerson,
): Promise<NetworkPerson | null> {
  const driver = context.environment.networks.driver(network.provider);
  const hidden = person.phone === '' && driver.findPhone !== undefined;
  const found = hidden ? await driver.findPhone?.(network, person.networkId) : undefined;
  if (found?.known === false) {
    context.environment.log.warn(
      { channelId: context.channelId, cause: found.cause },
      'no phone looked up',
    );
    return null;
  }
  const { phone, networkId } = found ?? person;
  const canonical = phone === '' ? '' : (canonicalPhone(`+${phone}`, country) ?? phone);
  // Ids beside our own number belong to its chat partners: they would merge different people.
  if (canonical === entry.phone) return { phone: canonical, networkId };
  const aliases = [...(person.aliases ?? []), ...(found ? [person.networkId] : [])];
  return { phone: canonical, networkId, aliases };
}

async function routeMessage(
  context: RoutingContext,
  configuration: ChannelConfiguration,
  event: MessageEvent,
): Promise<RoutedMessage | 'ask again'> {
  const { ids } = context.environment;
  const { orgId, entry } = configuration;
  const person = await personOf(context, configuration, event);
  if (person === null) return 'ask again';
  const contact = await resolveContact(context, orgId, person);
  const key = conversationId(ids, context.channelId, contact);
  const inbound = event.type === 'message' ? event : null;
  const { at, aliases } = event;
  const names = namesOf(event);
  const command: NetworkMessageCommand = {
    id: ids.fresh('cmd'),
    type: inbound ? 'inbound' : 'echo',
    orgId,
    channelId: context.channelId,
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
  const messageId = nameMessage(ids, context.channelId, names.externalId);
  const direction = inbound ? 'in' : 'out';
  return { event: 'message', conversationId: key, direction, ...names, at, command, messageId };
}

async function routeChange(
  context: RoutingContext,
  configuration: ChannelConfiguration,
  event: ChangeEvent,
): Promise<RoutedEvent | 'ask again'> {
  const { ids } = context.environment;
  const person = await personOf(context, configuration, event);
  if (person === null) return 'ask again';
  const contact = await resolveContact(context, configuration.orgId, person);
  const { at, fromMe, networkId, aliases = [] } = event;
  return {
    event: 'change',
    conversationId: conversationId(ids, context.channelId, contact),
    direction: fromMe ? 'out' : 'in',
    ...namedInChat(event, { chat: networkId, fromMe }),
    at,
    change:
      event.type === 'edit' ? { type: 'edit', at, text: event.text } : { type: 'deletion', at },
    personIds: [networkId, person.networkId, ...aliases],
  };
}

async function routeReceipt(
  context: RoutingContext,
  event: ReceiptEvent,
): Promise<RoutedReceipt | null> {
  if (event.status === 'sent' && context.sent.isRecorded(event.externalId, event)) return null;
  const receipt = receiptOf(event);
  if (event.messageId !== undefined) {
    const message =
      context.sent.find(event.messageId) ?? (await messageOf(context, event.messageId));
    return message && receiptCommand(context, message, { receipt, networkId: event.networkId });
  }
  const known = await findSent(context, event);
  if (known) return receiptCommand(context, known, { receipt });
  await context.unmatched.keep(event.externalId, receipt);
  // The message may have been recorded in between, by a writer that searched kept receipts too
  // early.
  const meanwhile = await findSent(context, event);
  return meanwhile && receiptCommand(context, meanwhile, { receipt });
}

async function messageOf(context: RoutingContext, messageId: string): Promise<SentMessage | null> {
  const entry = await context.environment.store.findOne<EntryDocument>(
    'entries',
    { _id: messageId, channelId: context.channelId },
    { project: { conversationId: 1 } },
  );
  return entry && { conversationId: entry.conversationId, messageId: entry._id };
}

function receiptOf(event: ReceiptEvent): Receipt {
  const { status, at, error } = event;
  return { status, at, ...namesOf(event), ...(error ? { error } : {}) };
}

function receiptCommand(
  context: RoutingContext,
  { conversationId: key, messageId }: SentMessage,
  { receipt, networkId = null }: { receipt: Receipt; networkId?: string | null | undefined },
): RoutedReceipt {
  const id = context.environment.ids.fresh('cmd');
  const command: ReceiptCommand = { id, type: 'receipt', messageId, receipt, networkId };
  return { conversationId: key, command };
}
