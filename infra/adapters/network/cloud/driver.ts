/** The door of the `cloud` driver: Meta's WhatsApp Business Cloud API behind the port. */

import type { Clock } from '../../../../shared/ports/clock.ts';
import type { NetworkDriver } from '../../../../shared/ports/network.ts';
import type { HttpCaller } from '../http-caller.ts';
import { checkChannel } from './check.ts';
import { download, sendMedia, upload } from './media.ts';
import { show } from './presence.ts';
import { type ResolveBaseUrl, sendText } from './send.ts';
import { sendContent } from './send-content.ts';
import { readStatus } from './status.ts';
import { listTemplates } from './templates.ts';
import { parseWebhook, verifyChallenge } from './webhook.ts';

export interface CloudDriverOptions {
  readonly http: HttpCaller;
  readonly clock: Clock;
  /** Turns a channel's `baseUrl` (or none) into the address to call. */
  readonly resolveBaseUrl: ResolveBaseUrl;
}

/**
 * `channel.network`: phoneNumberId, accessToken, appSecret, verifyToken, baseUrl?, apiVersion?,
 * businessAccountId?.
 */
export function createCloudDriver(options: CloudDriverOptions): NetworkDriver {
  const { http, clock, resolveBaseUrl } = options;
  const sender = { http, resolveBaseUrl };
  return {
    sendText: (channel, message) => sendText(sender, channel, message),
    sendMedia: (channel, message) => sendMedia(sender, channel, message),
    sendContent: (channel, message) => sendContent(sender, channel, message),
    show: (channel, presence) => show(sender, channel, presence),
    listTemplates: (channel) => listTemplates(sender, channel),
    upload: (channel, file) => upload(sender, channel, file),
    download: (channel, media) => download(sender, channel, media),
    status: (channel) => readStatus(sender, channel),
    check: (channel, webhookUrl) => checkChannel({ ...sender, clock }, channel, webhookUrl),
    behindMs: ({ network }) => http.behindMs(resolveBaseUrl(network.baseUrl)),
    parseWebhook: (channel, request) => parseWebhook(clock, channel, request),
    challenge: verifyChallenge,
  };
}
