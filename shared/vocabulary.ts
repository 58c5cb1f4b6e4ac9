/**
 * The closed unions that every part of Recado uses. One word for one concept: in code, subjects,
 * documents, logs and docs alike.
 */

/** Kinds of actors: each is the single writer of its entity (I15). */
export const ACTOR_KINDS = [
  'organization',
  'contact',
  'conversation',
  'channel',
  'deal',
  'task',
  'subscription',
  'person',
] as const;
export type ActorKind = (typeof ACTOR_KINDS)[number];

/** Partitions of these kinds are placed where those of the other are that have their number. */
export const CO_LOCATED_WITH: Readonly<Partial<Record<string, ActorKind>>> = {
  conversation: 'channel',
};

/** C2.3. */
export const PROVIDERS = ['web', 'cloud'] as const;
export type Provider = (typeof PROVIDERS)[number];

/** Of a member in its organization; `attendant` unless set. */
export const MEMBER_ROLES = ['admin', 'attendant', 'viewer'] as const;
export type MemberRole = (typeof MEMBER_ROLES)[number];
export const MEMBER_ROLE_DEFAULT: MemberRole = 'attendant';

/** In the panel; `operator` is of the installation. */
export const ROLES = ['operator', ...MEMBER_ROLES] as const;
export type Role = (typeof ROLES)[number];

/** C5.3. */
export const SCOPES = ['account', 'channel'] as const;
export type Scope = (typeof SCOPES)[number];

/** What a key may call; each includes those before it. `full` unless set. */
export const ACCESSES = ['read', 'send', 'full'] as const;
export type Access = (typeof ACCESSES)[number];
export const ACCESS_DEFAULT: Access = 'full';

/** C3.1. */
export const CONVERSATION_STATUSES = ['open', 'in_flow', 'resolved'] as const;
export type ConversationStatus = (typeof CONVERSATION_STATUSES)[number];

/** D1. */
export const DIRECTIONS = ['in', 'out', 'note'] as const;
export type Direction = (typeof DIRECTIONS)[number];

export const MESSAGE_KINDS = [
  'text',
  'image',
  'audio',
  'video',
  'document',
  'sticker',
  'location',
  'contact',
  'reaction',
  'unsupported',
] as const;
export type MessageKind = (typeof MESSAGE_KINDS)[number];

export const AUTHOR_KINDS = ['contact', 'member', 'automation'] as const;
export type AuthorKind = (typeof AUTHOR_KINDS)[number];

/** What a caller says of a message. */
export const PRIORITIES = ['normal', 'bulk'] as const;

/** Classes of queued messages, the most urgent first. */
export const URGENCIES = ['reply', 'normal', 'bulk'] as const;
export type Urgency = (typeof URGENCIES)[number];

export const MESSAGE_STATUSES = [
  'queued',
  'sent',
  'delivered',
  'read',
  'failed',
  'received',
  'scheduled',
  'cancelled',
] as const;
export type MessageStatus = (typeof MESSAGE_STATUSES)[number];

/** Where opt-in or opt-out, or the contact itself, came from (D18). */
export const CONTACT_SOURCES = ['api', 'webhook', 'contact', 'panel', 'import'] as const;
export type ContactSource = (typeof CONTACT_SOURCES)[number];

/** What a change of a contact may concern, as its event names it. */
export const CONTACT_CHANGES = [
  'name',
  'email',
  'fields',
  'tags',
  'optIn',
  'marketingOptOut',
] as const;
export type ContactChanged = (typeof CONTACT_CHANGES)[number];

/** The cause of an event; a client that listens and writes can use it to break its loop. */
export const ORIGINS = [
  'api',
  'webhook',
  'flow',
  'panel',
  'contact',
  'network',
  'assistant',
] as const;
export type Origin = (typeof ORIGINS)[number];

export const DEAL_STATUSES = ['open', 'won', 'lost'] as const;
export type DealStatus = (typeof DEAL_STATUSES)[number];

/** The filter of GET /api/v1/tasks (C4.16). */
export const TASK_STATUSES = ['open', 'done'] as const;
export type TaskStatus = (typeof TASK_STATUSES)[number];

/** When an open task is due, in the organization's time zone. */
export const DUE_TIMES = ['late', 'today', 'later', 'none'] as const;
export type DueTime = (typeof DUE_TIMES)[number];

export const DELIVERY_STATUSES = ['pending', 'succeeded', 'failed', 'parked'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];
