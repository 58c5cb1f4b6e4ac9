/**
 * Commands and queries of the gateway. Every command has an id made by the gateway: the created
 * document uses that id as its own (I19).
 */
import type {
  ContactSource,
  ConversationStatus,
  DealStatus,
  Origin,
  TaskStatus,
} from '../vocabulary.ts';
import type { FetchedMedia } from './media-commands.ts';

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
  /** Whether the caller named the conversation. It must then be of this organization (404), of this
   * channel (403 for a channel key, 422 otherwise) and of this phone (422). */
  readonly byConversation: boolean;
  /** Whether a channel key asks. */
  readonly channelScope: boolean;
  /** With media it is the caption; empty for none. */
  readonly text: string;
  /** The file that `fetch-media` prepared. */
  readonly attached?: FetchedMedia;
  /** The key's name. */
  readonly authorLabel: string;
  readonly origin: Origin;
  readonly [field: string]: unknown;
}

/**
 * To `conversation`, key = conversation id. Answers 201
 * `{data: {conversationId, flowId, result: 'started'}}`, or 409 when the start is skipped.
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
  readonly [field: string]: unknown;
}

/** To `organization`, key = organization id. Answers `{data: Identity}`. */
export interface DescribeKey {
  readonly id: string;
  readonly type: 'me';
  readonly keyId: string;
  readonly [field: string]: unknown;
}

/** To `channel`, key = channel id: one network webhook, raw. Its answer is the network's answer. */
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
  readonly [field: string]: unknown;
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
  readonly [field: string]: unknown;
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
  readonly [field: string]: unknown;
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

export interface ListFlows {
  readonly orgId: string;
  /** Of a channel key: its channel's and those of any. */
  readonly channelId: string | null;
  /** Unset: both. */
  readonly enabled?: boolean;
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

export interface ListPipelines {
  readonly orgId: string;
}

export interface ListDeals extends Page {
  readonly orgId: string;
  readonly status?: DealStatus;
  readonly pipelineId?: string;
  readonly stageId?: string;
  readonly contactId?: string;
}

export interface ListTasks extends Page {
  readonly orgId: string;
  readonly status?: TaskStatus;
  readonly contactId?: string;
  readonly dealId?: string;
  readonly assigneeId?: string;
}

/**
 * `recado.query.installation`: 200 InstallationRecord.
 * `recado.query.ready`: 200 `{missing: string[]}`.
 */
export type NoPayload = Record<string, never>;

/** `recado.query.flow`: 200 FoundFlow or 404, also for a flow that was removed. */
export interface FindFlow {
  readonly orgId: string;
  readonly flowId: string;
}

export interface FoundFlow {
  readonly enabled: boolean;
  /** Null: it serves any channel. */
  readonly channelId: string | null;
}

/** `recado.query.inbound-webhook`: 200 `{url}`, absolute, or 404 for an unknown channel. */
export interface FindInboundWebhook {
  readonly channelId: string;
}

/** `recado.query.idempotency-claim`: answers 200 IdempotencyClaimed. */
export interface ClaimIdempotency {
  /** Derived from organization, key, route and header. */
  readonly id: string;
  /** Digest of the body. */
  readonly fingerprint: string;
  /** Of this call alone: a repeated claim by the same holder succeeds. */
  readonly holder: string;
  /** The call may download a file first: it counts as lost later than others. */
  readonly withMedia?: boolean;
}

export type IdempotencyClaimed =
  /** The call may run; `since` (epoch ms) is the same for all that may be one call. */
  | { readonly claimed: 'held'; readonly since: number }
  | { readonly claimed: 'answered'; readonly answer: KeptReply }
  | { readonly claimed: 'running' }
  | { readonly claimed: 'other-body' };

/** An answer as it was given the first time. */
export interface KeptReply {
  readonly status: number;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** `recado.query.idempotency-settle`: 200. Without an answer the next call may run. */
export interface CompleteIdempotency {
  readonly id: string;
  readonly holder: string;
  readonly answer: KeptReply | null;
  /** Without an answer to keep: the call was refused, so it has not happened. */
  readonly refused?: boolean;
}
