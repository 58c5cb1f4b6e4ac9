/**
 * Commands of the operator's command line to the `organization` actor (key = organization id), and
 * their answers. The actor decides: the command line knows neither the stored state nor the
 * settings of the running service.
 */
import * as v from 'valibot';
import { hasControl } from '../text/control-characters.ts';
import {
  ACCESSES,
  type Access,
  MEMBER_ROLES,
  type MemberRole,
  type Provider,
  SCOPES,
  type Scope,
} from '../vocabulary.ts';
import { messageFor } from './problem-message.ts';
import { flag, moment, NOT_PRINTABLE } from './values.ts';

const id = v.pipe(v.string(), v.minLength(1), v.maxLength(200));

/**
 * At least 160 random bits. The command's secrets are derived from it, so that a repeated ask makes
 * the same tokens. So no clear text has to be stored for a repeat.
 */
const seed = v.pipe(v.string(), v.minLength(32), v.maxLength(200));

/** Lists of an organization that are answered row by row. */
const LISTED_ENTRIES = ['members', 'channels', 'flows'] as const;

const commandSchema = v.variant('type', [
  /** Answers 200 `AppliedOrganization` or 422 `{error, problems}`; `check` stores nothing, and with
   * `diff` the answer has `AppliedChanges` as well. */
  v.object({
    id,
    type: v.literal('apply'),
    check: v.boolean(),
    diff: v.optional(v.boolean()),
    seed,
    /** As written in the file, with `files[].path` replaced by the content's digest and size. */
    organization: v.unknown(),
  }),
  /** Answers 201 with the key and its token, or 422. The key takes the command's id. */
  v.object({
    id,
    type: v.literal('keys.create'),
    seed,
    name: v.optional(v.unknown()),
    scope: v.optional(v.unknown()),
    /** A channel's ref or id. */
    channel: v.optional(v.unknown()),
    access: v.optional(v.unknown()),
    expiresAt: v.optional(v.unknown()),
    assistant: v.optional(v.unknown()),
  }),
  /** Answers 200 `{data: KeyRow[]}`. */
  v.object({ id, type: v.literal('keys.list') }),
  /** Answers 200 `{id, revokedAt}` or 404. */
  v.object({ id, type: v.literal('keys.revoke'), keyId: v.string() }),
  /** Answers 200 `{data: SubscriptionRow[], streams: StreamRow[]}`. */
  v.object({ id, type: v.literal('subscriptions.list') }),
  /** Answers 201 with the subscription and its secret, this once, or 422. */
  v.object({
    id,
    type: v.literal('subscriptions.create'),
    seed,
    url: v.string(),
    events: v.optional(v.array(v.string())),
  }),
  /** Answers 200 with the subscription, 404 or 422. */
  v.object({
    id,
    type: v.literal('subscriptions.change'),
    seed,
    subscriptionId: v.string(),
    url: v.optional(v.string()),
    events: v.optional(v.array(v.string())),
    enabled: v.optional(v.boolean()),
  }),
  /** Answers 200 `{id, secret, previousValidUntil}` (the secret this once) or 404. */
  v.object({ id, type: v.literal('subscriptions.rotate'), seed, subscriptionId: v.string() }),
  /** Answers 200 `{id, enabled}` or 404. */
  v.object({ id, type: v.literal('subscriptions.enable'), subscriptionId: v.string() }),
  /** Answers 201 `{data: MemberRow}`, 200 for one that is there already, or 409. */
  v.object({
    id,
    type: v.literal('members.invite'),
    /** The command's id unless given. */
    ref: v.optional(v.string()),
    name: v.string(),
    email: v.string(),
    role: v.picklist(MEMBER_ROLES),
  }),
  /** Answers 200 `{data: MemberRow}`, 404, or 409 for the last admin. `member`: a ref or an id. */
  v.object({
    id,
    type: v.literal('members.role'),
    member: v.string(),
    role: v.picklist(MEMBER_ROLES),
  }),
  /** Answers alike; the sessions of a disabled member end before the answer. */
  v.object({
    id,
    type: v.literal('members.disable'),
    member: v.string(),
    disabled: v.boolean(),
  }),
  /** Answers 200 `{data: MemberRow[] | ChannelRow[] | FlowRow[]}` or 404. */
  v.object({ id, type: v.literal('entries.list'), list: v.picklist(LISTED_ENTRIES) }),
  /** Answers 200 `{organization}`, as a provisioning file has it but for its tags, or 404. */
  v.object({ id, type: v.literal('export') }),
]);

export type OrganizationCommand = v.InferOutput<typeof commandSchema>;
export type ApplyCommand = Extract<OrganizationCommand, { type: 'apply' }>;
export type CreateKeyCommand = Extract<OrganizationCommand, { type: 'keys.create' }>;
export type RotateSecretCommand = Extract<OrganizationCommand, { type: 'subscriptions.rotate' }>;
export type SaveSubscriptionCommand = Extract<
  OrganizationCommand,
  { type: 'subscriptions.create' | 'subscriptions.change' }
>;
export type MemberCommand = Extract<
  OrganizationCommand,
  { type: 'members.invite' | 'members.role' | 'members.disable' }
>;
export type ListEntriesCommand = Extract<OrganizationCommand, { type: 'entries.list' }>;
export type EnableSubscriptionCommand = Extract<
  OrganizationCommand,
  { type: 'subscriptions.enable' }
>;

/** Null where the command is none of these. */
export function parseOrganizationCommand(command: unknown): OrganizationCommand | null {
  const parsed = v.safeParse(commandSchema, command);
  return parsed.success ? parsed.output : null;
}

/** One organization of `recado apply`'s output (C12.7). */
export interface AppliedOrganization {
  readonly id: string;
  readonly members: Readonly<Record<string, string>>;
  readonly channels: Readonly<Record<string, AppliedChannel>>;
  readonly keys: Readonly<Record<string, AppliedKey>>;
  readonly pipelines: Readonly<Record<string, AppliedPipeline>>;
  readonly flows: Readonly<Record<string, string>>;
  readonly files: Readonly<Record<string, string>>;
  readonly subscriptions: Readonly<Record<string, AppliedSubscription>>;
}

/** Changes that an `apply` would make, in the file's terms. */
export interface AppliedChanges {
  readonly changes: readonly AppliedChange[];
  /** How many lie behind the first `APPLY_CHANGES_MAX`. */
  readonly more: number;
}

export interface AppliedChange {
  /** By refs and names: `channels.main.label`; empty for the organization itself. */
  readonly path: string;
  /** The entry that the change lies in; null for the organization's own properties. */
  readonly list: string | null;
  readonly ref: string | null;
  readonly change: 'add' | 'change' | 'remove';
  /** Instead of the values. */
  readonly secret?: true;
  readonly before?: unknown;
  readonly after?: unknown;
}

export interface AppliedChannel {
  readonly id: string;
  readonly inboundWebhookUrl: string;
  readonly networkWebhookUrl: string;
}

export interface AppliedKey {
  readonly id: string;
  /** Only when it was just created. */
  readonly token?: string;
}

export interface AppliedPipeline {
  readonly id: string;
  /** Ids by ref. */
  readonly stages: Readonly<Record<string, string>>;
}

export interface AppliedSubscription {
  readonly id: string;
  /** Only when it was just created. */
  readonly secret?: string;
}

/** Timestamps are ISO 8601 in UTC. */
export interface KeyRow {
  readonly id: string;
  readonly ref: string | null;
  readonly name: string;
  readonly scope: Scope;
  readonly channelId: string | null;
  readonly access: Access;
  /** Its changes have the origin `assistant`. */
  readonly assistant: boolean;
  readonly prefix: string;
  readonly createdAt: string;
  /** Null for a key that lasts. */
  readonly expiresAt: string | null;
  /** Null for a key that was never used. */
  readonly lastUsedAt: string | null;
  readonly revokedAt: string | null;
}

export interface SubscriptionRow {
  readonly id: string;
  readonly ref: string;
  readonly url: string;
  readonly events: readonly string[];
  readonly enabled: boolean;
  readonly disabledReason: string | null;
  readonly createdAt: string;
}

/** An event stream: a subscription whose transport is a connection. */
export interface StreamRow {
  readonly id: string;
  readonly name: string;
  readonly keyId: string;
  readonly keyName: string;
  readonly events: readonly string[];
  readonly createdAt: string;
  /** Last sign of a connection. */
  readonly seenAt: string;
}

export interface MemberRow {
  readonly id: string;
  readonly ref: string;
  readonly name: string;
  readonly email: string | null;
  readonly role: MemberRole;
  /** It cannot sign in. */
  readonly disabled: boolean;
}

export interface ChannelRow {
  readonly id: string;
  readonly ref: string;
  readonly label: string;
  readonly provider: Provider;
  /** Canonical digits. */
  readonly phone: string;
  readonly enabled: boolean;
  readonly ready: boolean;
  readonly reason: string | null;
  /** Settings in clear; never secrets. */
  readonly network: Readonly<Record<string, string>>;
  readonly inboundWebhookUrl: string;
  readonly networkWebhookUrl: string;
  readonly pace: {
    readonly perSecond: number;
    readonly pairBurst: number;
    readonly pairEveryMs: number;
  };
  readonly createdAt: string;
}

export interface FlowRow {
  readonly id: string;
  readonly ref: string;
  readonly name: string;
  readonly enabled: boolean;
  readonly channelId: string | null;
  readonly isMain: boolean;
  readonly triggers: readonly Readonly<Record<string, unknown>>[];
  /** How many steps it has. */
  readonly stepCount: number;
  readonly updatedAt: string;
}

/** Input of `keys create`, checked by the actor. */
export const newKeySchema = v.object({
  name: v.pipe(
    v.string(messageFor('required', {})),
    v.check((value) => value.trim() !== '', messageFor('empty', {})),
    v.check((value) => [...value].length <= 120, messageFor('tooLong', { most: 120 })),
    v.check((value) => !hasControl(value), NOT_PRINTABLE),
  ),
  scope: v.picklist(SCOPES, messageFor('notOneOf', { names: SCOPES })),
  channel: v.optional(v.string(messageFor('notText', {}))),
  access: v.exactOptional(v.picklist(ACCESSES, messageFor('notOneOf', { names: ACCESSES }))),
  expiresAt: v.exactOptional(moment),
  assistant: flag,
});

export type OrderedKey = v.InferOutput<typeof newKeySchema>;
