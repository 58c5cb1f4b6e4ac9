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
import { conversationId, echoMessageId, inboundMessageId } from '../../../shared/entity-ids.ts';
import { ASK_DEADLINE_MS } from '../../../shared/limits.ts';
import type { MessageContent } from '../../../shared/message-content.ts';
import type { CommandOf } from '../../../shared/ports/bus.ts';
import type { NetworkEvent, NetworkPerson } from '../../../shared/ports/network-event.ts';
import { networkPhone } from '../../../shared/text/phone.ts';
import { isSameNumber } from '../../../shared/text/phone-spellings.ts';
import { MESSAGE_KINDS } from '../../../shared/vocabulary.ts';
import { commerceOf } from '../../domain/conversation/commerce.ts';
import type { MessageChange } from '../../domain/conversation/message-change.ts';
import {
  type NetworkName,
  namesOf,
  type Receipt,
} from '../../domain/conversation/network-message.ts';
import type {
  NetworkCall,
  NetworkMessageCommand,
  NetworkWelcome,
  ReceiptCommand,
} from '../../model/conversation.ts';
import type { ChannelConfiguration } from '../readiness/configuration.ts';
import type { SentMessage } from '../sending/sent-index.ts';
import { findSent } from './named-message.ts';
import type { RoutingContext } from './receiving-channel.ts';
import { changeNumber, resolveContact } from './resolve-contact.ts';

type ReceiptEvent = Extract<NetworkEvent, { type: 'receipt' }>;
/** Events that concern one person. */
export type PersonEvent = Exclude<
  NetworkEvent,
  { type: 'readiness' | 'restriction' | 'templates-changed' | 'number-change' }
>;

export type RoutedEvent = RoutedMessage | RoutedChange | RoutedCommand;

interface Author {
  readonly person: NetworkPerson;
  readonly contactId: string;
  readonly conversationId: string;
}

interface Named extends NetworkName {
  readonly conversationId: string;
  /** `out`: our own number wrote it. */
  readonly direction: 'in' | 'out';
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

/** A receipt, a call or an opened chat. */
export interface RoutedCommand {
  readonly conversationId: string;
  readonly command: CommandOf<'conversation'>;
}

/** Null: it needs no command, or is kept for later. `ask again`: the network must repeat it. */
export async function routeEvent(
  context: RoutingContext,
  configuration: ChannelConfiguration,
  event: PersonEvent,
): Promise<RoutedEvent | null | 'ask again'> {
  if (event.type === 'receipt') return routeReceipt(context, event);
  const author = await authorOf(context, configuration, event);
  if (author === null) return 'ask again';
  switch (event.type) {
    case 'message':
    case 'echo':
      return routeMessage(context, { configuration, author }, event);
    case 'edit':
    case 'deletion':
      return routeChange(author, event);
    case 'call':
      return routeCall(context, { configuration, author }, event);
    case 'welcome':
      return routeWelcome(context, { configuration, author }, event);
    case 'identity':
      return null;
    case 'marketing-wish':
      return recordWish(context, { configuration, author }, event);
    default:
      return event satisfies never;
  }
}

/** False: the network must repeat it. */
export async function routeNumberChange(
  context: RoutingContext,
  configuration: ChannelConfiguration,
  event: Extract<NetworkEvent, { type: 'number-change' }>,
): Promise<boolean> {
  const from = await personOf(context, configuration, event.from);
  const to = await personOf(context, configuration, event.to);
  if (from === null || to === null) return false;
  const { channelId, environment } = context;
  const { orgId } = configuration;
  const scope = { channelId, environment, orgId, origin: 'network' } as const;
  await changeNumber(scope, { from, to, at: event.at });
  return true;
}

/** What the contact does; the rest is typed on our phone, or reported of both. */
const CONTACTS_OWN: ReadonlySet<NetworkEvent['type']> = new Set(['message', 'call', 'welcome']);

/** The person behind an event, and the contact; null when `personOf` is. */
async function authorOf(
  context: RoutingContext,
  configuration: ChannelConfiguration,
  event: Exclude<PersonEvent, ReceiptEvent>,
): Promise<Author | null> {
  const person = await personOf(context, configuration, event);
  if (person === null) return null;
  const origin = CONTACTS_OWN.has(event.type) ? 'contact' : 'network';
  const profileName = 'profileName' in event ? event.profileName : undefined;
  const scope = { orgId: configuration.orgId, origin, profileName } as const;
  const contact = await resolveContact(context, scope, person);
  const key = conversationId(context.environment.ids, context.channelId, contact);
  return { person, contactId: contact, conversationId: key };
}

/** Null when the network did not answer the look-up of the phone. */
async function personOf(
  context: RoutingContext,
  { network, entry }: ChannelConfiguration,
  person: NetworkPerson,
): Promise<NetworkPerson | null> {
  const driver = context.environment.networks.driver(network.provider);
  const isHidden = person.phone === '';
  const found = isHidden ? await driver.findPhone?.(network, person.networkId) : undefined;
  if (found?.known === false) {
    const fields = { channelId: context.channelId, cause: found.cause };
    context.environment.log.warn(fields, 'no phone looked up');
    return null;
  }
  const { phone, networkId } = found ?? person;
  const canonical = phone === '' ? '' : networkPhone(phone);
  // Ids beside our own number belong to its chat partners: they would merge different people.
  if (isSameNumber(canonical, entry.phone)) return { phone: canonical, networkId };
  const aliases = [...(person.aliases ?? []), ...(found ? [person.networkId] : [])];
  return { phone: canonical, networkId, aliases };
}

/** It concerns the contact alone, which may have no conversation. */
async function recordWish(
  { environment: { bus, ids, clock }, channelId }: RoutingContext,
  { configuration, author }: { configuration: ChannelConfiguration; author: Author },
  { wanted, at }: Extract<NetworkEvent, { type: 'marketing-wish' }>,
): Promise<null | 'ask again'> {
  const { contactId: key, person } = author;
  const command = {
    // The network repeats what it has no answer for.
    id: ids.derive('cmd', channelId, key, String(wanted), String(at)),
    type: 'opt-marketing',
    orgId: configuration.orgId,
    phone: person.phone,
    ...{ wanted, at },
    origin: 'contact',
  } as const;
  const deadline = clock.now() + ASK_DEADLINE_MS;
  const answer = await bus.ask({ kind: 'contact', key }, command, { deadline });
  return answer.status >= 500 ? 'ask again' : null;
}

function routeMessage(
  { channelId, environment: { ids } }: RoutingContext,
  { configuration, author }: { configuration: ChannelConfiguration; author: Author },
  event: Extract<NetworkEvent, { type: 'message' | 'echo' }>,
): RoutedMessage {
  const { person, contactId, conversationId: key } = author;
  const inbound = event.type === 'message' ? event : null;
  const { at, aliases } = event;
  const names = namesOf(event);
  const content = contentOf(event);
  const command: NetworkMessageCommand = {
    id: ids.fresh('cmd'),
    type: inbound ? 'inbound' : 'echo',
    orgId: configuration.orgId,
    channelId,
    contactId,
    phone: person.phone,
    networkId: person.networkId,
    ...(aliases ? { aliases } : {}),
    profileName: inbound?.profileName ?? null,
    ...names,
    replyToExternalId: event.replyToExternalId ?? null,
    kind: MESSAGE_KINDS.find((kind) => kind === event.kind) ?? 'unsupported',
    text: event.text,
    ...(inbound?.referral === undefined ? {} : { referral: inbound.referral }),
    ...(inbound ? commerceOf(inbound) : {}),
    ...(content ? { content } : {}),
    ...(event.media ? { media: event.media } : {}),
    ...(event.error ? { error: event.error } : {}),
    at,
    channelLabel: configuration.entry.label,
  };
  const nameMessage = inbound ? inboundMessageId : echoMessageId;
  const messageId = nameMessage(ids, channelId, names.externalId);
  const direction = inbound ? 'in' : 'out';
  return { event: 'message', conversationId: key, direction, ...names, command, messageId };
}

function contentOf(
  event: Extract<NetworkEvent, { type: 'message' | 'echo' }>,
): MessageContent | null {
  const { location, contacts } = event;
  if (event.type === 'message' && event.answer) return { type: 'answer', answer: event.answer };
  if (location) return { type: 'location', location };
  return contacts ? { type: 'contacts', contacts } : null;
}

function routeChange(
  { person, conversationId: key }: Author,
  event: Extract<NetworkEvent, { type: 'edit' | 'deletion' }>,
): RoutedChange {
  const { type, at, externalId, networkId, aliases = [] } = event;
  const direction = event.fromMe ? 'out' : 'in';
  const change = type === 'edit' ? { type, at, text: event.text } : { type, at };
  const personIds = [networkId, person.networkId, ...aliases];
  return { event: 'change', conversationId: key, direction, externalId, change, personIds };
}

interface Routing {
  readonly configuration: ChannelConfiguration;
  readonly author: Author;
}

function routeCall(
  context: RoutingContext,
  routing: Routing,
  event: Extract<NetworkEvent, { type: 'call' }>,
): RoutedCommand {
  const { callId, at } = event;
  const command: NetworkCall = {
    ...personFields(context, routing, event),
    type: 'call',
    callId,
    at,
  };
  return { conversationId: routing.author.conversationId, command };
}

function routeWelcome(
  context: RoutingContext,
  routing: Routing,
  event: Extract<NetworkEvent, { type: 'welcome' }>,
): RoutedCommand {
  const { welcomeId, ad, at } = event;
  const person = personFields(context, routing, event);
  const command: NetworkWelcome = {
    ...person,
    type: 'welcome',
    welcomeId,
    ...(ad ? { ad } : {}),
    at,
  };
  return { conversationId: routing.author.conversationId, command };
}

function personFields(
  { channelId, environment: { ids } }: RoutingContext,
  { configuration, author }: Routing,
  { aliases, profileName }: NetworkPerson & { readonly profileName?: string },
) {
  const { person, contactId } = author;
  return {
    id: ids.fresh('cmd'),
    orgId: configuration.orgId,
    ...{ channelId, contactId },
    phone: person.phone,
    networkId: person.networkId,
    ...(aliases ? { aliases } : {}),
    profileName: profileName ?? null,
  };
}

async function routeReceipt(
  context: RoutingContext,
  event: ReceiptEvent,
): Promise<RoutedCommand | null> {
  if (event.status === 'sent' && context.sent.isRecorded(event.externalId, event)) return null;
  const { status, at, error } = event;
  const receipt: Receipt = { status, at, ...namesOf(event), ...(error ? { error } : {}) };
  if (event.messageId !== undefined) {
    const message =
      context.sent.find(event.messageId) ?? (await messageOf(context, event.messageId));
    return message && receiptCommand(context, message, { receipt, networkId: event.networkId });
  }
  const known = await findSent(context, event);
  if (known) return receiptCommand(context, known, { receipt });
  await context.unmatched.keep(event.externalId, receipt);
  // A writer that searched kept receipts too early may have recorded the message in between.
  const meanwhile = await findSent(context, event);
  return meanwhile && receiptCommand(context, meanwhile, { receipt });
}

async function messageOf(context: RoutingContext, messageId: string): Promise<SentMessage | null> {
  const filter = { _id: messageId, channelId: context.channelId };
  const project = { conversationId: 1 } as const;
  const entry = await context.environment.store.findOne('entries', filter, { project });
  return entry && { conversationId: entry.conversationId, messageId };
}

export function receiptCommand(
  context: Pick<RoutingContext, 'environment'>,
  { conversationId: key, messageId }: SentMessage,
  { receipt, networkId = null }: { receipt: Receipt; networkId?: string | null | undefined },
): RoutedCommand {
  const id = context.environment.ids.fresh('cmd');
  const command: ReceiptCommand = { id, type: 'receipt', messageId, receipt, networkId };
  return { conversationId: key, command };
}
