/** Commands to an organization from other actors. */
import type { Command } from '../../shared/ports/bus.ts';
import type { ChannelRestriction } from '../domain/channel-restriction.ts';
import type { ReadinessReport } from '../domain/network-readiness.ts';
import type { PipelineEntry } from '../domain/organization/state.ts';

/** Answers the tags in the organization's spelling; creates missing ones. */
export interface EnsureTags extends Command {
  readonly type: 'ensure-tags';
  readonly tags: readonly string[];
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
}

/** Answers the organization's pipelines; without any, `first` becomes the only one. */
export interface EnsurePipelines extends Command {
  readonly type: 'ensure-pipelines';
  readonly first: PipelineEntry;
}

/** Disables a subscription that answered 410, or failed for five days. */
export interface DisableSubscription extends Command {
  readonly type: 'disable-subscription';
  readonly subscriptionId: string;
  readonly reason: string;
}
