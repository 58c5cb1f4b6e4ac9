/** Commands to a conversation from other actors; the gateway's are in shared/wire/commands. */
import type { StoredMedia } from '../../shared/message.ts';
import type { InboundMedia } from '../../shared/ports/network.ts';
import type { Command } from '../../shared/ports.ts';
import type { MessageKind } from '../../shared/vocabulary.ts';
import type { ConversationContact, ConversationState } from '../domain/conversation.ts';
import type { MessageChange } from '../domain/message-change.ts';
import type { Receipt } from '../domain/receipt.ts';

/** A message that came over the network: from the contact, or typed on the connected phone. */
export interface NetworkMessageCommand extends Command {
  readonly type: 'inbound' | 'echo';
  readonly orgId: string;
  readonly channelId: string;
  readonly contactId: string;
  readonly phone: string;
  readonly networkId: string;
  /** Other ids of the same person that came with it. */
  readonly aliases?: readonly string[];
  readonly profileName: string | null;
  readonly externalId: string;
  readonly fullId?: string;
  readonly replyToExternalId: string | null;
  readonly kind: MessageKind;
  readonly text: string | null;
  /** The advertisement or post behind it. */
  readonly referral?: string;
  /** Where the network has it: it is fetched once the message is recorded. */
  readonly media?: InboundMedia;
  readonly at: number;
  /** It was missed for so long that no flow begins by it. */
  readonly late?: boolean;
  /** The channel's label: who typed on the phone is not known. */
  readonly channelLabel: string;
}

/** The media of a message is on record; null: it will never come. */
export interface MediaArrived extends Command {
  readonly type: 'media-arrived';
  readonly messageId: string;
  readonly media: StoredMedia | null;
}

/** What the network says of a message; `messageId` or the receipt's `externalId` names it. */
export interface ReceiptCommand extends Command {
  readonly type: 'receipt';
  readonly messageId: string | null;
  readonly receipt: Receipt;
  readonly networkId: string | null;
}

/** The author of a message has changed it. */
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

/** Its contact has become part of another one: of their two conversations the older one stays. */
export interface JoinConversation extends JoiningCommand {
  readonly type: 'join';
  readonly contactId: string;
}

/** Has the other conversation decide which of the two is the younger and gives way. */
export interface YieldConversation extends JoiningCommand {
  readonly type: 'yield';
  readonly to: { readonly id: string; readonly createdAt: number };
  readonly contact: ConversationContact;
}

/** The other one is older. */
export interface GiveWay extends JoiningCommand {
  readonly type: 'give-way';
  readonly into: { readonly id: string; readonly createdAt: number };
}

/** The younger conversation, as it was before it joined this one. */
export interface AbsorbConversation extends JoiningCommand {
  readonly type: 'absorb-conversation';
  readonly other: ConversationState;
}

/** The contact is known under another number or name. */
export interface ReaddressConversation extends JoiningCommand {
  readonly type: 'readdress';
  readonly contact: ConversationContact;
  /** The number that it has left, empty for a hidden one; null: the number is the same. */
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
