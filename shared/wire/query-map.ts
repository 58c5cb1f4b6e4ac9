/**
 * Queries by resource (`recado.query.<resource>`): the payload, and the body of the answer 200. A
 * body is unknown here where it is passed on unparsed, or checked by its reader.
 */

import type { CheckChannel } from '../channel-check.ts';
import type { DoctorRow } from '../panel/operation.ts';
import type { InstallationRecord } from '../ports/ids.ts';
import type { Provider } from '../vocabulary.ts';
import type { AuditPage, PageAudit } from './audit.ts';
import type { Acknowledged, Exchange } from './command-map.ts';
import type {
  EndLibraryFile,
  EndUpload,
  LibraryPart,
  ListLibrary,
  MediaPart,
  PageLibrary,
  ReadMedia,
  UploadPart,
} from './media-commands.ts';
import type { AgendaBacklog, FindOrganizationRefs } from './operator-queries.ts';
import type {
  Backlog,
  DeliveryOwners,
  FindDeliveryOwners,
  ListBacklogs,
  ListDueTasks,
  PageDeliveries,
  StageSum,
  SumDeals,
} from './panel-queries.ts';
import type { SendInvitation, SentInvitation } from './person-commands.ts';
import type {
  ClaimIdempotency,
  CompleteIdempotency,
  FindContact,
  FindFlow,
  FindFlowRun,
  FindFlowState,
  FindInboundWebhook,
  FindKey,
  FindKeys,
  FindMessage,
  FindOwn,
  FindOwnContact,
  FindPanelConversation,
  FindPhones,
  FindScoped,
  FlowState,
  FoundFlow,
  IdempotencyClaimed,
  JoinSpellings,
  ListChannels,
  ListContacts,
  ListConversations,
  ListDeals,
  ListDeliveries,
  ListFlowRuns,
  ListFlowStates,
  ListFlows,
  ListMembers,
  ListMessages,
  ListPanelConversations,
  ListPipelines,
  ListTags,
  ListTasks,
  ListTemplates,
  MessageLocation,
  NoPayload,
  PageTags,
  PhonesOnRecord,
  RecountPart,
  SyncedAccount,
  SyncTemplates,
} from './queries.ts';

type Rests =
  | 'contacts'
  | 'conversations'
  | 'deals'
  | 'messages'
  | 'panel-conversations'
  | 'tasks'
  | 'templates';

/** The rest of a page, as its first part has given it. */
export type RestQueries = {
  readonly [Each in Rests as `${Each}-rest`]: Exchange<object, unknown>;
};

export interface QueryMap extends RestQueries {
  readonly agendas: Exchange<NoPayload, { readonly agendas: readonly AgendaBacklog[] }>;
  readonly 'audit-page': Exchange<PageAudit, AuditPage>;
  readonly backlogs: Exchange<ListBacklogs, { readonly found: readonly Backlog[] }>;
  readonly 'channel-check': Exchange<CheckChannel, unknown>;
  readonly channels: Exchange<ListChannels, unknown>;
  readonly contact: Exchange<FindContact, unknown>;
  readonly contacts: Exchange<ListContacts, unknown>;
  readonly conversation: Exchange<{ readonly id: string }, unknown>;
  readonly conversations: Exchange<ListConversations, unknown>;
  readonly 'deal-sums': Exchange<
    SumDeals,
    { readonly data: readonly StageSum[]; readonly complete: boolean }
  >;
  readonly deals: Exchange<ListDeals, unknown>;
  readonly deliveries: Exchange<ListDeliveries, unknown>;
  readonly delivery: Exchange<{ readonly id: string }, unknown>;
  readonly 'deliveries-page': Exchange<PageDeliveries, unknown>;
  readonly 'delivery-owners': Exchange<FindDeliveryOwners, DeliveryOwners>;
  readonly 'due-tasks': Exchange<ListDueTasks, unknown>;
  readonly flow: Exchange<FindFlow, FoundFlow>;
  readonly 'flow-run': Exchange<FindFlowRun, unknown>;
  readonly 'flow-runs': Exchange<ListFlowRuns, unknown>;
  readonly 'flow-state': Exchange<FindFlowState, FlowState>;
  readonly 'flow-states': Exchange<ListFlowStates, unknown>;
  readonly flows: Exchange<ListFlows, unknown>;
  readonly 'idempotency-claim': Exchange<ClaimIdempotency, IdempotencyClaimed>;
  readonly 'idempotency-settle': Exchange<CompleteIdempotency, Acknowledged>;
  readonly 'inbound-webhook': Exchange<
    FindInboundWebhook,
    { readonly url: string; readonly orgId: string; readonly provider: Provider }
  >;
  readonly installation: Exchange<NoPayload, InstallationRecord>;
  readonly key: Exchange<FindKey, { readonly orgId: string }>;
  readonly keys: Exchange<FindKeys, { readonly found: readonly (readonly [string, string])[] }>;
  readonly 'join-spellings': Exchange<JoinSpellings, unknown>;
  readonly 'key-owner': Exchange<{ readonly keyId: string }, unknown>;
  readonly library: Exchange<ListLibrary, unknown>;
  readonly 'library-end': Exchange<EndLibraryFile, Acknowledged>;
  readonly 'library-page': Exchange<PageLibrary, unknown>;
  readonly 'library-part': Exchange<LibraryPart, Acknowledged>;
  readonly media: Exchange<ReadMedia, MediaPart>;
  readonly members: Exchange<NoPayload, { readonly ids: readonly string[] }>;
  /** The checks of `recado doctor` that read the record. */
  readonly 'record-checks': Exchange<NoPayload, { readonly rows: readonly DoctorRow[] }>;
  readonly message: Exchange<FindMessage, unknown>;
  readonly 'message-place': Exchange<FindMessage, MessageLocation>;
  readonly messages: Exchange<ListMessages, unknown>;
  readonly operation: Exchange<NoPayload, unknown>;
  readonly 'organization-refs': Exchange<
    FindOrganizationRefs,
    { readonly found: readonly (readonly [id: string, ref: string])[] }
  >;
  readonly organizations: Exchange<NoPayload, unknown>;
  readonly 'own-contact': Exchange<FindOwnContact, unknown>;
  readonly 'own-conversation': Exchange<FindScoped, unknown>;
  readonly 'own-deal': Exchange<FindOwn, unknown>;
  readonly 'own-delivery': Exchange<FindOwn, unknown>;
  readonly 'own-message': Exchange<FindScoped, unknown>;
  readonly 'own-task': Exchange<FindOwn, unknown>;
  readonly 'panel-conversation': Exchange<FindPanelConversation, unknown>;
  readonly 'panel-conversations': Exchange<ListPanelConversations, unknown>;
  readonly 'phones-on-record': Exchange<FindPhones, PhonesOnRecord>;
  readonly pipelines: Exchange<ListPipelines, unknown>;
  readonly ready: Exchange<NoPayload, { readonly missing: readonly string[] }>;
  readonly recount: Exchange<RecountPart, unknown>;
  readonly 'sandbox-channels': Exchange<NoPayload, unknown>;
  readonly 'send-invitation': Exchange<SendInvitation, SentInvitation>;
  readonly 'sync-templates': Exchange<
    SyncTemplates,
    { readonly data: readonly SyncedAccount[]; readonly reason: string | null }
  >;
  readonly tags: Exchange<ListTags, unknown>;
  readonly 'tags-page': Exchange<PageTags, unknown>;
  readonly tasks: Exchange<ListTasks, unknown>;
  readonly team: Exchange<ListMembers, unknown>;
  readonly templates: Exchange<ListTemplates, unknown>;
  readonly 'upload-end': Exchange<EndUpload, Acknowledged>;
  readonly 'upload-part': Exchange<UploadPart, Acknowledged>;
}

export type Resource = keyof QueryMap;

export type PayloadOf<Each extends Resource> = QueryMap[Each]['asked'];
