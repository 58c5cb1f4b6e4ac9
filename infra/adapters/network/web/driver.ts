/** The door of the `web` driver: a self-hosted QR bridge (WAHA's HTTP API) behind the port. */

import type { Clock } from '../../../../shared/ports/clock.ts';
import type { NetworkDriver } from '../../../../shared/ports/network.ts';
import type { HttpCaller } from '../http-caller.ts';
import { checkChannel } from './check.ts';
import { Directory } from './directory.ts';
import { Engines } from './engines.ts';
import { findSent } from './find-sent.ts';
import { readSince } from './history.ts';
import { download, sendMedia } from './media.ts';
import { ownIdFor } from './message-id.ts';
import { show } from './presence.ts';
import { sendText } from './send.ts';
import { sendContent } from './send-content.ts';
import { readStatus } from './status.ts';
import { parseWebhook } from './webhook.ts';

export interface WebDriverOptions {
  readonly http: HttpCaller;
  readonly clock: Clock;
  /** Turns a channel's `baseUrl` into the address to call. */
  readonly resolveBaseUrl: (baseUrl: string | undefined) => string;
}

/** `channel.network`: baseUrl, session, apiKey, webhookSecret. */
export function createWebDriver(options: WebDriverOptions): NetworkDriver {
  const { http, clock, resolveBaseUrl } = options;
  const caller = { http, resolveBaseUrl };
  const directory = new Directory(caller);
  const engines = new Engines(caller, clock);
  const sender = { ...caller, directory, engines };
  return {
    ownIdOf: (channel, id) => (engines.has(channel, 'own-ids') ? ownIdFor(id) : null),
    sendText: (channel, message) => sendText(sender, channel, message),
    sendMedia: (channel, message) => sendMedia(sender, channel, message),
    sendContent: (channel, message) => sendContent(sender, channel, message),
    show: (channel, presence) => show(sender, channel, presence),
    download: (channel, media) => download(caller, channel, media),
    findSent: (channel, message) => findSent(sender, channel, message),
    readSince: (channel, since) => readSince({ ...caller, clock }, channel, since),
    findPhone: (channel, networkId) => directory.findPhone(channel, networkId),
    status: (channel) => readStatus({ ...sender, clock }, channel),
    check: (channel, webhookUrl) => checkChannel({ ...caller, directory }, channel, webhookUrl),
    behindMs: ({ network }) => http.behindMs(resolveBaseUrl(network.baseUrl)),
    parseWebhook: (channel, request) => parseWebhook(clock, channel, request),
    challenge: () => null,
  };
}
