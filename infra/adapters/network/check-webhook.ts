/**
 * Check of the webhook from the network's position. It tests whether the network can reach the
 * address, and makes a call of its own through it.
 *
 * A network on a loopback or internal address reaches addresses of its own kind. Every other
 * network reaches public ones only. Names that do not resolve are left to the call.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { type ChannelFinding, fail, pass, skip } from '../../../shared/channel-check.ts';
import { type AddressClass, bareHost, classifyAddress } from '../outbound/address-guard.ts';
import { resolveBySystem } from '../outbound/resolver.ts';
import type { HttpAnswer, HttpCall, HttpCaller } from './http-caller.ts';

/** Of each call; two rounds of them fit into one question to the service. */
export const CHECK_TIMEOUT_MS = 3_000;

const WIDTH: Readonly<Record<AddressClass, number>> = { loopback: 0, internal: 1, public: 2 };

export interface OwnCall {
  readonly http: HttpCaller;
  /** The request as the network would make it. */
  readonly call: Omit<HttpCall, 'timeoutMs'>;
  /** Where the network is. */
  readonly networkUrl: string;
  /** Whether the answer is ours. */
  readonly isOurs: (answer: Extract<HttpAnswer, { answered: true }>) => boolean;
}

/** Never rejects. */
export async function checkOwnCall(own: OwnCall): Promise<ChannelFinding> {
  const { call, http, isOurs } = own;
  const url = new URL(call.url);
  url.search = '';
  const { href } = url;
  const refused = await outOfReach(url, own.networkUrl);
  if (refused !== null) return refused;
  const answer = await http.call({ ...call, timeoutMs: CHECK_TIMEOUT_MS });
  if (!answer.answered) {
    const silent = { code: 'webhookSilent', params: { url: href, cause: answer.cause } } as const;
    return fail('webhook', silent, { code: 'setPublicUrl', params: {} });
  }
  if (isOurs(answer)) return pass('webhook', { code: 'webhookAnswers', params: { url: href } });
  const other = { code: 'webhookNotOurs', params: { url: href, status: answer.status } } as const;
  return fail('webhook', other, { code: 'passNetworks', params: {} });
}

/** Null where the network may reach it. */
async function outOfReach(url: URL, networkUrl: string): Promise<ChannelFinding | null> {
  const network = URL.parse(networkUrl);
  if (network === null) return skip('webhook', { code: 'networkNoUrl', params: {} });
  const [ours, theirs] = await Promise.all([classOf(url), classOf(network)]);
  const https = network.protocol === 'https:' && theirs === 'public';
  if (https && url.protocol !== 'https:') {
    const detail = { code: 'webhookNotHttps', params: { url: url.href } } as const;
    return fail('webhook', detail, { code: 'setHttpsUrl', params: {} });
  }
  if (ours === null || theirs === null || WIDTH[ours] >= WIDTH[theirs]) return null;
  const reach = ours === 'loopback' ? 'machine' : 'internal';
  const detail = { code: 'webhookWithin', params: { url: url.href, reach } } as const;
  return fail('webhook', detail, { code: 'setReachedUrl', params: {} });
}

/** Null where the name does not resolve in time. */
async function classOf({ hostname }: URL): Promise<AddressClass | null> {
  try {
    const slow = pause(CHECK_TIMEOUT_MS, [], { ref: false });
    const found = await Promise.race([resolveBySystem(bareHost(hostname)), slow]);
    const widest = found.map(({ address }) => classifyAddress(address));
    return widest.toSorted((a, b) => WIDTH[b] - WIDTH[a])[0] ?? null;
  } catch (cause) {
    if (cause instanceof Error) return null;
    throw cause;
  }
}
