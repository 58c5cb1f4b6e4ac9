/** The collections of the store by their names: their documents, and how those are stored. */
import type * as port from '../../shared/ports/store.ts';
import type { Field, Path } from '../../shared/ports/store-paths.ts';
import type { ReadBackDocument, UnmatchedDocument, UploadDocument } from './channel.ts';
import type { StoredContact } from './contact.ts';
import type { ConversationDocument, EntryDocument } from './conversation.ts';
import type { BatchDocument, CounterDocument, CounterFields } from './counter.ts';
import type { StoredDeal } from './deal.ts';
import type { CompletedDocument } from './entity.ts';
import type { FlowVersionDocument } from './flow.ts';
import type { CallDocument } from './idempotency.ts';
import type {
  AuditDocument,
  KeyClaimDocument,
  OrganizationDocument,
  QuickReplyDocument,
  SessionDocument,
  TagDocument,
  WindowsDocument,
} from './organization.ts';
import type { PersonDocument } from './person.ts';
import type {
  AttemptLogPage,
  BreakerDocument,
  DeliveryDocument,
  StreamDocument,
} from './subscription.ts';
import type { TaskDocument } from './task.ts';
import type { AccountDocument, TemplateDocument } from './template.ts';

type Open<Doc extends port.Document> = port.Open<Doc>;

/** Of an actor that keeps its commands in its document. */
type WithCommands<Doc extends port.Document> = port.Collection<
  Doc,
  { readonly completed: never },
  never,
  never
>;

/** The open parts of packed fields are those of `infra/adapters/mongo/packing.ts`. */
export interface Collections {
  readonly audit: Open<AuditDocument>;
  readonly breakers: Open<BreakerDocument>;
  readonly businessAccounts: Open<AccountDocument>;
  readonly claims: port.Collection<AttemptLogPage, { readonly claims: '_id' }, never, never>;
  readonly completedCommands: Open<CompletedDocument>;
  readonly contacts: WithCommands<StoredContact>;
  readonly conversations: port.Collection<
    ConversationDocument & CounterFields,
    { readonly snapshot: Exclude<keyof ConversationDocument['snapshot'], 'state'> },
    never,
    never
  >;
  readonly deals: WithCommands<StoredDeal>;
  readonly deliveries: port.Collection<
    DeliveryDocument,
    {
      readonly state:
        | ('epoch' | 'revision' | 'status' | 'nextAttemptAt')
        | ('series' | 'endedAt' | 'position');
    },
    never,
    never
  >;
  readonly entries: port.Collection<
    EntryDocument,
    { readonly message: 'revision' | 'direction' | 'status'; readonly outbox: 'id' },
    'orgId' | 'requestId' | 'after',
    'conversationId'
  >;
  readonly externals: Open<UnmatchedDocument>;
  readonly flowVersions: Open<FlowVersionDocument>;
  readonly idempotency: Open<CallDocument>;
  readonly keys: Open<KeyClaimDocument>;
  readonly organizations: Open<OrganizationDocument>;
  readonly persons: Open<PersonDocument>;
  readonly quickReplies: Open<QuickReplyDocument>;
  readonly readBacks: Open<ReadBackDocument>;
  readonly sessions: Open<SessionDocument>;
  readonly streams: Open<StreamDocument>;
  readonly tags: Open<TagDocument>;
  readonly tallies: Open<CounterDocument>;
  readonly tallySteps: Open<BatchDocument>;
  readonly tasks: WithCommands<TaskDocument>;
  readonly templates: Open<TemplateDocument>;
  readonly uploads: Open<UploadDocument>;
  readonly windows: Open<WindowsDocument>;
}

export type Name = keyof Collections;

/** Collections whose changes name no shard key. */
export type Unkeyed = Exclude<Name, 'entries'>;

export type Store = port.Store<Collections>;
export type DocumentOf<Of extends Name> = Collections[Of]['document'];
export type PathOf<Of extends Name> = Path<Collections[Of]>;
export type FieldOf<Of extends Name> = Field<Collections[Of]>;
export type Filter<Of extends Name> = port.Filter<Collections[Of]>;
export type Change<Of extends Name> = port.Change<Collections[Of]>;
export type Operations<Of extends Name> = port.Operations<Collections[Of]>;
export type Order<Of extends Name> = port.Order<Collections[Of]>;
export type FindOptions<Of extends Name, At extends FieldOf<Of> = FieldOf<Of>> = port.FindOptions<
  Collections[Of],
  At
>;
export type Write<Of extends Name = Name> = port.Write<Collections, Of>;
export type ExistenceQuery<Of extends Name = Name> = port.ExistenceQuery<Collections, Of>;
