/** The door of the `web` driver: a self-hosted QR bridge (WAHA's HTTP API) behind the port. */

import type { NetworkDriver } from '../../../shared/network.ts';
import type { Clock } from '../../../shared/ports.ts';
import type { HttpCaller } from '../http-caller.ts';
import { readStatus, sendText } from './bridge-call.ts';
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
  return {
    sendText: (channel, message) => sendText(caller, channel, message),
    status: (channel) => readStatus(caller, channel),
    parseWebhook: (channel, request) => parseWebhook(clock, channel, request),
    challenge: () => null,
  };
}
