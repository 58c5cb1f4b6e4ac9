/**
 * What happened in a run under faults, for the checkers: simulated worlds and runs of real
 * processes each have one adapter that tells it.
 * 1. A process makes one call at a time.
 * 2. `ok` and `refused` are answers of the service. An `unknown` is a 5xx, a time-out or a broken
 *    connection: the call may take effect at any later time, or never.
 * 3. An optional part is a fact that some runs cannot know. A rule that needs it is skipped there,
 *    and the report says so.
 * 4. Times are milliseconds of one clock, unless they are said to be of another.
 */
import * as v from 'valibot';
import type { WindowFacts } from '../../../actors/domain/conversation/window.ts';
import type { StreamHistory } from './streams-history.ts';

const text = v.optional(v.string());
const fields = v.optional(v.record(v.string(), v.string()));
const tags = v.optional(v.array(v.string()));

/** A request in the words of all operations. */
export const Request = v.object({
  ...{ text, phone: text, channelId: text, conversationId: text, title: text, fields, tags },
  /** Of a network's message, as the network names it. */
  externalId: text,
  /** Of a message with a file: where it is, or its id in the library. */
  ...{ mediaUrl: text, mediaId: text },
  /** Of the library: the text of a file that is added; the id of one that is removed. */
  ...{ file: text, removedId: text },
  /** Of a cancel; of a message with a time, that time by the callers' clock. */
  ...{ messageId: text, dueAt: v.optional(v.number()) },
  /** Of a message that a member writes. */
  isMembers: v.optional(v.boolean()),
  /** Of a message that others go before, `bulk`; and until when it may be sent. */
  ...{ priority: text, endsAt: v.optional(v.number()) },
  /** Of a message that goes only if this one is the newest. */
  after: text,
  /** Of an opt-out by a word: the channel where it was said. */
  onlyOn: text,
  /** Of a template, or of the one that goes outside of the 24 hours; and the rule there. */
  ...{ template: text, fallback: text, outsideWindow: text },
  ...{ dealId: text, stageId: text, status: text, lostReason: text },
  /** What a call writes of a contact, by the names of its registers; null takes it away. */
  sets: v.optional(v.record(v.string(), v.nullable(v.string()))),
  /** Of a pipeline: its new name, the names of its stages in their order. */
  ...{ pipelineId: text, pipeline: v.optional(v.object({ name: text, stages: tags })) },
  /** Under which calls are counted; under which they are repeated; the value that is their own. */
  ...{ key: text, onceKey: text, keyed: text },
  /** Of rivals that start a flow: the conversation's free intervals are counted from 0. */
  ...{ interval: v.optional(v.number()), greeting: text },
  /** Over the bridge: its engine, and whether the contact had never written. */
  ...{ engine: text, cold: v.optional(v.boolean()) },
});
export type Request = v.InferOutput<typeof Request>;

export const Deal = v.object({
  id: v.string(),
  title: v.string(),
  status: v.string(),
  stageId: v.string(),
  lostReason: v.nullable(v.string()),
  closedAt: v.optional(v.nullable(v.string())),
  updatedAt: v.string(),
});
export type Deal = v.InferOutput<typeof Deal>;

/** A contact as an event tells it. */
export const ToldContact = v.object({
  name: v.nullable(v.string()),
  email: v.nullable(v.string()),
  fields: v.record(v.string(), v.string()),
  tags: v.array(v.string()),
  optIn: v.boolean(),
  optOutAt: v.nullable(v.string()),
  marketingOptOutAt: text,
});
export type ToldContact = v.InferOutput<typeof ToldContact>;

export const Pipeline = v.object({
  id: v.string(),
  name: v.string(),
  stages: v.pipe(v.array(v.object({ id: v.string(), name: v.string() })), v.readonly()),
});
export type Pipeline = v.InferOutput<typeof Pipeline>;

/** An answer in the words of all operations. */
export const Answer = v.object({
  /** What was made or changed; of a message it is `messageId`. */
  ...{
    id: text,
    messageId: text,
    conversationId: text,
    created: v.optional(v.boolean()),
    deal: v.optional(Deal),
    pipeline: v.optional(Pipeline),
  },
  ...{ conversationId: v.nullish(v.string()), result: text },
  /** The header. */
  rateLimit: text,
  /** A page of messages, and how many there are. */
  ...{ ids: v.optional(v.array(v.string())), total: v.optional(v.number()) },
  /** The times by which they are in order, epoch milliseconds. */
  times: v.optional(v.array(v.number())),
  /** A list of conversations. */
  rows: v.optional(
    v.array(
      v.object({ id: v.string(), lastMessageAt: v.string(), lastMessagePreview: v.string() }),
    ),
  ),
});
export type Answer = v.InferOutput<typeof Answer>;

export interface Call {
  readonly process: string;
  readonly operation: string;
  readonly request: Request;
  readonly outcome: 'ok' | 'refused' | 'unknown';
  readonly status: number | null;
  readonly answer: Answer | null;
  /** The header of a refusal, where headers are known. */
  readonly retryAfter?: string | null;
  readonly startedAt: number;
  /** Infinite where the outcome is unknown. */
  readonly endedAt: number;
  /** When the caller went on, answered or not; infinite where it never did. */
  readonly returnedAt: number;
}

/** A message as it is in the end. */
export interface Message {
  readonly id: string;
  readonly conversationId: string;
  readonly phone: string | null;
  readonly channelId?: string;
  /** Of the bridge's channels. */
  readonly engine?: string;
  /** Rises along its conversation. */
  readonly place: number;
  /** `in`, `out`, `note`. */
  readonly direction: string;
  readonly text: string | null;
  readonly status: string;
  readonly externalId?: string | null;
  readonly error?: string;
  /** Written by the service itself, as by a flow. */
  readonly isAutomatic?: boolean;
  /** Whether the network has ever reported it sent, where receipts are known. */
  readonly wasSent?: boolean;
  /** The network has not settled it yet. */
  readonly isDue?: boolean;
  /** Of a message with a time. */
  readonly dueAt?: number;
  /** It is a template; and what is to go in its place outside of the 24 hours. */
  readonly template?: Template;
  readonly fallback?: Template;
  readonly decided?: Decision | undefined;
  /** Its class in its channel's queue, as it was accepted: `reply`, `normal`, `bulk`. */
  readonly urgency?: string | undefined;
  /** When its sending was over. */
  readonly endedAt?: number | undefined;
  /** The refused message in whose place it goes. */
  readonly replaces?: string;
  readonly settlements?: readonly Settlement[];
  /** The id of its file, and whether that is still to be fetched. */
  readonly file?: string | null;
  readonly fileIsDue?: boolean;
}

export interface Template {
  readonly name: string;
  readonly isMarketing: boolean;
}

/** When it was decided to write an entry. */
export interface Decision {
  /** Its write was begun then. */
  readonly begunAt: number;
  /** The earliest that its owner may have read as the time, epoch milliseconds. */
  readonly earliest: number;
}

/** The end of a message's wait, at its own place of the log. */
export interface Settlement {
  readonly place: number;
  readonly outcome: 'released' | 'cancelled' | 'failed';
  /** By the clock of the owner that settled it, as `dueAt`. */
  readonly settledAt: number;
  readonly decided?: Decision | undefined;
}

/** A message on its way to the network; in the order of their times. */
export interface Transmission {
  /** Null where the network knows no id of ours. */
  readonly messageId: string | null;
  readonly channelId?: string;
  readonly provider?: string;
  readonly to: string;
  readonly text: string;
  /** When it was handed over by this machine. Without one, when it came to the network. */
  readonly at: number;
  readonly by?: string;
  /** When the network took it, and the network's id of it; null where it did not. */
  readonly taken: { readonly at: number; readonly externalId: string } | null;
  /** Taken, and refused afterwards with this code. */
  readonly failed?: number | null;
  /** Refused because the number may begin no conversations. */
  readonly restricted?: boolean;
  /** The id that it was handed over with. */
  readonly ownId?: string;
  /** Of a message with media, what the network would show; null when it has forgotten it. */
  readonly content?: string | null;
  /** When the service took the network's word of it; null where it never did. */
  readonly toldAt: number | null;
}

/** One event for one subscription. */
export interface Delivery {
  readonly id: string;
  readonly event: string;
  /** The event in the body. */
  readonly named: string;
  /** The id of the message, deal, task or contact. */
  readonly subject: string;
  readonly occurredAt: string;
  readonly deal?: Deal;
  /** Of an assignment. */
  readonly members?: { readonly from: string | null; readonly to: string | null };
  /** Of a contact's event, and what it says to have changed. */
  readonly contact?: ToldContact;
  readonly changed?: readonly string[];
  /** Of a message: the file that it names, by its id; null: none. */
  readonly file?: string | null;
  readonly body: string;
  readonly subscription?: string;
  /** As it is recorded, where that is known. */
  readonly state?: { readonly status: string; readonly counted: number };
  /** Requests as they came to the subscriber. */
  readonly attempts: readonly Attempt[];
}

export interface Attempt {
  readonly at: number;
  /** Equal for equal bytes. */
  readonly bytes: string;
  readonly answered?: number;
  readonly signature?: string;
}

/** A fault from its beginning to its end; `parts` names what it touched. */
export const Fault = v.object({
  kind: v.string(),
  parts: v.array(v.string()),
  ...{ from: v.number(), to: v.number() },
});
export type Fault = v.InferOutput<typeof Fault>;

/** Of the bridge itself, while its machines are well. */
export const BridgeFault = v.object({ kind: v.string(), engine: v.string(), from: v.number() });

export const Contact = v.object({
  id: v.string(),
  fields: v.record(v.string(), v.string()),
  tags: v.array(v.string()),
  name: v.nullish(v.string()),
  /** Of contacts that were joined to it. */
  formerIds: v.optional(v.array(v.string())),
});

/** A message was marked, before it was handed to the network; by the owner's epoch. */
export const Mark = v.object({
  messageId: v.string(),
  at: v.number(),
  epoch: v.optional(v.number()),
  /** By the owner's clock, epoch milliseconds. */
  since: v.optional(v.number()),
  /** By the insert of the message itself. */
  isInsert: v.optional(v.boolean()),
});
export type Mark = v.InferOutput<typeof Mark>;

/** By the `RateLimit` header of answers. */
export const Limits = v.object({ perKey: v.number(), perOrg: v.number() });

/** Of a message in the queue of a channel, and of a process that owned the channel then. */
export interface QueueFact {
  readonly messageId: string;
  readonly by: string;
  readonly at: number;
}

/** What the owners of a channel knew of its queue. */
export interface SendQueue {
  readonly channelId: string;
  /** From when on a process owned it. */
  readonly owners: readonly Omit<QueueFact, 'messageId'>[];
  /** The owner was told that it waits. */
  readonly known: readonly QueueFact[];
  /** The owner began to send it. */
  readonly turns: readonly QueueFact[];
}

export interface StoredDeal extends Deal {
  /** Not before this moment it was as it is here. */
  readonly readAt: number;
}

/** What only a look into the record tells. */
export interface Store {
  /** The wall clock at the end, epoch milliseconds. */
  readonly now: number;
  readonly entries: readonly Entry[];
  /** Entries in the order in which they took effect. */
  readonly appended: readonly Pick<Entry, 'id' | 'conversationId' | 'seq'>[];
  /** Of each conversation's snapshot, the entry up to which it goes. */
  readonly snapshots: ReadonlyMap<string, number>;
  /** Every value that watched fields of deals, tasks and contacts have had, in order. */
  readonly changes: readonly {
    readonly id: string;
    readonly field: string;
    readonly value: string;
  }[];
  /** The text of every file that is kept, by its id. */
  readonly files: ReadonlyMap<string, string>;
  /** Contacts' files that the network dropped before they were fetched. */
  readonly gone: ReadonlySet<string>;
  /** The file that is in the library from the beginning. */
  readonly libraryFile: string;
  /** Ids of the files that are in the library. */
  readonly library?: ReadonlySet<string>;
  readonly tasks: readonly { readonly id: string; readonly title: string }[];
  readonly pipelines?: readonly Pipeline[];
  /** Subscriptions that the service has disabled: their deliveries wait for an operator. */
  readonly disabled: ReadonlySet<string>;
  readonly windows: WindowsRecord;
  /** States of templates as they were recorded, in order. */
  readonly templates?: readonly (Pick<Template, 'name'> & {
    readonly at: number;
    readonly status: string;
  })[];
  /** The first jump of a process's wall clock; absent without one. */
  readonly clocksJumpedAt?: number;
}

/** An entry of a conversation's log, and the state after it. */
export interface Entry {
  readonly id: string;
  readonly conversationId: string;
  readonly seq: number;
  readonly externalId?: string | undefined;
  readonly text: string | null;
  /** Of a conversation that was joined to another one: lists show that one. */
  readonly isJoined?: boolean;
  /** The conversation's status, its member, and the flow that runs. */
  readonly status: string;
  readonly assignedTo?: string | null;
  readonly run: { readonly id: string; readonly stepId: string } | null;
  /** A flow says its text. */
  readonly isSaid: boolean;
  /** Epoch milliseconds. */
  readonly timerAt: number | null;
  /** The contact's 24 hours. */
  readonly window?: WindowFacts;
  /** What a list shows of the conversation. */
  readonly lastMessageAt: string;
  readonly lastMessagePreview: string;
  /** The entry whose message that is; absent where a joined log has it. */
  readonly lastMessageSeq?: number;
  /** Its author has edited or deleted its message. */
  readonly isChanged?: boolean;
}

/** How the process that counts calls has written its counts down. */
export interface WindowsRecord {
  /** Calls of each key in 60 s. */
  readonly perKey: number;
  /** When another process took the organization over. */
  readonly takenAt: readonly number[];
  /** When a process began to write its counts down. */
  readonly begunAt: readonly number[];
  /** Of what took effect: when it was begun, and when it took effect. */
  readonly written: readonly { readonly begunAt: number; readonly at: number }[];
  /** While some process stood still, and when one died or had lost its lease. */
  readonly disruptions: readonly { readonly from: number; readonly to: number }[];
}

export interface History {
  readonly calls: readonly Call[];
  /** Of each conversation, the oldest first. */
  readonly messages: readonly Message[];
  readonly transmissions: readonly Transmission[];
  readonly deliveries: readonly Delivery[];
  readonly deals: readonly StoredDeal[];
  readonly contacts: readonly (v.InferOutput<typeof Contact> & { readonly phone: string })[];
  /** Conversations by phone, of the bridge's channels. */
  readonly bridgeConversations?: readonly { readonly id: string; readonly phone: string | null }[];
  readonly marks: readonly Mark[];
  readonly faults: readonly Fault[];
  readonly bridgeFaults: readonly v.InferOutput<typeof BridgeFault>[];
  readonly lostLeases: readonly number[];
  /** Tags that flows give. */
  readonly flowTags: ReadonlySet<string>;
  /** How many subscriptions want an event, where it is not one. */
  readonly copies: Readonly<Record<string, number>>;
  /** With which deliveries are signed, where signatures are seen. */
  readonly secret?: string;
  /** The networks of this run refuse nothing, but the bridge's. */
  readonly nothingIsRefused?: true;
  readonly limits?: v.InferOutput<typeof Limits>;
  /** The last fault was over; and how soon all callers have to be answered, where they go on. */
  readonly healed?: { readonly at: number; readonly answeredWithinMs?: number };
  /** The run saw all callers answered, and stopped. */
  readonly answeredAt?: number;
  /** Callers that have done their work. */
  readonly done: ReadonlySet<string>;
  /** Work that was still due at the end, by its kind. */
  readonly due: Readonly<Record<string, number>>;
  /** Channels, and when each was asked whether it can send. */
  readonly probes?: {
    readonly channels: readonly string[];
    readonly seen: readonly { readonly channelId: string; readonly at: number }[];
  };
  readonly endedAt: number;
  readonly streams?: readonly StreamHistory[];
  /** Of channels whose queue is looked into. */
  readonly queues?: readonly SendQueue[];
  readonly store?: Store;
}
