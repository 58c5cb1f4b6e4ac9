/** Readiness of a channel: whether it can send now, and if not, why (C2.3). */
import type { ChannelEntry } from './organization/state.ts';

const DISABLED = 'O canal está desativado.';
const NOT_CONNECTED = 'O número não está conectado à rede.';

/** `reason` is a Portuguese sentence exactly when the channel is not ready. */
export function readinessOf(
  channel: Pick<ChannelEntry, 'enabled' | 'networkReady' | 'networkReason'>,
): { ready: boolean; reason: string | null } {
  if (!channel.enabled) return { ready: false, reason: DISABLED };
  if (channel.networkReady) return { ready: true, reason: null };
  return { ready: false, reason: channel.networkReason ?? NOT_CONNECTED };
}
