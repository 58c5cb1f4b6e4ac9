/**
 * Commands by kind of actor and by type, each with the body of its successful answer. The rows here
 * are asked by gateways and programs; `actors/model` adds those that actors ask of each other.
 */

import type { Contact } from '../api/contact.ts';
import type { Deal } from '../api/deal.ts';
import type { LibraryFile } from '../api/file.ts';
import type { Identity } from '../api/identity.ts';
import type { Pipeline } from '../api/pipeline.ts';
import type { Task } from '../api/task.ts';
import type { OrganizationCommand } from '../provisioning/commands.ts';
import type { RecordAudit } from './audit.ts';
import type { AdmitCommand } from './caller.ts';
import type {
  CancelBulk,
  CancelledBulk,
  CancelMessage,
  ChangeContact,
  ChangeDeal,
  ChangeTask,
  CreateDeal,
  CreateTask,
  DescribeKey,
  NetworkChallenge,
  NetworkWebhook,
  OptMarketing,
  ReadMessage,
  SavedContact,
  SendMessage,
  SentMessage,
  StartedFlow,
  StartFlow,
  UpsertContact,
} from './commands.ts';
import type { FetchedMedia } from './fetched-media.ts';
import type { InboundCallList, ListInboundCalls } from './inbound-calls.ts';
import type { AddFile, RemovedFile, RemoveFile } from './library-commands.ts';
import type { CheckSend, FetchMedia } from './media-commands.ts';
import type { MemberAction, MemberActionAnswer } from './member-action.ts';
import type {
  AddInvitation,
  AdmitOperator,
  EndOperatorSession,
  GuessPassphrase,
  MadeLink,
  MailLink,
  MakeLink,
  OpenOperatorSession,
  OperatorAdmission,
  PreparedGuess,
  PrepareGuess,
  SetPassphrase,
  SignedIn,
  TicketUse,
  UseLink,
  UseTicket,
} from './person-commands.ts';
import type { ChangePipeline, CreatePipeline } from './pipeline-commands.ts';
import type {
  CreateQuickReply,
  ListQuickReplies,
  QuickReply,
  RemoveQuickReply,
} from './quick-reply-commands.ts';
import type { ListRecentEvents, RecentEventList } from './recent-events.ts';
import type {
  DescribeSession,
  EndPersonSessions,
  EndSession,
  ListSessions,
  OpenSession,
  SessionRow,
  ShownSession,
} from './session-commands.ts';
import type {
  AcknowledgedStream,
  AcknowledgeStream,
  DescribeStream,
  LeaveStream,
  OpenedStream,
  OpenStream,
  ReadStream,
  StreamRead,
  StreamState,
  TouchStream,
} from './stream-commands.ts';
import type {
  ConfigureSubscription,
  RetriedDeliveries,
  RetryDeliveries,
  TestSubscription,
} from './subscription-commands.ts';

/** A command, or a query's payload, with the body of its successful answer. */
export interface Exchange<Asked, Body> {
  readonly asked: Asked;
  readonly answer: Body;
}

/** The rows of commands that have one kind of answer. */
export type Exchanges<Command extends { readonly type: string }, Body> = {
  readonly [Each in Command as Each['type']]: Exchange<Each, Body>;
};

/** Body of an answer that says no more than its status. */
export type Acknowledged = Readonly<Record<string, never>>;

interface Rendered<Entity> {
  readonly data: Entity;
}

export interface ChannelCommands {
  /** The network's answer, which need not be JSON. */
  readonly webhook: Exchange<NetworkWebhook, unknown>;
  readonly challenge: Exchange<NetworkChallenge, unknown>;
  readonly 'fetch-media': Exchange<FetchMedia, FetchedMedia>;
  readonly 'cancel-bulk': Exchange<CancelBulk, CancelledBulk>;
  readonly 'list-inbound-calls': Exchange<ListInboundCalls, InboundCallList>;
}

export interface ContactCommands {
  readonly upsert: Exchange<UpsertContact, SavedContact>;
  readonly change: Exchange<ChangeContact, Rendered<Contact>>;
  readonly 'opt-marketing': Exchange<OptMarketing, Acknowledged>;
}

export interface ConversationCommands extends Exchanges<MemberAction, MemberActionAnswer> {
  readonly send: Exchange<SendMessage, Rendered<SentMessage>>;
  readonly 'read-message': Exchange<ReadMessage, Acknowledged>;
  readonly 'check-send': Exchange<CheckSend, Acknowledged>;
  readonly 'cancel-message': Exchange<CancelMessage, Acknowledged>;
  readonly 'start-flow': Exchange<StartFlow, Rendered<StartedFlow>>;
}

export interface DealCommands {
  readonly create: Exchange<CreateDeal, Rendered<Deal>>;
  readonly change: Exchange<ChangeDeal, Rendered<Deal>>;
}

/** The command line checks what it reads: its answers have no type here. */
export interface OrganizationCommands extends Exchanges<OrganizationCommand, unknown> {
  readonly 'open-session': Exchange<OpenSession, Rendered<ShownSession>>;
  readonly 'describe-session': Exchange<DescribeSession, Rendered<ShownSession>>;
  readonly 'end-session': Exchange<EndSession, Rendered<Acknowledged>>;
  readonly 'end-person-sessions': Exchange<EndPersonSessions, Acknowledged>;
  readonly 'list-sessions': Exchange<ListSessions, Rendered<readonly SessionRow[]>>;
  readonly 'record-audit': Exchange<RecordAudit, Acknowledged>;
  readonly 'pipelines.create': Exchange<CreatePipeline, Rendered<Pipeline>>;
  readonly 'pipelines.change': Exchange<ChangePipeline, Rendered<Pipeline>>;
  readonly 'quick-replies.list': Exchange<ListQuickReplies, Rendered<readonly QuickReply[]>>;
  readonly 'quick-replies.create': Exchange<CreateQuickReply, Rendered<QuickReply>>;
  readonly 'quick-replies.remove': Exchange<RemoveQuickReply, Rendered<QuickReply>>;
  readonly 'add-file': Exchange<AddFile, Rendered<LibraryFile>>;
  readonly 'remove-file': Exchange<RemoveFile, Rendered<RemovedFile>>;
  readonly 'list-recent-events': Exchange<ListRecentEvents, RecentEventList>;
  readonly 'open-stream': Exchange<OpenStream, OpenedStream>;
  readonly 'touch-stream': Exchange<TouchStream, Acknowledged>;
  readonly admit: Exchange<AdmitCommand, Acknowledged>;
  readonly me: Exchange<DescribeKey, Rendered<Identity>>;
}

export interface PersonCommands {
  readonly 'make-link': Exchange<MakeLink, MadeLink>;
  readonly 'mail-link': Exchange<MailLink, Acknowledged>;
  readonly 'use-link': Exchange<UseLink, SignedIn>;
  readonly 'add-invitation': Exchange<AddInvitation, { readonly expiresAt: number }>;
  readonly 'prepare-guess': Exchange<PrepareGuess, PreparedGuess>;
  readonly guess: Exchange<GuessPassphrase, SignedIn>;
  readonly 'use-ticket': Exchange<UseTicket, TicketUse>;
  readonly 'set-passphrase': Exchange<SetPassphrase, Acknowledged>;
  readonly 'open-operator-session': Exchange<OpenOperatorSession, OperatorAdmission>;
  readonly 'end-operator-session': Exchange<EndOperatorSession, Acknowledged>;
  readonly 'admit-operator': Exchange<AdmitOperator, OperatorAdmission>;
}

export interface SubscriptionCommands {
  readonly retry: Exchange<RetryDeliveries, RetriedDeliveries>;
  readonly test: Exchange<TestSubscription, { readonly deliveryId: string }>;
  readonly configure: Exchange<ConfigureSubscription, Acknowledged>;
  readonly 'read-stream': Exchange<ReadStream, StreamRead>;
  readonly 'acknowledge-stream': Exchange<AcknowledgeStream, AcknowledgedStream>;
  readonly 'leave-stream': Exchange<LeaveStream, Acknowledged>;
  readonly 'describe-stream': Exchange<DescribeStream, { readonly data: StreamState }>;
}

export interface TaskCommands {
  readonly create: Exchange<CreateTask, Rendered<Task>>;
  readonly change: Exchange<ChangeTask, Rendered<Task>>;
}

export interface CommandMap {
  readonly channel: ChannelCommands;
  readonly contact: ContactCommands;
  readonly conversation: ConversationCommands;
  readonly deal: DealCommands;
  readonly organization: OrganizationCommands;
  readonly person: PersonCommands;
  readonly subscription: SubscriptionCommands;
  readonly task: TaskCommands;
}
