/** Commands to a conversation from other actors; the gateway's are in shared/wire/commands. */
import type { StoredMedia } from '../../shared/message.ts';
import type { Command } from '../../shared/ports/bus.ts';
import type { InboundMedia } from '../../shared/ports/network.ts';
import type { MessageKind } from '../../shared/vocabulary.ts';
import type { ConversationContact, ConversationState } from '../domain/conversation.ts';
import type { MessageChange } from '../domain/message-change.ts';
import type { Receipt } from '../domain/receipt.ts';

/** A message from the network: written by the contact, or typed on the connected phone. */
export interface NetworkMessageCommand extends Command {
  readonly type: 'inbound' | 'echo';
  readonly orgId: string;
  readonly channelId: string;
  readonly contactId: string;
  readonly phone: string;
  readonly networkId: string;
  /** Other network ids of the same person. */
  readonly aliases?: readonly string[];
  readonly profileName: string | null;
  readonly externalId: string;
  readonly fullId?: string;
  readonly replyToExternalId: string | null;
  readonly kind: MessageKind;
  readonly text: string | null;
  /** The advertisement or post that led to the message. */
  readonly referral?: string;
  /** Where the network keeps the media; its download begins once the message is recorded. */
  readonly media?: InboundMedia;
  readonly at: number;
  /** True for a message found so long after it was sent that it starts no flow. */
  readonly late?: boolean;
  /** Label of the channel: the network does not report which person typed on the phone. */
  readonly channelLabel: string;
}

/** The download of a message's media has ended; null: there will be no media. */
export interface MediaArrived extends Command {
  readonly type: 'media-arrived';
  readonly messageId: string;
  readonly media: StoredMedia | null;
}

/** Status report of the network; `messageId` or the receipt's `externalId` names the message. */
export interface ReceiptCommand extends Command {
  readonly type: 'receipt';
  readonly messageId: string | null;
  readonly receipt: Receipt;
  readonly networkId: string | null;
}

/** The author of a message has edited or deleted it. */
export interface ChangeMessageCommand extends Command {
  readonly type: 'change-message';
  readonly messageId: string;
  /** Whether our own number wrote it. */
  readonly fromMe: boolean;
  readonly change: MessageChange;
}

interface JoiningCommand extends Command {
  readonly orgId: string;
  readonly channelId: string;
}

/** The contact was merged into another one: the older of the two conversations stays. */
export interface JoinConversation extends JoiningCommand {
  readonly type: 'join';
  readonly contactId: string;
}

/** Asks the other conversation to decide which of the two is younger and gives way. */
export interface YieldConversation extends JoiningCommand {
  readonly type: 'yield';
  readonly to: { readonly id: string; readonly createdAt: number };
  readonly contact: ConversationContact;
}

/** Reply command to `yield`: the asked conversation is the older one. */
export interface GiveWay extends JoiningCommand {
  readonly type: 'give-way';
  readonly into: { readonly id: string; readonly createdAt: number };
}

/** State of the younger conversation before it joined this one. */
export interface AbsorbConversation extends JoiningCommand {
  readonly type: 'absorb-conversation';
  readonly other: ConversationState;
}

/** The contact has another number or name. */
export interface ReaddressConversation extends JoiningCommand {
  readonly type: 'readdress';
  readonly contact: ConversationContact;
  /** The contact's previous number, empty for a hidden one; null: the number is the same. */
  readonly numberLeft: string | null;
}

export type ConversationJoining =
  | JoinConversation
  | YieldConversation
  | GiveWay
  | AbsorbConversation
  | ReaddressConversation;

const JOINING: ReadonlySet<string> = new Set<ConversationJoining['type']>([
  'join',
  'yield',
  'give-way',
  'absorb-conversation',
  'readdress',
]);

export function isJoining(command: Command): command is ConversationJoining {
  return JOINING.has(command.type);
}
