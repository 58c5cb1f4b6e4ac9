/** Small commands that change an organization: pipelines, readiness, streams. */
import { failure, renderFailure } from '../../shared/failures.ts';
import type { Answer, Command } from '../../shared/ports/bus.ts';
import { answerOf, DONE } from '../../shared/wire/answer.ts';
import type { OpenStream, TouchStream } from '../../shared/wire/stream-commands.ts';
import { type ReadinessReport, withReadiness } from '../domain/network-readiness.ts';
import { withoutMoving } from '../domain/organization/pipelines.ts';
import { openStream, touchStream } from '../domain/organization/streams.ts';
import type { ChannelEntry, OrganizationState } from '../domain/organization.ts';
import type {
  DisableSubscription,
  EnsurePipelines,
  SetReadiness,
  SetRestriction,
  StageFollowed,
} from '../model/organization.ts';

export interface ActorChange {
  readonly answer: Answer;
  readonly next: OrganizationState | null;
}

type ActorCommand =
  | EnsurePipelines
  | SetReadiness
  | SetRestriction
  | DisableSubscription
  | StageFollowed
  | OpenStream
  | TouchStream;

const ABSENT: Answer = { status: 404, body: '{}' };
const TYPES: ReadonlySet<string> = new Set<ActorCommand['type']>([
  'ensure-pipelines',
  'set-readiness',
  'set-restriction',
  'disable-subscription',
  'stage-followed',
  'open-stream',
  'touch-stream',
]);

export function isActorCommand(command: Pick<Command, 'type'>): command is ActorCommand {
  return TYPES.has(command.type);
}

/** @param now epoch milliseconds */
export function decideActorCommand(
  state: OrganizationState | null,
  command: ActorCommand,
  now: number,
): ActorChange {
  if (!state) return { answer: ABSENT, next: null };
  switch (command.type) {
    case 'ensure-pipelines':
      return ensurePipelines(state, command);
    case 'set-readiness':
      return setReadiness(state, command);
    case 'set-restriction':
      return setRestriction(state, command);
    case 'disable-subscription':
      return disableSubscription(state, command);
    case 'stage-followed':
      return stageFollowed(state, command);
    case 'open-stream':
      return open(state, command, now);
    case 'touch-stream':
      return touch(state, command, now);
    default:
      return command satisfies never;
  }
}

function changed(
  state: OrganizationState,
  change: Partial<OrganizationState>,
  answer: Answer = DONE,
): ActorChange {
  return { answer, next: { ...state, ...change, version: state.version + 1 } };
}

function ensurePipelines(state: OrganizationState, { first }: EnsurePipelines): ActorChange {
  const { pipelines = [] } = state;
  if (pipelines.length > 0) return { answer: answerOf(pipelines), next: null };
  return changed(state, { pipelines: [first] }, answerOf([first]));
}

function stageFollowed(state: OrganizationState, command: StageFollowed): ActorChange {
  const leftStages = withoutMoving(state, command);
  return leftStages ? changed(state, { leftStages }) : { answer: DONE, next: null };
}

export function setReadiness(
  state: OrganizationState,
  { channelId, ...report }: ReadinessReport & { readonly channelId: string },
): ActorChange {
  return changeChannel(state, channelId, (channel) => withReadiness(channel, report));
}

export function setRestriction(
  state: OrganizationState,
  { channelId, restriction, cause }: Pick<SetRestriction, 'channelId' | 'restriction' | 'cause'>,
): ActorChange {
  const field = cause === 'payment' ? 'unpaid' : 'restriction';
  return changeChannel(state, channelId, (channel) => {
    const { [field]: known, ...rest } = channel;
    const isSameEnd = known?.until === restriction?.until;
    if (isSameEnd && known?.holdsUntil === restriction?.holdsUntil) return channel;
    return restriction === null ? rest : { ...rest, [field]: restriction };
  });
}

/** The same channel object means that nothing changes. */
function changeChannel(
  state: OrganizationState,
  channelId: string,
  change: (channel: ChannelEntry) => ChannelEntry,
): ActorChange {
  const channel = state.channels.find((each) => each.id === channelId);
  if (!channel) return { answer: ABSENT, next: null };
  const next = change(channel);
  if (next === channel) return { answer: DONE, next: null };
  return changed(state, {
    channels: state.channels.map((each) => (each === channel ? next : each)),
  });
}

function disableSubscription(state: OrganizationState, command: DisableSubscription): ActorChange {
  const { subscriptionId, reason: disabledReason } = command;
  const known = state.subscriptions.find((each) => each.id === subscriptionId);
  if (!known?.enabled) return { answer: DONE, next: null };
  const disabled = { ...known, enabled: false, disabledReason };
  return changed(state, {
    subscriptions: state.subscriptions.map((each) => (each === known ? disabled : each)),
  });
}

function open(state: OrganizationState, command: OpenStream, now: number): ActorChange {
  const opened = openStream(state, command, now);
  if ('kind' in opened) return { answer: renderFailure(opened), next: null };
  const { streams, connection, generation } = opened;
  const answer = answerOf({ connection, generation });
  return streams ? changed(state, { streams }, answer) : { answer, next: null };
}

function touch(state: OrganizationState, { streamId }: TouchStream, now: number): ActorChange {
  const streams = touchStream(state, streamId, now);
  if (!streams) return { answer: renderFailure(failure('stream_not_found')), next: null };
  return changed(state, { streams });
}
