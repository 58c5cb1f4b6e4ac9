/**
 * Names to addresses, for guarded connections. Look-ups of one name that are under way at once are
 * one look-up: `getaddrinfo` has only the thread pool's few threads, and a subscriber whose name
 * server does not answer must not take them all.
 */
import { lookup } from 'node:dns/promises';

export interface ResolvedAddress {
  readonly address: string;
  readonly family: number;
}

/** Every address of a name, in the resolver's order; rejects when there is none. */
export type Resolve = (host: string) => Promise<readonly ResolvedAddress[]>;

/** The machine's own resolver, `/etc/hosts` included. */
export const resolveBySystem: Resolve = (host) => lookup(host, { all: true, order: 'verbatim' });

export function sharedResolve(resolve: Resolve): Resolve {
  const underWay = new Map<string, Promise<readonly ResolvedAddress[]>>();
  return (host) => {
    const known = underWay.get(host);
    if (known !== undefined) return known;
    const started = resolve(host).finally(() => underWay.delete(host));
    underWay.set(host, started);
    return started;
  };
}
