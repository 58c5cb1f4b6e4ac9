/** Commands to conversations, and the documents of their log and their snapshot. */
import type { StoredMedia, StoredMessage } from '../../shared/message.ts';
import type { Ad, Commerce, MessageContent } from '../../shared/message-content.ts';
import type { Command } from '../../shared/ports/bus.ts';
import type { InboundMedia } from '../../shared/ports/network-event.ts';
import type { Document } from '../../shared/ports/store.ts';
import type { MessageKind, Urgency } from '../../shared/vocabulary.ts';
import type { Acknowledged, Exchange, Exchanges } from '../../shared/wire/command-map.ts';
import type { OutboxItem } from '../../shared/wire/outbox.ts';
import type { Shelved } from '../../shared/wire/subjects.ts';
import type {
  ConversationContact,
  ConversationState,
} from '../domain/conversation/conversation.ts';
import type { OwnPlace } from '../domain/conversation/history-order.ts';
import type { Changes, MessageChange } from '../domain/conversation/message-change.ts';
import type { Receipt } from '../domain/conversation/network-message.ts';
import type { NotePause } from '../domain/conversation/quick-turns.ts';
import type { Settlement } from '../domain/conversation/settlement.ts';
import type { EndedRun } from '../domain/flow-run.ts';
import type { FlowCallEnded, FlowTimer, StopFlow } from './flow.ts';

export interface AskedOfConversations extends Exchanges<ConversationJoining, Acknowledged> {
  readonly inbound: Exchange<NetworkMessageCommand, Acknowledged>;
  readonly echo: Exchange<NetworkMessageCommand, Acknowledged>;
  readonly receipt: Exchange<ReceiptCommand, Acknowledged>;
  readonly call: Exchange<NetworkCall, Acknowledged>;
  readonly welcome: Exchange<NetworkWelcome, Acknowledged>;
  readonly 'change-message': Exchange<ChangeMessageCommand, Acknowledged>;
  readonly 'media-arrived': Exchange<MediaArrived, Acknowledged>;
  readonly 'send-fallback': Exchange<SendFallback, Acknowledged>;
  readonly 'note-pause': Exchange<NotePause, Acknowledged>;
  readonly 'settle-due': Exchange<SettleDue, SettledDue>;
  readonly 'show-released': Exchange<ShowReleased, Acknowledged>;
  readonly 'flow-timer': Exchange<FlowTimer, Acknowledged>;
  readonly 'flow-call-ended': Exchange<FlowCallEnded, Acknowledged>;
  readonly 'stop-flow': Exchange<StopFlow, Acknowledged>;
}

/** What a network reports of a person, by the names that it has for them. */
interface PersonCommand extends Command {
  readonly orgId: string;
  readonly channelId: string;
  readonly contactId: string;
  readonly phone: string;
  readonly networkId: string;
  /** Other network ids of the same person. */
  readonly aliases?: readonly string[];
  readonly profileName: string | null;
}

/** A message from the network: written by the contact, or typed on the connected phone. */
export interface NetworkMessageCommand extends PersonCommand, Commerce {
  readonly type: 'inbound' | 'echo';
  readonly externalId: string;
  readonly fullId?: string;
  readonly replyToExternalId: string | null;
  readonly kind: MessageKind;
  readonly text: string | null;
  /** The advertisement or post that led to the message. */
  readonly referral?: string;
  /** A choice, a place or cards: the structure behind the text. */
  readonly content?: MessageContent;
  /** Why the network has no media for it. */
  readonly error?: StoredMessage['error'];
  /** Where the network keeps the media; its download begins once the message is recorded. */
  readonly media?: InboundMedia;
  readonly at: number;
  /** True for a message found so long after it was sent that it starts no flow. */
  readonly late?: boolean;
  /** Label of the channel: the network does not report which person typed on the phone. */
  readonly channelLabel: string;
}

/** The contact calls our number: nothing to read, but its window opens. */
export interface NetworkCall extends PersonCommand {
  readonly type: 'call';
  /** The network's, one per call: it reports a call several times. */
  readonly callId: string;
  /** The network's time of its beginning, epoch milliseconds. */
  readonly at: number;
}

/** The contact opened the chat for the first time, and wrote nothing. */
export interface NetworkWelcome extends PersonCommand {
  readonly type: 'welcome';
  /** The network's, one per opening: it may report one several times. */
  readonly welcomeId: string;
  /** The advertisement that led to the chat. */
  readonly ad?: Ad;
  readonly at: number;
  /** True for one that arrives so late that it starts no flow. */
  readonly late?: boolean;
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

/**
 * The network has refused a message outside of the window: its fallback is sent once. The command's
 * id is derived from the refused message, and becomes the id of the template's message.
 */
export interface SendFallback extends Command {
  readonly type: 'send-fallback';
  readonly orgId: string;
  readonly channelId: string;
  /** The refused message. */
  readonly messageId: string;
}

/** The author of a message has edited or deleted it. */
export interface ChangeMessageCommand extends Command {
  readonly type: 'change-message';
  readonly messageId: string;
  /** Whether our own number wrote it. */
  readonly fromMe: boolean;
  readonly change: MessageChange;
}

export interface JoiningCommand extends Command {
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

/** The time of scheduled messages has come. */
export interface SettleDue extends Command {
  readonly type: 'settle-due';
}

export interface SettledDue {
  /** When the next scheduled message is due, epoch milliseconds; null: none is scheduled. */
  readonly next: number | null;
}

/** A message of a joined conversation was released: the one that stays shows it. */
export interface ShowReleased extends Command {
  readonly type: 'show-released';
  readonly at: number;
  readonly preview: string;
}

/**
 * Item of the send agenda: the state of a message's transmission. Absent once the network has
 * accepted or refused the message. It is on the shelf of the channel's actor.
 */
export interface SendAgenda extends Shelved {
  readonly channelId: string;
  readonly state: 'queued' | 'sending';
  /** Time at which the message was accepted, epoch milliseconds. */
  readonly at: number;
  /** `seq` of the message that was queued before it in the conversation; 0 for the first. */
  readonly previousSeq: number;
  /** Number of transmissions that were begun. */
  readonly attempt: number;
  /** Epoch and time of the change to `sending`. */
  readonly epoch?: number;
  readonly since?: number;
  /** The network's id under which it is sent; absent where the network makes its own ids. */
  readonly ownId?: string;
  /** When it was first transmitted without a conclusive answer, epoch milliseconds. */
  readonly doubtSince?: number;
  /** How often the network failed on this very message. */
  readonly failures?: number;
  /** Attempts that met a failure of the whole network: they give no message up. */
  readonly outages?: number;
  /** The attempt that repeated it though no look-up was conclusive: one at most. */
  readonly blindAttempt?: number;
  /** Place in the sending order of a message that was scheduled; else it is the entry's `seq`. */
  readonly seq?: number;
  /** Its recipient, as known when it was released. */
  readonly to?: string;
  /** Absent: normal, as in entries of earlier versions. */
  readonly urgency?: Exclude<Urgency, 'normal'>;
}

/** Item of the agenda of scheduled messages; absent once the settlement is on the message. */
export interface DueAgenda extends Shelved {
  readonly orgId: string;
  /** Epoch milliseconds. */
  readonly at: number;
}

/** Media that only the network holds yet; absent once it is stored or was given up. */
export interface MediaDue extends Shelved {
  /** Time of the next try, epoch milliseconds. */
  readonly at: number;
  readonly attempt: number;
  readonly media: InboundMedia;
}

export interface EntryDocument extends Document, Changes {
  readonly conversationId: string;
  readonly seq: number;
  readonly orgId: string;
  readonly channelId: string;
  readonly externalId?: string;
  /** Request that appended the entry, for the logs. */
  readonly requestId?: string;
  /** Absent where the entry holds no message, an assignment for example. */
  readonly message?: StoredMessage;
  /** The state after this entry: the last entry's state is the truth. */
  readonly after: ConversationState;
  /**
   * Shelf of the conversation while snapshot or outbox may be unfinished. A queued message is
   * in the send agenda instead.
   */
  readonly pending?: number;
  readonly outbox?: readonly OutboxItem[];
  readonly send?: SendAgenda;
  /** Of a message that left the send agenda unsent: the place of the one before it stays known. */
  readonly cancelled?: Pick<SendAgenda, 'previousSeq'>;
  readonly mediaDue?: MediaDue;
  readonly due?: DueAgenda;
  /** The scheduled message that the entry settles. */
  readonly settles?: Settlement;
  /** Its place in the history where it is not that of its `seq`. */
  readonly ownPlace?: OwnPlace;
  /** The flow run that the entry has ended. */
  readonly ended?: EndedRun;
  /** Timer of the state's flow run: when it is due, and the conversation's shelf. */
  readonly timer?: Shelved & {
    readonly at: number;
    readonly orgId: string;
    /** Number of tries that failed to advance the run. */
    readonly tries?: number;
    /** Epochs whose owners began the step and are not known to have outlived it (`recovered-steps`). */
    readonly begunIn?: Readonly<Record<string, true>>;
  };
}

/** The snapshot. `seq` and `epoch` come first, see `snapshotWrite`. */
export interface ConversationDocument extends Document {
  readonly snapshot: {
    readonly seq: number;
    readonly epoch: number;
    readonly orgId: string;
    readonly channelId: string;
    readonly contactId: string;
    readonly status: string;
    readonly lastMessageAt: number;
    /** Empty for no member: an index tells no null from a missing value. */
    readonly assignedTo: string;
    readonly hasUnread: boolean;
    /**
     * Folded name and phone of the contact, and the last message's text; absent where an earlier
     * version has written the snapshot.
     */
    readonly search?: string;
    readonly state: ConversationState;
  };
}
