/**
 * Commands and queries of the gateway. Every command has an id made by the gateway: the created
 * document uses that id as its own (I19).
 */
import type * as v from 'valibot';
import type { Contact } from '../api/contact.ts';
import type { SendMessageAnswer } from '../api/message.ts';
import type { Schedule } from '../message.ts';
import type { MessageContent, TemplateValues } from '../message-content.ts';
import type { ContactSource, DealStatus, Origin } from '../vocabulary.ts';
import type { FetchedMedia } from './fetched-media.ts';

/** To `contact`, key = contact id. Answers SavedContact with 200 or 201. */
export interface UpsertContact {
  readonly id: string;
  readonly type: 'upsert';
  readonly orgId: string;
  /** Canonical digits. */
  readonly phone: string;
  readonly name?: string;
  /** Empty string clears. */
  readonly email?: string;
  readonly fields?: Readonly<Record<string, string>>;
  readonly tags?: readonly string[];
  readonly removeFields?: readonly string[];
  readonly removeTags?: readonly string[];
  readonly optIn?: boolean;
  readonly source: ContactSource;
  readonly origin: Origin;
}

/** To `contact`, key = contact id: changes one that is on record. Answers 200 `{data}`, or 404. */
export interface ChangeContact extends Omit<UpsertContact, 'type' | 'name' | 'phone'> {
  readonly type: 'change';
  /** Empty: the id names the contact. */
  readonly phone: '';
  /** Null clears. */
  readonly name?: string | null;
}

/**
 * To `contact`, key = contact id: the contact stops marketing messages, or wants them again.
 * Answers 200.
 */
export interface OptMarketing {
  readonly id: string;
  readonly type: 'opt-marketing';
  readonly orgId: string;
  /** Canonical digits; empty for an opaque id. */
  readonly phone: string;
  readonly wanted: boolean;
  /** When the contact said so, epoch milliseconds. */
  readonly at: number;
  readonly origin: Origin;
}

export interface SavedContact {
  /** The one that answers for the number: it may have another id than the number derives. */
  readonly data: Contact;
  readonly created: boolean;
}

/** To `conversation`, key = conversation id. Answers 201 `{data: SentMessage}`. */
export interface SendMessage {
  /** Becomes the message's id. */
  readonly id: string;
  readonly type: 'send';
  readonly orgId: string;
  readonly channelId: string;
  /** Canonical digits; null when only a `conversationId` was given (404 if there is none). */
  readonly phone: string | null;
  /** Whether the caller named the conversation. It must then be of this organization (404), of this
   * channel (403 for a channel key, 422 otherwise) and of this phone (422). */
  readonly byConversation: boolean;
  /** Whether a channel key asks. */
  readonly channelScope: boolean;
  /** With media it is the caption; empty for none. */
  readonly text: string;
  /** The file that `fetch-media` prepared: the message's own, or of its template's header. */
  readonly attached?: FetchedMedia;
  /** In place of text: it stands alone, but for the file of a template's header. */
  readonly content?: AskedContent;
  /** The message of the same conversation that it quotes. */
  readonly replyToId?: string;
  /** `send` unless set (the network judges). */
  readonly outsideWindow?: 'send' | 'refuse';
  readonly fallbackTemplate?: AskedTemplate;
  /** The file of the fallback's header. */
  readonly fallbackAttached?: FetchedMedia;
  readonly schedule?: Schedule;
  /** Null: it expires at the default time. */
  readonly bulk?: { readonly expiresAt: number | null };
  readonly onlyIf?: OnlyIf;
  /** The key's name. */
  readonly authorLabel: string;
  readonly origin: Origin;
}

/** What its caller believes of the conversation: the message is accepted only if all of it holds. */
export interface OnlyIf {
  /** The newest message, as the history shows it without notes. */
  readonly lastMessageId?: string | undefined;
  /** Automation is not paused. */
  readonly automation?: true | undefined;
}

/**
 * To `conversation`, key = the message's conversation. Answers 200 once the message is cancelled,
 * 409 where it waits no more, neither for its time nor as a bulk message in the queue.
 */
export interface CancelMessage {
  readonly id: string;
  readonly type: 'cancel-message';
  readonly orgId: string;
  readonly messageId: string;
  /** The channel of a channel key (403 for another's message), else null. */
  readonly channelScope: string | null;
}

/**
 * To `channel`, key = channel id: cancels some of the bulk messages in its queue. Answers 200
 * CancelledBulk, or 404 for another organization's channel. Who wants all asks until `more` is false.
 */
export interface CancelBulk {
  readonly id: string;
  readonly type: 'cancel-bulk';
  readonly orgId: string;
  /** Of the first answer: what was accepted later stays, epoch milliseconds; null in a first call. */
  readonly before: number | null;
}

export interface CancelledBulk {
  readonly cancelled: number;
  readonly before: number;
  readonly more: boolean;
}

export interface AskedTemplate {
  readonly values: TemplateValues;
  /** The field of the header that names its file. */
  readonly file?: 'mediaUrl' | 'mediaId';
}

/** A template is arranged and rendered by the conversation's owner; the rest is sent as it is. */
export type AskedContent =
  | ({ readonly type: 'template' } & AskedTemplate)
  | Exclude<MessageContent, { readonly type: 'template' | 'answer' }>;

export type SentMessage = v.InferOutput<typeof SendMessageAnswer>['data'];

/**
 * To `conversation`, key = conversation id: the contact's message and everything before it was
 * read. Answers 200, 404, or 422 for a message that the contact did not write.
 */
export interface ReadMessage {
  readonly id: string;
  readonly type: 'read-message';
  readonly orgId: string;
  readonly messageId: string;
}

/**
 * To `conversation`, key = conversation id. Answers 201 `{data: StartedFlow}`, or 409 when the
 * start is skipped.
 */
export interface StartFlow {
  readonly id: string;
  readonly type: 'start-flow';
  readonly orgId: string;
  readonly channelId: string;
  /** Canonical digits. */
  readonly phone: string;
  readonly flowId: string;
  /** Whether a channel key asks. */
  readonly channelScope?: boolean;
  /** Of someone whom the network shows without a phone. */
  readonly contactId?: string;
  readonly origin: Origin;
}

export interface StartedFlow {
  readonly conversationId: string;
  readonly flowId: string;
  readonly result: 'started' | 'skipped';
}

/** To `organization`, key = organization id. Answers `{data: Identity}`. */
export interface DescribeKey {
  readonly id: string;
  readonly type: 'me';
  readonly keyId: string;
}

/** To `channel`, key = channel id: one network webhook, raw. Its answer is the network's answer. */
export interface NetworkWebhook {
  readonly id: string;
  readonly type: 'webhook';
  readonly provider: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Base64 of the raw bytes: the signature is over them. */
  readonly rawBody: string;
}

/** To `channel`: the network's verification challenge; text/plain on success. */
export interface NetworkChallenge {
  readonly id: string;
  readonly type: 'challenge';
  readonly provider: string;
  readonly query: Readonly<Record<string, string>>;
}

/** To `deal`, key = the command's id, which becomes the deal's. Answers 201 `{data: Deal}`. */
export interface CreateDeal {
  readonly id: string;
  readonly type: 'create';
  readonly orgId: string;
  readonly contactId: string;
  /** Where the caller named the contact by it: `contactId` is derived from it then. */
  readonly phone?: string;
  readonly title: string;
  /** 0 means no value. */
  readonly valueCents: number;
  /** Null: the first stage of the default pipeline. */
  readonly stageId: string | null;
  readonly ownerId: string | null;
  /** `YYYY-MM-DD`. */
  readonly expectedCloseOn: string | null;
  /** Ignored unless it is the contact's. */
  readonly conversationId: string | null;
  readonly origin: Origin;
}

/** To `deal`, key = deal id; absent fields stay. Answers 200 `{data: Deal}`. */
export interface ChangeDeal {
  readonly id: string;
  readonly type: 'change';
  readonly orgId: string;
  readonly title?: string;
  readonly valueCents?: number;
  readonly ownerId?: string | null;
  readonly expectedCloseOn?: string | null;
  readonly stageId?: string;
  readonly status?: DealStatus;
  /** Set exactly with `status: 'lost'`. */
  readonly lostReason?: string;
  readonly origin: Origin;
}

/** To `task`, key = the command's id, which becomes the task's. Answers 201 `{data: Task}`. */
export interface CreateTask {
  readonly id: string;
  readonly type: 'create';
  readonly orgId: string;
  readonly title: string;
  readonly notes: string | null;
  readonly contactId: string | null;
  readonly phone?: string;
  /** The field by which the caller named the contact: a mismatch is reported on it. */
  readonly contactNamedBy: 'contactId' | 'phone';
  readonly dealId: string | null;
  readonly assigneeId: string | null;
  /** `YYYY-MM-DD` in the organization's zone. */
  readonly dueOn: string | null;
  /** `HH:MM`; only with `dueOn`. */
  readonly dueTime: string | null;
  readonly origin: Origin;
}

/** To `task`, key = task id; absent fields stay, null clears. Answers 200 `{data: Task}`. */
export interface ChangeTask {
  readonly id: string;
  readonly type: 'change';
  readonly orgId: string;
  readonly done?: boolean;
  readonly title?: string;
  readonly notes?: string | null;
  readonly assigneeId?: string | null;
  readonly dueOn?: string | null;
  readonly dueTime?: string | null;
  readonly origin: Origin;
}
