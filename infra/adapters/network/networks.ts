/**
 * The door of the network drivers. A channel's provider picks the driver; whether it talks to the
 * real network or to the simulator is only a matter of the address (C13.2).
 */

import type { Clock } from '../../../shared/ports/clock.ts';
import type { Networks } from '../../../shared/ports/network.ts';
import { createCloudDriver } from './cloud/driver.ts';
import { createHttpCaller } from './http-caller.ts';
import { createWebDriver } from './web/driver.ts';

const GRAPH_URL = 'https://graph.facebook.com';

export interface NetworksOptions {
  readonly clock: Clock;
  /** Turns a channel's `baseUrl` (a URL, `sandbox`, or nothing) into the address to call. */
  readonly resolveBaseUrl: (baseUrl: string | undefined) => string;
}

/** `close` drops every connection; calls in progress end as `unknown`. */
export interface ClosableNetworks extends Networks {
  close(): Promise<void>;
}

export function createNetworks(options: NetworksOptions): ClosableNetworks {
  const http = createHttpCaller(options.clock);
  const shared = { http, clock: options.clock, resolveBaseUrl: options.resolveBaseUrl };
  const drivers = { cloud: createCloudDriver(shared), web: createWebDriver(shared) };
  return {
    driver: (provider) => drivers[provider],
    close: () => http.close(),
  };
}

/**
 * The usual `resolveBaseUrl`: the setting `sandbox` means the simulator's address, an empty one
 * Meta's. The simulator's address is a function because the simulator's port may be known only
 * after the start.
 */
export function baseUrlResolver(
  sandboxUrl: () => string | undefined,
): (baseUrl: string | undefined) => string {
  return (baseUrl) => {
    if (baseUrl === undefined || baseUrl === '') return GRAPH_URL;
    return baseUrl === 'sandbox' ? (sandboxUrl() ?? '') : baseUrl;
  };
}
