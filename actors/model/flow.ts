/**
 * Commands that advance flows, and the document of a flow's version. The gateway's own `start-flow`
 * is in `shared/wire/commands`.
 */
import type { Command } from '../../shared/ports/bus.ts';
import type { Document } from '../../shared/ports/store.ts';
import type { TriggeringMessage } from '../domain/flow/conditions.ts';
import type { FlowEntry } from '../domain/organization.ts';

/** To `conversation`, from its own agenda: the run of entry `seq` is due. */
export interface FlowTimer extends Command {
  readonly type: 'flow-timer';
  readonly seq: number;
  /** It was due before this owner acquired the partition: an earlier owner may have begun it. */
  readonly recovered?: true;
}

/** To `conversation`, from its own http call; `body` is null when the call failed. */
export interface FlowCallEnded extends Command {
  readonly type: 'flow-call-ended';
  readonly runId: string;
  readonly visit: number;
  readonly body: string | null;
  /** Units that its request has spent. */
  readonly spent?: number;
}

/** To `conversation`: the contact has opted out. */
export interface StopFlow extends Command {
  readonly type: 'stop-flow';
  /** Time of the opt-out, epoch milliseconds. */
  readonly at: number;
}

/** To `organization`: answers 404 for an unknown or removed flow. */
export interface LookUpFlow extends Command {
  readonly type: 'flow-look-up';
  readonly flowId: string;
}

export interface FlowFound extends Pick<FlowEntry, 'name' | 'enabled' | 'channelId'> {
  readonly flowId: string;
  readonly versionId: string;
}

/** To `organization`: a message outside of any run; it may start a flow. */
export interface RouteMessage extends Command, TriggeringMessage {
  readonly type: 'flow-route-message';
  readonly messageId: string;
  readonly conversationId: string;
  readonly contactId: string;
  readonly phone: string;
}

/** To `organization`: tags that a contact did not have before. */
export interface RouteTags extends Command {
  readonly type: 'flow-route-tags';
  readonly contactId: string;
  readonly phone: string;
  readonly tags: readonly string[];
}

/** To `organization`: an opt-out has come into force. */
export interface RouteOptOut extends Command {
  readonly type: 'flow-route-opt-out';
  readonly contactId: string;
  /** Time of the opt-out, epoch milliseconds. */
  readonly at: number;
}

export interface FlowVersionDocument extends Document {
  readonly flowId: string;
  readonly orgId: string;
  readonly steps: readonly Readonly<Record<string, unknown>>[];
  readonly writtenAt: number;
}
