/** Commands of other actors that change an organization: pipelines, readiness, subscriptions. */
import type { Answer, Command } from '../../shared/ports/bus.ts';
import { type ReadinessReport, withReadiness } from '../domain/network-readiness.ts';
import type { OrganizationState } from '../domain/organization/state.ts';
import type {
  DisableSubscription,
  EnsurePipelines,
  SetReadiness,
  SetRestriction,
} from './commands.ts';

export interface ActorChange {
  readonly answer: Answer;
  readonly next: OrganizationState | null;
}

type ActorCommand = EnsurePipelines | SetReadiness | SetRestriction | DisableSubscription;

const DONE: Answer = { status: 200, body: '{}' };
const ABSENT: Answer = { status: 404, body: '{}' };
const TYPES: ReadonlySet<string> = new Set([
  'ensure-pipelines',
  'set-readiness',
  'set-restriction',
  'disable-subscription',
]);

export function isActorCommand(command: Command): command is ActorCommand {
  return TYPES.has(command.type);
}

export function decideActorCommand(
  state: OrganizationState | null,
  command: ActorCommand,
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
    default:
      return command satisfies never;
  }
}

function ensurePipelines(state: OrganizationState, command: EnsurePipelines): ActorChange {
  const known = state.pipelines ?? [];
  const pipelines = known.length > 0 ? known : [command.first];
  const answer = { status: 200, body: JSON.stringify(pipelines) };
  if (pipelines === known) return { answer, next: null };
  return { answer, next: { ...state, pipelines, version: state.version + 1 } };
}

export function setReadiness(
  state: OrganizationState,
  { channelId, ...report }: ReadinessReport & { readonly channelId: string },
): ActorChange {
  const channel = state.channels.find((each) => each.id === channelId);
  if (!channel) return { answer: ABSENT, next: null };
  const changed = withReadiness(channel, report);
  if (changed === channel) return { answer: DONE, next: null };
  const channels = state.channels.map((each) => (each === channel ? changed : each));
  return { answer: DONE, next: { ...state, channels, version: state.version + 1 } };
}

export function setRestriction(
  state: OrganizationState,
  { channelId, restriction }: Pick<SetRestriction, 'channelId' | 'restriction'>,
): ActorChange {
  const channel = state.channels.find((each) => each.id === channelId);
  if (!channel) return { answer: ABSENT, next: null };
  const { restriction: known = null, ...rest } = channel;
  const same = known?.until === restriction?.until && known?.holdsUntil === restriction?.holdsUntil;
  if (same) return { answer: DONE, next: null };
  const changed = restriction === null ? rest : { ...rest, restriction };
  const channels = state.channels.map((each) => (each.id === channelId ? changed : each));
  return { answer: DONE, next: { ...state, channels, version: state.version + 1 } };
}

function disableSubscription(state: OrganizationState, command: DisableSubscription): ActorChange {
  const { subscriptionId, reason } = command;
  const known = state.subscriptions.find((each) => each.id === subscriptionId);
  if (!known?.enabled) return { answer: DONE, next: null };
  const subscriptions = state.subscriptions.map((each) =>
    each.id === subscriptionId ? { ...each, enabled: false, disabledReason: reason } : each,
  );
  return { answer: DONE, next: { ...state, subscriptions, version: state.version + 1 } };
}
