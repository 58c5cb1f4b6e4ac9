/** Payloads and answers of queries, `recado.query.<resource>`. */
import type {
  ConversationStatus,
  DealStatus,
  DeliveryStatus,
  Direction,
  TaskStatus,
} from '../vocabulary.ts';

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

/** An entity by its id, where it is the organization's. */
export interface FindOwn {
  readonly orgId: string;
  readonly id: string;
}

/** The same, of one channel. */
export interface FindScoped extends FindOwn {
  /** The channel of a channel key (403 for another's), else null. */
  readonly channelScope: string | null;
}

export interface FindOwnContact extends FindOwn {
  /** False: as lists show it, without the changes of its opt-in. */
  readonly withHistory?: false;
}

export interface ListMembers {
  readonly orgId: string;
}

/** `recado.query.tags-page`. */
export interface PageTags extends Page {
  readonly orgId: string;
}

export interface ListContacts extends Page {
  readonly orgId: string;
  readonly query?: string;
  /** Canonical digits, where the query is a phone as the organization's country writes it. */
  readonly queryPhone?: string;
  /** Canonical digits. */
  readonly phone?: string;
  /** Without regard to case. */
  readonly tag?: string;
  readonly optIn?: boolean;
  /** Of those that do not accept messages: who has said so, or has never said anything. */
  readonly optOut?: boolean;
}

export interface ListConversations extends Page {
  readonly orgId: string;
  readonly status?: ConversationStatus;
  readonly channelId?: string;
  readonly contactId?: string;
}

/** Of the panel. */
export interface ListPanelConversations extends ListConversations {
  /** A member's id; null: of no member. */
  readonly assignedTo?: string | null;
  /** Only those with unread messages. */
  readonly unread?: true;
  /** Part of the contact's name or phone, or of the last message's text. */
  readonly query?: string;
  /** Of contacts with this tag, without regard to case. */
  readonly tag?: string;
}

/** `recado.query.panel-conversation`: 200 or 404. */
export interface FindPanelConversation {
  readonly orgId: string;
  readonly conversationId: string;
}

export interface ListMessages extends Page {
  readonly orgId: string;
  readonly conversationId: string;
  readonly includeNotes: boolean;
  /** Only the scheduled ones, the next one first. */
  readonly status?: 'scheduled';
  /** The channel of a channel key (403 for another's conversation), else null. */
  readonly channelScope: string | null;
}

/**
 * `recado.query.message-place`: 200 MessageLocation, or 404. `recado.query.message`: 200 `{data}`,
 * or 404.
 */
export interface FindMessage {
  readonly orgId: string;
  readonly messageId: string;
}

export interface MessageLocation {
  /** The one that stays, where conversations were joined. */
  readonly conversationId: string;
  readonly channelId: string;
  readonly direction: Direction;
}

/** `recado.query.templates`, with the reason of an empty list. */
export interface ListTemplates extends Page {
  readonly orgId: string;
  /** Unset: the accounts of all channels. */
  readonly channelId?: string;
  readonly status?: string;
  readonly query?: string;
}

/** `recado.query.sync-templates`: 200 TemplateSyncs or 404. */
export interface SyncTemplates {
  readonly orgId: string;
  /** `ref` or id; null: the accounts of all channels. */
  readonly channel: string | null;
  /** By account: the requests of an earlier call, whose results are awaited. */
  readonly requests?: Readonly<Record<string, number>>;
}

/** State of one account after a listing, or while one runs. */
export interface SyncedAccount {
  readonly id: string;
  readonly businessAccountId: string;
  readonly request: number;
  readonly done: boolean;
  readonly templates: number;
  readonly syncedAt: string | null;
  /** Portuguese: the listing failed. */
  readonly reason: string | null;
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

/** `recado.query.flow-states`, of the panel. */
export interface ListFlowStates {
  readonly orgId: string;
}

/** `recado.query.flow-state`: 200 FlowState or 404. */
export interface FindFlowState extends ListFlowStates {
  readonly flowId: string;
}

/** One flow with its entry of a provisioning file. */
export interface FlowState {
  readonly data: Readonly<Record<string, unknown>>;
  /** False where more conversations run than were counted. */
  readonly countedWhole: boolean;
  readonly organizationRef: string;
  readonly written: { readonly ref: string };
}

/** `recado.query.flow-run`: 200 `{data}`, null without any run; or 404. */
export interface FindFlowRun {
  readonly orgId: string;
  readonly conversationId: string;
  /** `seq` of the entry that has ended the run; unset: the running one, or else the last. */
  readonly endedSeq?: number;
}

/** `recado.query.flow-runs`: 200 `{data}`, newest first, or 404. */
export interface ListFlowRuns {
  readonly orgId: string;
  readonly flowId: string;
}

/** `recado.query.inbound-webhook`: 200 `{url, orgId, provider}`, or 404 for an unknown channel. */
export interface FindInboundWebhook {
  readonly channelId: string;
}

/** `recado.query.idempotency-claim`: answers 200 IdempotencyClaimed. */
export interface ClaimIdempotency {
  /** Derived from organization, key, route and header. */
  readonly id: string;
  /** Digest of the body's JSON value; of its bytes where it is none. */
  readonly fingerprint: string;
  /** Digest of the body's bytes: an earlier version kept it as the fingerprint. */
  readonly ofBytes?: string;
  /** Of this call alone: a repeated claim by the same holder succeeds. */
  readonly holder: string;
  /** The call may download a file first: it counts as lost later than others. */
  readonly withMedia?: boolean;
}

export type IdempotencyClaimed =
  /** The call may run; `since` (epoch ms) is the same for all that may be one call. */
  | { readonly claimed: 'held'; readonly since: number }
  | { readonly claimed: 'answered'; readonly answer: StoredReply }
  | { readonly claimed: 'running' }
  | { readonly claimed: 'other-body' };

/** An answer as it was given the first time. */
export interface StoredReply {
  readonly status: number;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** `recado.query.idempotency-settle`: 200. Without an answer the next call may run. */
export interface CompleteIdempotency {
  readonly id: string;
  readonly holder: string;
  readonly answer: StoredReply | null;
  /** Without an answer to keep: the call was refused, so it has not happened. */
  readonly refused?: boolean;
}

export interface DeliveriesEnd {
  readonly createdAt: number;
  /** Ids of this time that were answered. */
  readonly ids: readonly string[];
  readonly answered: number;
}

/** Of the command line. */
export interface ListDeliveries {
  readonly orgId: string;
  /** Id of the subscription. */
  readonly subscription?: string;
  readonly status?: DeliveryStatus;
  /** Epoch milliseconds. */
  readonly since?: number;
  readonly until?: number;
  /** The most deliveries to list. */
  readonly limit?: number;
  /** End of the previous part, in a list that continues. */
  readonly from?: DeliveriesEnd;
}

export interface ListTags {
  readonly orgId: string;
  /** The most tags to list. */
  readonly limit?: number;
  /** End of the previous part, in a list that continues. */
  readonly from?: { readonly after: string; readonly answered: number };
}

/** By its id in the installation, or by its phone in an organization. */
export type FindContact =
  | { readonly id: string }
  | { readonly orgId: string; readonly phone: string };

/** The organization of the part before, and the collection of this one. */
export interface RecountPart {
  readonly orgId?: string;
  readonly step?: number;
}

/** The part of an organization's contacts behind the one before. */
export interface JoinSpellings {
  readonly orgId: string;
  /** Of the prefixes, by its place. */
  readonly prefix?: number;
  readonly after?: string;
  /** Of the parts before: contacts under a second spelling, and how many of them were two. */
  readonly found?: number;
  readonly joined?: number;
}

/** A call under an `Idempotency-Key`, by its claim. */
export type CallClaim = Pick<ClaimIdempotency, 'id' | 'holder'>;

/** Which of the numbers are contacts of the organization, under any spelling. */
export interface FindPhones {
  readonly orgId: string;
  /** Canonical digits. */
  readonly phones: readonly string[];
  /** A repeat of this call gets the first answer. */
  readonly claim?: CallClaim;
}

export interface PhonesOnRecord {
  readonly onRecord: readonly string[];
}

/** `recado.query.key`: 200 `{orgId}` or 404. */
export interface FindKey {
  readonly digest: string;
}

/** `recado.query.keys`: 200 `{found: [digest, orgId][]}`, of those that are keys. */
export interface FindKeys {
  readonly digests: readonly string[];
}
