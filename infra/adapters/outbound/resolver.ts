/**
 * Resolver of names for guarded connections. Concurrent look-ups of one name are one look-up, and
 * different ones share the process's threads fairly (fair-resolve).
 */
import { lookup } from 'node:dns/promises';
import { fairResolve } from './fair-resolve.ts';

export interface ResolvedAddress {
  readonly address: string;
  readonly family: number;
}

/** Every address of a name, in the resolver's order; rejects when there is none. */
export type Resolve = (host: string) => Promise<readonly ResolvedAddress[]>;

/** Half of the threads that the supervisor gives a process (child-environment). */
const LIMITS = { atOnce: 12, perSite: 2, waitingMax: 1_000 };

/** The machine's own resolver, `/etc/hosts` included; one queue for the process's threads. */
export const resolveBySystem: Resolve = fairResolve(
  (host) => lookup(host, { all: true, order: 'verbatim' }),
  LIMITS,
);

export function singleFlightResolve(resolve: Resolve): Resolve {
  const underWay = new Map<string, Promise<readonly ResolvedAddress[]>>();
  return (host) => {
    const known = underWay.get(host);
    if (known !== undefined) return known;
    const started = resolve(host).finally(() => underWay.delete(host));
    underWay.set(host, started);
    return started;
  };
}
