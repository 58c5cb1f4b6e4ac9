/** Commands to an organization from other actors. */
import type { Command } from '../../shared/ports.ts';
import type { ChannelRestriction } from '../domain/channel-restriction.ts';
import type { ReadinessReport } from '../domain/network-readiness.ts';
import type { PipelineEntry } from '../domain/organization/state.ts';

/** Answers the tags as the organization spells them; missing ones are created. */
export interface EnsureTags extends Command {
  readonly type: 'ensure-tags';
  readonly tags: readonly string[];
}

/** A channel's knowledge of its network. */
export interface SetReadiness extends Command, ReadinessReport {
  readonly type: 'set-readiness';
  readonly channelId: string;
}

/** Whether a channel's network restricts its number; null: it does not. */
export interface SetRestriction extends Command {
  readonly type: 'set-restriction';
  readonly channelId: string;
  readonly restriction: ChannelRestriction | null;
}

/** Answers the organization's pipelines; with none yet, `first` becomes the only one. */
export interface EnsurePipelines extends Command {
  readonly type: 'ensure-pipelines';
  readonly first: PipelineEntry;
}

/** A subscriber has gone (410), or has failed for five days. */
export interface DisableSubscription extends Command {
  readonly type: 'disable-subscription';
  readonly subscriptionId: string;
  readonly reason: string;
}
