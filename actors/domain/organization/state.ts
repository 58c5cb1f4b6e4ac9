/**
 * The organization's document: everything an operator configures, in one place, so that one
 * compare-and-set of `version` commits a whole `recado apply` (I16).
 * Secrets in it are sealed; keys are digests.
 */

import type { SubscribedEvent } from '../../../shared/events.ts';
import type { Provider, Scope } from '../../../shared/vocabulary.ts';
import type { ChannelRestriction } from '../channel-restriction.ts';

interface Entry {
  readonly id: string;
  readonly ref: string;
  /** Taken away by `remove: true`; the id stays reserved. */
  readonly removed?: boolean;
}

export interface MemberEntry extends Entry {
  readonly name: string;
  readonly email: string | null;
}

export interface Pace {
  /** Sends per second of the number. */
  readonly perSecond: number;
  /** Burst to one contact, refilled one every `pairEveryMs`. */
  readonly pairBurst: number;
  readonly pairEveryMs: number;
}

/** A network that answered before and fails now; the channel is still ready. */
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
  /** `baseUrl`, `phoneNumberId`, `session`, … in clear; the names in `sealed` are in `secrets`. */
  readonly network: Readonly<Record<string, string>>;
  /** accessToken, appSecret, verifyToken, apiKey, webhookSecret: sealed by the vault. */
  readonly secrets: Readonly<Record<string, string>>;
  readonly pace: Pace;
  /** Raised by each change of provider, phone, network settings or secrets; absent (0) on channels
   * that an earlier release wrote. */
  readonly networkRevision?: number;
  /** The network has had a success under these settings: a status request or a send. */
  readonly networkAnswered?: true;
  /** A network that answered before and fails now, while the channel is still ready. */
  readonly networkTrouble?: NetworkTrouble;
  /** What the network last said; Portuguese reason when not ready. */
  readonly networkReady: boolean;
  readonly networkReason: string | null;
  /** Absent where the network restricts nothing. */
  readonly restriction?: ChannelRestriction;
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
  /** SHA-256 hex of the content, which is in GridFS under the file's id and this digest. */
  readonly contentDigest: string;
}

export interface SubscriptionEntry extends Entry {
  readonly url: string;
  /** Event names, or `*` for the contract's own. */
  readonly events: readonly SubscribedEvent[];
  /** Sealed, newest first; an older one is valid in `webhook-signature` until `until`. */
  readonly secrets: readonly { readonly sealed: string; readonly until: number | null }[];
  readonly enabled: boolean;
  /** Why it was disabled by the service, e.g. `gone`. */
  readonly disabledReason: string | null;
  /** When it was last enabled again; absent if it never was disabled. Its breaker begins anew. */
  readonly enabledAt?: number;
  readonly createdAt: number;
}

export interface StageEntry {
  readonly id: string;
  readonly name: string;
}

/** Stages are in board order; the team may rename them, so only ids are kept elsewhere. */
export interface PipelineEntry {
  readonly id: string;
  readonly name: string;
  readonly isDefault: boolean;
  readonly stages: readonly StageEntry[];
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
  /** Of an earlier state: tags are documents of their own, and these are moved there. */
  readonly tags?: readonly string[];
  readonly flows: readonly FlowEntry[];
  readonly files: readonly FileEntry[];
  readonly subscriptions: readonly SubscriptionEntry[];
  /** None before the first read (C4.12). */
  readonly pipelines?: readonly PipelineEntry[];
  /** Network numbers that its channels took since numbers are judged: the fence between applies. */
  readonly numbers?: readonly string[];
  readonly createdAt: number;
  /** Taken away by `remove: true`; applying it again without brings the organization back. */
  readonly removed?: boolean;
  /** What the last `apply` that changed something made new: a repeated ask of the same command
   * tells the same tokens again, any other tells none. */
  readonly lastApply?: { readonly commandId: string; readonly created: readonly string[] };
  /** 0 before the first commit. */
  readonly version: number;
}
