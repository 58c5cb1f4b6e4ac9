/** Addresses and headers of a `web` channel's calls, and the channel's required settings. */
import type { ReadableFile } from '../../../../shared/ports/media.ts';
import type { NetworkChannel } from '../../../../shared/ports/network.ts';
import type { HttpAnswer, HttpCaller } from '../http-caller.ts';
import { base64Of, type StreamedBody, wrapFile } from '../streamed-body.ts';

/** A bridge holds a call for up to 10 s, and answers it then. */
const TIMEOUT_MS = 15_000;
const FILES = '/api/files/';
const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);
/** Of a file. */
export const TRANSFER_TIMEOUT_MS = 60_000;

export interface BridgeCaller {
  readonly http: HttpCaller;
  /** Turns a channel's `baseUrl` into the address to call. */
  readonly resolveBaseUrl: (baseUrl: string | undefined) => string;
}

export interface BridgeGet {
  readonly path: string;
  /** 15 s unless set. */
  readonly timeoutMs?: number;
}

/** One GET under the channel's key; the path begins with `/api/`. Never rejects. */
export function readBridge(
  caller: BridgeCaller,
  channel: NetworkChannel,
  get: string | BridgeGet,
): Promise<HttpAnswer> {
  const { path, timeoutMs = TIMEOUT_MS } = typeof get === 'string' ? { path: get } : get;
  return caller.http.call({
    method: 'GET',
    url: `${base(caller, channel)}${path}`,
    headers: apiKey(channel),
    timeoutMs,
  });
}

export interface BridgePost {
  /** `POST` unless set. */
  readonly method?: 'PUT';
  readonly path: string;
  /** With `data`, an object `file` is its last property. */
  readonly body: Readonly<Record<string, unknown>>;
  readonly data?: ReadableFile;
  /** 15 s unless set. */
  readonly timeoutMs?: number;
}

/** One POST (or PUT) of a JSON body under the channel's key. Never rejects. */
export function postBridge(
  caller: BridgeCaller,
  channel: NetworkChannel,
  { method, path, body, data, timeoutMs = TIMEOUT_MS }: BridgePost,
): Promise<HttpAnswer> {
  return caller.http.call({
    method: method ?? 'POST',
    url: `${base(caller, channel)}${path}`,
    headers: { ...apiKey(channel), 'content-type': 'application/json' },
    body: data === undefined ? JSON.stringify(body) : withData(body, data),
    timeoutMs,
  });
}

/** The file's `data` is written last: between what JSON has before it and two closing braces. */
function withData(body: Readonly<Record<string, unknown>>, data: ReadableFile): StreamedBody {
  const before = JSON.stringify(body).slice(0, -'}}'.length);
  return wrapFile(`${before},"data":"`, '"}}', base64Of(data));
}

/** The session of the channel. */
export function sessionOf(channel: NetworkChannel): string {
  return channel.network.session ?? '';
}

/** The Portuguese sentence for a channel without a setting that a call needs, else null. */
export function missingSetting(channel: NetworkChannel): string | null {
  if (!channel.network.baseUrl) return 'Falta o endereço (baseUrl) do provedor do número.';
  if (!channel.network.session) return 'Falta a sessão (session) na configuração do canal.';
  return null;
}

export function isSuccess(status: number): boolean {
  return status >= 200 && status <= 299;
}

/**
 * The address and headers for a file that a webhook reports. A bridge without a configured name
 * reports its files on `localhost`: those are on the channel's bridge, wherever it runs. Only the
 * bridge gets the key, whatever a webhook contains. A file elsewhere, in a store of the bridge's,
 * is requested without it.
 */
export function fileAt(
  caller: BridgeCaller,
  channel: NetworkChannel,
  url: string,
): { readonly url: string; readonly headers: Record<string, string> } {
  const bridge = base(caller, channel);
  const reported = URL.parse(url);
  if (reported !== null && LOOPBACK.has(reported.hostname) && reported.pathname.startsWith(FILES)) {
    return { url: `${bridge}${reported.pathname}${reported.search}`, headers: apiKey(channel) };
  }
  const own = originOf(bridge);
  return { url, headers: own !== null && originOf(url) === own ? apiKey(channel) : {} };
}

/** One spelling for this machine: a bridge without a configured name calls itself `localhost`. */
function originOf(text: string): string | null {
  const url = URL.parse(text);
  if (url === null) return null;
  const host = LOOPBACK.has(url.hostname) ? 'localhost' : url.hostname;
  return `${url.protocol}//${host}:${url.port}`;
}

function base(caller: BridgeCaller, channel: NetworkChannel): string {
  return caller.resolveBaseUrl(channel.network.baseUrl).replace(/\/+$/, '');
}

/** The header of the channel's key. */
function apiKey(channel: NetworkChannel): Record<string, string> {
  return channel.network.apiKey ? { 'x-api-key': channel.network.apiKey } : {};
}
