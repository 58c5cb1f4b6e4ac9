/** Commands to organizations, and their documents. */
import type { Command } from '../../shared/ports/bus.ts';
import type { Restriction } from '../../shared/ports/network-event.ts';
import type { Document } from '../../shared/ports/store.ts';
import type { AuditEntry } from '../../shared/wire/audit.ts';
import type { Acknowledged, Exchange } from '../../shared/wire/command-map.ts';
import type { OutboxEvent } from '../../shared/wire/outbox.ts';
import type { QuickReply } from '../../shared/wire/quick-reply-commands.ts';
import type { ChannelRestriction } from '../domain/channel-restriction.ts';
import type { ReadinessReport } from '../domain/network-readiness.ts';
import type { OrganizationState, PipelineEntry } from '../domain/organization.ts';
import type { RateWindow } from '../domain/rate-limits.ts';
import type { SessionState } from '../domain/session.ts';
import type { FlowFound, LookUpFlow, RouteMessage, RouteOptOut, RouteTags } from './flow.ts';

export interface AskedOfOrganizations {
  readonly 'ensure-tags': Exchange<EnsureTags, readonly string[]>;
  readonly 'ensure-pipelines': Exchange<EnsurePipelines, readonly PipelineEntry[]>;
  readonly 'set-readiness': Exchange<SetReadiness, Acknowledged>;
  readonly 'set-restriction': Exchange<SetRestriction, Acknowledged>;
  readonly 'disable-subscription': Exchange<DisableSubscription, Acknowledged>;
  readonly 'stage-followed': Exchange<StageFollowed, Acknowledged>;
  readonly 'show-events': Exchange<ShowEvents, Acknowledged>;
  readonly 'flow-look-up': Exchange<LookUpFlow, FlowFound>;
  readonly 'flow-route-message': Exchange<RouteMessage, Acknowledged>;
  readonly 'flow-route-tags': Exchange<RouteTags, Acknowledged>;
  readonly 'flow-route-opt-out': Exchange<RouteOptOut, Acknowledged>;
}

/** Answers the tags in the organization's spelling; creates missing ones. */
export interface EnsureTags extends Command {
  readonly type: 'ensure-tags';
  readonly tags: readonly string[];
}

/** Answers the organization's pipelines; without any, `first` becomes the only one. */
export interface EnsurePipelines extends Command {
  readonly type: 'ensure-pipelines';
  readonly first: PipelineEntry;
}

/** A channel reports the readiness of its network. */
export interface SetReadiness extends Command, ReadinessReport {
  readonly type: 'set-readiness';
  readonly channelId: string;
}

/** A channel reports its network's restriction of the number; null: there is none. */
export interface SetRestriction extends Command {
  readonly type: 'set-restriction';
  readonly channelId: string;
  readonly restriction: ChannelRestriction | null;
  /** Absent: the restriction is of new conversations. */
  readonly cause?: Restriction['cause'];
}

/** Disables a subscription that answered 410, or failed for five days. */
export interface DisableSubscription extends Command {
  readonly type: 'disable-subscription';
  readonly subscriptionId: string;
  readonly reason: string;
}

/** All deals of a stage that this change removed have followed. */
export interface StageFollowed extends Command {
  readonly type: 'stage-followed';
  readonly stageId: string;
  readonly commandId: string;
}

/** Events whose deliveries are recorded, for the pages that are open; may be lost. */
export interface ShowEvents extends Command {
  readonly type: 'show-events';
  readonly events: readonly OutboxEvent[];
}

export interface OrganizationDocument extends Document, Omit<OrganizationState, 'id'> {}

/** `_id` is the digest: a token is unique in the installation. */
export interface KeyClaimDocument extends Document {
  readonly orgId: string;
  readonly keyId: string;
}

export interface TagDocument extends Document {
  readonly orgId: string;
  /** The spelling of the first write. */
  readonly name: string;
}

export interface AuditDocument extends Document, Omit<AuditEntry, 'id'> {
  readonly orgId: string;
}

/** `_id` is the digest. */
export interface SessionDocument extends Document, SessionState {}

export interface QuickReplyDocument extends Document, Omit<QuickReply, 'id'> {
  /** Empty in a removed one. */
  readonly orgId: string;
  /** Epoch milliseconds until which a removed one keeps its id. */
  readonly until?: number;
}

export interface WindowsDocument extends Document {
  /** Rises with each write and each owner: a late write reverts nothing. */
  readonly stamp?: number;
  readonly org?: RateWindow;
  readonly keys: Readonly<Record<string, RateWindow>>;
  readonly lastUsedAt: Readonly<Record<string, number>>;
}
