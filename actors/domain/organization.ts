/**
 * Document of one organization: everything that an operator configures. One compare-and-set of
 * `version` therefore commits a whole `recado apply` (I16). Secrets in it are sealed; keys are
 * digests. Its pipelines: the default one, and the look-up of stages (D25).
 */
import { defaultPipelineId, defaultStageId } from '../../shared/entity-ids.ts';
import type { SubscribedEvent } from '../../shared/events.ts';
import type { Ids } from '../../shared/ports/ids.ts';
import {
  ACCESS_DEFAULT,
  type Access,
  MEMBER_ROLE_DEFAULT,
  type MemberRole,
  type Origin,
  type Provider,
  type Scope,
} from '../../shared/vocabulary.ts';
import type { AuditEntry } from '../../shared/wire/audit.ts';
import type { ChannelRestriction } from './channel-restriction.ts';

/** An entry of one of the organization's lists. */
export interface Entry {
  readonly id: string;
  readonly ref: string;
  /** Removed by `remove: true`; the id stays reserved. */
  readonly removed?: boolean;
}

export interface MemberEntry extends Entry {
  readonly name: string;
  readonly email: string | null;
  /** `MEMBER_ROLE_DEFAULT` unless set. */
  readonly role?: MemberRole;
  /** Key of the actor that holds the passphrase; derived from the e-mail. */
  readonly person?: string;
  /** Epoch milliseconds since which it cannot sign in; absent for one that can. */
  readonly disabledAt?: number;
}

/** A member that may sign in. */
export function isActive({ removed, disabledAt }: MemberEntry): boolean {
  return removed !== true && disabledAt === undefined;
}

/** As it is stored: an entry with the default role and one without any are the same. */
export function withRole(member: MemberEntry, wanted: MemberRole): MemberEntry {
  const { role: _, ...entry } = member;
  return wanted === MEMBER_ROLE_DEFAULT ? entry : { ...entry, role: wanted };
}

export function roleOf({ role = MEMBER_ROLE_DEFAULT }: MemberEntry): MemberRole {
  return role;
}

/** Whether conversations may be given to the member: one who only reads answers nobody. */
export function mayAttend(member: MemberEntry): boolean {
  return isActive(member) && roleOf(member) !== 'viewer';
}

export interface Pace {
  /** Sends per second of the number. */
  readonly perSecond: number;
  /** Burst to one contact, refilled one every `pairEveryMs`. */
  readonly pairBurst: number;
  readonly pairEveryMs: number;
}

/** Failures of a network that answered before; the channel is still ready. */
export interface NetworkTrouble {
  /** Epoch milliseconds. */
  readonly since: number;
  /** Portuguese. */
  readonly reason: string;
}

export interface ChannelEntry extends Entry {
  readonly label: string;
  readonly provider: Provider;
  /** Canonical digits. */
  readonly phone: string;
  readonly enabled: boolean;
  /** Plain settings: `baseUrl`, `phoneNumberId`, `session`, …; secret ones are in `secrets`. */
  readonly network: Readonly<Record<string, string>>;
  /** accessToken, appSecret, verifyToken, apiKey, webhookSecret: sealed by the vault. */
  readonly secrets: Readonly<Record<string, string>>;
  readonly pace: Pace;
  /** Raised by each change of provider, phone, network settings or secrets. */
  readonly networkRevision: number;
  /** The network had a success under these settings: a status request or a send. */
  readonly networkAnswered?: true;
  /** Set while the network fails after it answered, and the channel is still ready. */
  readonly networkTrouble?: NetworkTrouble;
  /**
   * Another number than the channel's was connected at the last report, of these settings or of
   * those before: the channel sends nothing until its network confirms the number.
   */
  readonly networkOtherNumber?: true;
  /** The network's last report; Portuguese reason when not ready. */
  readonly networkReady: boolean;
  readonly networkReason: string | null;
  /** Absent where the network restricts nothing. */
  readonly restriction?: ChannelRestriction;
  /** Absent where the account owes the network nothing. */
  readonly unpaid?: ChannelRestriction;
  /** Epoch milliseconds. */
  readonly createdAt: number;
}

export interface KeyEntry extends Entry {
  readonly name: string;
  readonly scope: Scope;
  readonly channelId: string | null;
  readonly digest: string;
  /** First 12 characters. */
  readonly prefix: string;
  readonly createdAt: number;
  readonly revokedAt: number | null;
  /** `ACCESS_DEFAULT` unless set. */
  readonly access?: Access;
  /** Epoch milliseconds from which it is refused; absent for one that lasts. */
  readonly expiresAt?: number;
  /** What it changes has the origin `assistant`. */
  readonly assistant?: true;
}

/** What a key may do, from when on it may not, and for whom. */
export interface KeyTerms {
  readonly access: Access;
  /** Null: it lasts. */
  readonly expiresAt: number | null;
  readonly assistant: boolean;
}

export function termsOf({ access, expiresAt, assistant }: Partial<KeyEntry>): KeyTerms {
  return {
    access: access ?? ACCESS_DEFAULT,
    expiresAt: expiresAt ?? null,
    assistant: assistant ?? false,
  };
}

/** As they are stored: a key without terms is the same as one with the usual ones. */
export function storedTerms({
  access,
  expiresAt,
  assistant,
}: KeyTerms): Pick<KeyEntry, 'access' | 'expiresAt' | 'assistant'> {
  return {
    ...(access === ACCESS_DEFAULT ? {} : { access }),
    ...(expiresAt === null ? {} : { expiresAt }),
    ...(assistant ? { assistant } : {}),
  };
}

export interface FlowEntry extends Entry {
  readonly name: string;
  readonly enabled: boolean;
  readonly channelId: string | null;
  readonly isMain: boolean;
  readonly triggers: readonly Readonly<Record<string, unknown>>[];
  readonly steps: readonly Readonly<Record<string, unknown>>[];
  readonly updatedAt: number;
}

export interface FileEntry extends Entry {
  readonly name: string;
  readonly mimeType: string;
  readonly sizeBytes: number;
  /** SHA-256 hex of the content, which GridFS stores under the file's id and this digest. */
  readonly contentDigest: string;
  /** Epoch milliseconds; absent in files of earlier versions. */
  readonly createdAt?: number;
}

export interface SubscriptionEntry extends Entry {
  readonly url: string;
  /** Event names, or `*` for all events of the contract. */
  readonly events: readonly SubscribedEvent[];
  /** Sealed, newest first; an older one is valid in `webhook-signature` until `until`. */
  readonly secrets: readonly { readonly sealed: string; readonly until: number | null }[];
  readonly enabled: boolean;
  /** Why the service disabled it, e.g. `gone`. */
  readonly disabledReason: string | null;
  /**
   * Time at which it was last enabled again, with a fresh breaker; absent if it never was disabled.
   */
  readonly enabledAt?: number;
  readonly createdAt: number;
}

/** A subscription whose transport is a connection. */
export interface StreamEntry {
  readonly id: string;
  readonly keyId: string;
  readonly name: string;
  /** Event names, or `*` for all events of the contract. */
  readonly events: readonly string[];
  /** Number of the newest connection. */
  readonly connection: number;
  /** The last commands that opened a connection, oldest first: a repeat gets the same number. */
  readonly opened: readonly { readonly id: string; readonly connection: number }[];
  /** Epoch milliseconds. */
  readonly createdAt: number;
  /** Epoch milliseconds of the last sign of a connection. */
  readonly seenAt: number;
}

export interface StageEntry {
  readonly id: string;
  readonly name: string;
  /** In a provisioning file; absent for its id. */
  readonly ref?: string;
}

/** Stages are in board order; the team may rename them, so other documents store ids only. */
export interface PipelineEntry {
  readonly id: string;
  /** In a provisioning file; absent for its id. */
  readonly ref?: string;
  readonly name: string;
  readonly isDefault: boolean;
  readonly stages: readonly StageEntry[];
}

/** A stage that was removed, and the one that its deals follow to. */
export interface LeftStage {
  readonly id: string;
  readonly pipelineId: string;
  /** A stage that is there. */
  readonly to: string;
  /** The change that removed it. */
  readonly commandId: string;
  readonly origin: Origin;
  /** Its deals may not all have followed. */
  readonly moving?: true;
}

/** A name by which flows still find a stage, before the names of today. */
export interface FormerStageName {
  readonly name: string;
  readonly stageId: string;
}

/** A command that may be asked again. */
export interface CommittedCommand {
  readonly id: string;
  /** Epoch milliseconds after which it is not. */
  readonly until: number;
}

export interface OrganizationState {
  readonly id: string;
  readonly ref: string;
  readonly name: string;
  readonly timeZone: string;
  readonly country: string;
  readonly limits: { readonly perKey: number | null; readonly perOrg: number | null };
  readonly members: readonly MemberEntry[];
  readonly channels: readonly ChannelEntry[];
  readonly keys: readonly KeyEntry[];
  readonly flows: readonly FlowEntry[];
  readonly files: readonly FileEntry[];
  readonly subscriptions: readonly SubscriptionEntry[];
  /** Event streams; those that have ended are forgotten when another one begins. */
  readonly streams?: readonly StreamEntry[];
  /** The last day's, by the commands that made them. */
  readonly invitations?: readonly { readonly id: string; readonly at: number }[];
  /** Audit entries of the last change; the log has those of all changes before. */
  readonly audit?: readonly AuditEntry[];
  /** Absent before the first read (C4.12). */
  readonly pipelines?: readonly PipelineEntry[];
  /** Removed stages, oldest first. */
  readonly leftStages?: readonly LeftStage[];
  /** Oldest first. */
  readonly formerStageNames?: readonly FormerStageName[];
  /** The last changes of pipelines, oldest first: a repeat is met. */
  readonly pipelineCommands?: readonly string[];
  /** Committed commands of the operator, the last ones, oldest first (D494). */
  readonly operatorCommands?: readonly CommittedCommand[];
  /** Network numbers of its channels: the fence between concurrent applies. */
  readonly numbers?: readonly string[];
  readonly createdAt: number;
  /** Removed by `remove: true`; an `apply` without it restores the organization. */
  readonly removed?: boolean;
  /**
   * Entries that the last effective `apply` created: a repeat of that command answers the same
   * tokens, any other command none.
   */
  readonly lastApply?: { readonly commandId: string; readonly created: readonly string[] };
  /** 0 before the first commit. */
  readonly version: number;
}

/** The entries that were not removed. */
export function present<E extends Pick<Entry, 'removed'>>(entries: readonly E[]): E[] {
  return entries.filter(({ removed }) => removed !== true);
}

const STAGES = ['Novo', 'Em contato', 'Proposta', 'Negociação'];

/** Its id derives from its organization: no race can create two of them. */
export function newDefaultPipeline(ids: Ids, orgId: string): PipelineEntry {
  return {
    id: defaultPipelineId(ids, orgId),
    name: 'Funil de vendas',
    isDefault: true,
    stages: STAGES.map((name, position) => ({ id: defaultStageId(ids, orgId, position), name })),
  };
}

/** The pipelines, of which the default one exists before it is stored. */
export function knownPipelines(
  state: Pick<OrganizationState, 'pipelines'> | null,
  { ids, orgId }: { readonly ids: Ids; readonly orgId: string },
): readonly PipelineEntry[] {
  const { pipelines = [] } = state ?? {};
  return pipelines.length > 0 ? pipelines : [newDefaultPipeline(ids, orgId)];
}

export type StagePosition = { readonly pipelineId: string; readonly stageId: string };

/** The stage of that id, in any pipeline; null where there is none. */
export function findStage(pipelines: readonly PipelineEntry[], id: string): StagePosition | null {
  const pipeline = pipelines.find(({ stages }) => stages.some((stage) => stage.id === id));
  return pipeline ? { pipelineId: pipeline.id, stageId: id } : null;
}

/** Where the deals of a removed stage are; null for another stage. */
export function placeOfLeft(
  left: readonly LeftStage[] | undefined,
  stageId: string,
): StagePosition | null {
  const found = left?.find(({ id }) => id === stageId);
  return found ? { pipelineId: found.pipelineId, stageId: found.to } : null;
}

/** The stage of a deal that names none: the first of the default pipeline. */
export function firstStage(pipelines: readonly PipelineEntry[]): StagePosition | null {
  const pipeline = pipelines.find(({ isDefault }) => isDefault);
  const [first] = pipeline?.stages ?? [];
  return pipeline && first ? { pipelineId: pipeline.id, stageId: first.id } : null;
}
