/**
 * Contacts' messages that arrive late: they start no flow. `recado doctor` shows them per channel
 * of this process, and networks whose clock made messages look late; both expire.
 */
import type { NetworkEvent } from '../../../shared/ports/network-event.ts';
import { isLate, isLateByClock, latenessMs } from '../../domain/lateness.ts';
import type { LateWebhooks } from '../../runtime/kind.ts';
import type { ChannelConfiguration } from '../readiness/configuration.ts';
import type { ReceivingChannel } from './receiving-channel.ts';
import type { RoutedEvent } from './route-event.ts';

const SHOWN_MS = 60 * 60_000;

type LateChannel = Pick<ReceivingChannel, 'channelId' | 'environment'>;

const lateChannels = new WeakMap<LateChannel, LateWebhooks>();

interface Report {
  readonly configuration: ChannelConfiguration;
  /** When the network made its report, by its own clock. */
  readonly reportedAt: number | undefined;
}

/** The command of a late message says so. */
export function markLate(
  channel: LateChannel,
  { configuration, reportedAt }: Report,
  { event, routed }: { readonly event: NetworkEvent; readonly routed: RoutedEvent },
): RoutedEvent {
  if (event.type !== 'message' && event.type !== 'welcome') return routed;
  const { network, entry } = configuration;
  const { networks, clock } = channel.environment;
  const behindMs = networks.driver(network.provider).behindMs?.(network) ?? null;
  const arrival = { writtenAt: event.at, arrivedAt: clock.now(), reportedAt, behindMs };
  if (isLateByClock(arrival)) record(channel, entry.ref, { behindMs: behindMs ?? 0 });
  if (!isLate(arrival)) return routed;
  record(channel, entry.ref, { lateMs: latenessMs(arrival) });
  return asLate(routed);
}

function asLate(routed: RoutedEvent): RoutedEvent {
  if ('event' in routed) {
    if (routed.event !== 'message') return routed;
    return { ...routed, command: { ...routed.command, late: true } };
  }
  const { command } = routed;
  return command.type === 'welcome' ? { ...routed, command: { ...command, late: true } } : routed;
}

function record(
  channel: LateChannel,
  ref: string,
  found: Partial<Pick<LateWebhooks, 'lateMs' | 'behindMs'>>,
): void {
  const { count, lateMs, behindMs } = lateOf(channel) ?? { count: 0, lateMs: 0, behindMs: 0 };
  lateChannels.set(channel, {
    channelId: channel.channelId,
    ref,
    count: count + (found.lateMs === undefined ? 0 : 1),
    ...{ lateMs, behindMs, ...found },
    at: channel.environment.clock.now(),
  });
}

/** Null where no message was late within the last hour. */
export function lateOf(channel: LateChannel): LateWebhooks | null {
  const known = lateChannels.get(channel);
  if (known === undefined || channel.environment.clock.now() - known.at > SHOWN_MS) return null;
  return known;
}
