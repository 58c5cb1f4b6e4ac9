/** URLs and headers of a `cloud` channel's Graph calls (anchors: Cloud API basics). */
import type { NetworkChannel } from '../../../../shared/ports/network.ts';

const DEFAULT_API_VERSION = 'v26.0';
export const SEND_TIMEOUT_MS = 10_000;
export const STATUS_TIMEOUT_MS = 10_000;
/** Of a file. */
export const TRANSFER_TIMEOUT_MS = 60_000;

export type ResolveBaseUrl = (baseUrl: string | undefined) => string;

/** `{base}/{version}/{phoneNumberId}`, without a slash at its end. */
export function numberUrl(channel: NetworkChannel, resolveBaseUrl: ResolveBaseUrl): string {
  return objectUrl(channel, channel.network.phoneNumberId ?? '', resolveBaseUrl);
}

/** `{base}/{version}/{id}` of any object of the graph. */
export function objectUrl(
  channel: NetworkChannel,
  id: string,
  resolveBaseUrl: ResolveBaseUrl,
): string {
  const base = resolveBaseUrl(channel.network.baseUrl).replace(/\/+$/, '');
  const version = channel.network.apiVersion || DEFAULT_API_VERSION;
  return `${base}/${version}/${encodeURIComponent(id)}`;
}

/** The bearer header of the channel's system user. */
export function authorization(channel: NetworkChannel): Record<string, string> {
  return { authorization: `Bearer ${channel.network.accessToken ?? ''}` };
}

/** The Portuguese sentence for a channel without a setting that a call needs, else null. */
export function missingSetting(channel: NetworkChannel): string | null {
  if (!channel.network.phoneNumberId) return 'Falta o phoneNumberId na configuração do canal.';
  if (!channel.network.accessToken) return 'Falta o token de acesso na configuração do canal.';
  return null;
}
