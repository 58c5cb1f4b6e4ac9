/**
 * Queries by resource (`recado.query.<resource>`): the payload, and the body of the answer 200. A
 * body is unknown here where it is passed on unparsed, or checked by its reader.
 */
import type { CheckChannel } from '../channel-check.ts';
import type { InstallationRecord } from '../ports/ids.ts';
import type { Acknowledged, Exchange } from './command-map.ts';
import type { FindKey, FindKeys } from './key-commands.ts';
import type { ListLibrary, MediaPart, ReadMedia } from './media-commands.ts';
import type {
  ClaimIdempotency,
  CompleteIdempotency,
  FindContact,
  FindFlow,
  FindInboundWebhook,
  FoundFlow,
  IdempotencyClaimed,
  ListChannels,
  ListContacts,
  ListConversations,
  ListDeals,
  ListDeliveries,
  ListFlows,
  ListMessages,
  ListPipelines,
  ListTags,
  ListTasks,
  NoPayload,
  RecountPart,
} from './queries.ts';

type Rests = 'contacts' | 'conversations' | 'deals' | 'messages' | 'tasks';

/** The rest of a page, as its first part has given it. */
export type RestQueries = {
  readonly [Each in Rests as `${Each}-rest`]: Exchange<object, unknown>;
};

export interface QueryMap extends RestQueries {
  readonly 'channel-check': Exchange<CheckChannel, unknown>;
  readonly channels: Exchange<ListChannels, unknown>;
  readonly contact: Exchange<FindContact, unknown>;
  readonly contacts: Exchange<ListContacts, unknown>;
  readonly conversation: Exchange<{ readonly id: string }, unknown>;
  readonly conversations: Exchange<ListConversations, unknown>;
  readonly deals: Exchange<ListDeals, unknown>;
  readonly deliveries: Exchange<ListDeliveries, unknown>;
  readonly delivery: Exchange<{ readonly id: string }, unknown>;
  readonly flow: Exchange<FindFlow, FoundFlow>;
  readonly flows: Exchange<ListFlows, unknown>;
  readonly 'idempotency-claim': Exchange<ClaimIdempotency, IdempotencyClaimed>;
  readonly 'idempotency-settle': Exchange<CompleteIdempotency, Acknowledged>;
  readonly 'inbound-webhook': Exchange<FindInboundWebhook, { readonly url: string }>;
  readonly installation: Exchange<NoPayload, InstallationRecord>;
  readonly key: Exchange<FindKey, { readonly orgId: string }>;
  readonly keys: Exchange<FindKeys, { readonly found: readonly (readonly [string, string])[] }>;
  readonly 'key-owner': Exchange<{ readonly keyId: string }, unknown>;
  readonly library: Exchange<ListLibrary, unknown>;
  readonly media: Exchange<ReadMedia, MediaPart>;
  readonly members: Exchange<NoPayload, { readonly ids: readonly string[] }>;
  readonly messages: Exchange<ListMessages, unknown>;
  readonly organizations: Exchange<NoPayload, unknown>;
  readonly pipelines: Exchange<ListPipelines, unknown>;
  readonly ready: Exchange<NoPayload, { readonly missing: readonly string[] }>;
  readonly recount: Exchange<RecountPart, unknown>;
  readonly 'sandbox-channels': Exchange<NoPayload, unknown>;
  readonly tags: Exchange<ListTags, unknown>;
  readonly tasks: Exchange<ListTasks, unknown>;
}

export type Resource = keyof QueryMap;

export type PayloadOf<Each extends Resource> = QueryMap[Each]['asked'];
