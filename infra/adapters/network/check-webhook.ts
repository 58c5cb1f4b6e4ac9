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
const PROXY = 'Let the proxy pass /networks/ to a gateway, body and headers unchanged.';

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
  const refused = await outOfReach(url, own.networkUrl);
  if (refused !== null) return refused;
  const answer = await http.call({ ...call, timeoutMs: CHECK_TIMEOUT_MS });
  if (!answer.answered) {
    const cause = `${url.href} did not answer: ${answer.cause}`;
    return fail('webhook', cause, 'Set PUBLIC_URL to the address that leads to the gateway.');
  }
  if (isOurs(answer)) return pass('webhook', `${url.href} answered our own call`);
  const reported = `${url.href} answered ${answer.status}, and not as this service does`;
  return fail('webhook', reported, PROXY);
}

/** Null where the network may reach it. */
async function outOfReach(url: URL, networkUrl: string): Promise<ChannelFinding | null> {
  const network = URL.parse(networkUrl);
  if (network === null) return skip('webhook', 'the address of the network is no URL');
  const [ours, theirs] = await Promise.all([classOf(url), classOf(network)]);
  const https = network.protocol === 'https:' && theirs === 'public';
  if (https && url.protocol !== 'https:') {
    const remedy = 'Set PUBLIC_URL to an https address that the internet reaches.';
    return fail('webhook', `${url.href} is not https: the network calls no other`, remedy);
  }
  if (ours === null || theirs === null || WIDTH[ours] >= WIDTH[theirs]) return null;
  const place = ours === 'loopback' ? 'this machine only' : 'an internal network';
  const remedy = 'Set PUBLIC_URL to an address that the network reaches: docs/networks.md.';
  return fail('webhook', `${url.href} is reached from ${place}`, remedy);
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
