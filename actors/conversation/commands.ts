/** Commands to a conversation from other actors; the gateway's own are in `shared/commands`. */
import type { StoredMedia } from '../../shared/message.ts';
import type { InboundMedia } from '../../shared/network.ts';
import type { Command } from '../../shared/ports.ts';
import type { MessageKind } from '../../shared/vocabulary.ts';
import type { Receipt } from '../domain/receipt.ts';

/** A message that came over the network: from the contact, or typed on the connected phone. */
export interface NetworkMessageCommand extends Command {
  readonly type: 'inbound' | 'echo';
  readonly orgId: string;
  readonly channelId: string;
  readonly contactId: string;
  readonly phone: string;
  readonly networkId: string;
  readonly profileName: string | null;
  readonly externalId: string;
  readonly replyToExternalId: string | null;
  readonly kind: MessageKind;
  readonly text: string | null;
  /** Where the network has it: it is fetched once the message is recorded. */
  readonly media?: InboundMedia;
  readonly at: number;
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
