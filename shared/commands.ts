/**
 * The commands the gateway addresses to actors, and the queries it asks. Every command carries the
 * id made by the gateway: what a create makes takes that id as its own (design: Committing 4).
 */
import type { ContactSource, ConversationStatus, Origin } from './vocabulary.ts';

/** To `contact`, key = contact id. Answers `{data: Contact, created}` with 200 or 201. */
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
  readonly optIn?: boolean;
  readonly source: ContactSource;
  readonly origin: Origin;
  readonly [field: string]: unknown;
}

/**
 * To `conversation`, key = conversation id.
 * Answers 201 `{data: {messageId, conversationId, channelId}}`.
 */
export interface SendMessage {
  /** Becomes the message's id. */
  readonly id: string;
  readonly type: 'send';
  readonly orgId: string;
  readonly channelId: string;
  /** Canonical digits; null when only a `conversationId` was given (404 if there is none). */
  readonly phone: string | null;
  /** Whether the caller named the conversation: then it must exist, be of this organization (404),
   * of this channel (403 for a channel key, 422 otherwise) and of this phone (422). */
  readonly byConversation: boolean;
  /** Whether a channel key asks. */
  readonly channelScope: boolean;
  readonly text: string;
  /** The key's name. */
  readonly authorLabel: string;
  readonly origin: Origin;
  readonly [field: string]: unknown;
}

/** To `organization`, key = organization id. Answers `{data: Identity}`. */
export interface DescribeKey {
  readonly id: string;
  readonly type: 'me';
  readonly keyId: string;
  readonly [field: string]: unknown;
}

/** To `channel`, key = channel id: one network webhook, raw. Answers what the network is to see. */
export interface NetworkWebhook {
  readonly id: string;
  readonly type: 'webhook';
  readonly provider: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Base64 of the raw bytes: the signature is over them. */
  readonly rawBody: string;
  readonly [field: string]: unknown;
}

/** To `channel`: the network's verification challenge; text/plain on success. */
export interface NetworkChallenge {
  readonly id: string;
  readonly type: 'challenge';
  readonly provider: string;
  readonly query: Readonly<Record<string, string>>;
  readonly [field: string]: unknown;
}

/** Queries: `recado.query.<resource>`; each answers the response's bytes. */
export interface Page {
  readonly page: number;
  readonly limit: number;
}

export interface ListChannels {
  readonly orgId: string;
  /** Only this one, for a channel key. */
  readonly channelId: string | null;
}

export interface ListContacts extends Page {
  readonly orgId: string;
  readonly query?: string;
  /** Canonical digits. */
  readonly phone?: string;
}

export interface ListConversations extends Page {
  readonly orgId: string;
  readonly status?: ConversationStatus;
  readonly channelId?: string;
  readonly contactId?: string;
}

export interface ListMessages extends Page {
  readonly orgId: string;
  readonly conversationId: string;
  readonly includeNotes: boolean;
  /** The channel of a channel key (403 for another's conversation), else null. */
  readonly channelScope: string | null;
}

/** `recado.query.key`: 200 `{orgId}` or 404. */
export interface FindKey {
  readonly digest: string;
}

/**
 * `recado.query.installation`: 200 `{salt}` (base64).
 * `recado.query.ready`: 200 `{missing: string[]}`.
 */
export type NoPayload = Record<string, never>;
