/** Commands that advance flows; the gateway's own `start-flow` is in `shared/wire/commands`. */
import type { Command } from '../../shared/ports/bus.ts';

/** To `conversation`, from its own agenda: the run of entry `seq` is due. */
export interface FlowTimer extends Command {
  readonly type: 'flow-timer';
  readonly seq: number;
}

/** To `conversation`, from its own http call; `body` is null when the call failed. */
export interface FlowCallEnded extends Command {
  readonly type: 'flow-call-ended';
  readonly runId: string;
  readonly visit: number;
  readonly body: string | null;
}

/** To `conversation`: the contact has opted out. */
export interface StopFlow extends Command {
  readonly type: 'stop-flow';
  /** Time of the opt-out, epoch milliseconds. Absent in commands of earlier releases. */
  readonly at?: number;
}

/** To `organization`: answers 200 FlowFound, or 404 for an unknown or removed flow. */
export interface LookUpFlow extends Command {
  readonly type: 'flow-look-up';
  readonly flowId: string;
}

export interface FlowFound {
  readonly flowId: string;
  readonly name: string;
  readonly enabled: boolean;
  readonly channelId: string | null;
  readonly versionId: string;
}

/** To `organization`: a message outside of any run; it may start a flow. */
export interface RouteMessage extends Command {
  readonly type: 'flow-route-message';
  readonly messageId: string;
  readonly conversationId: string;
  readonly channelId: string;
  readonly contactId: string;
  readonly phone: string;
  readonly text: string | null;
  /** The contact's first message in this conversation. */
  readonly first: boolean;
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
  /** Time of the opt-out, epoch milliseconds. Absent in commands of earlier releases. */
  readonly at?: number;
}

/** The commands that an organization answers about flows. */
export type FlowQuestion = LookUpFlow | RouteMessage | RouteTags | RouteOptOut;

const QUESTIONS: ReadonlySet<string> = new Set<FlowQuestion['type']>([
  'flow-look-up',
  'flow-route-message',
  'flow-route-tags',
  'flow-route-opt-out',
]);

export function isFlowQuestion(command: Command): command is FlowQuestion {
  return QUESTIONS.has(command.type);
}
