/**
 * Fair scheduler of look-ups by the machine's resolver. `getaddrinfo` blocks one of the process's
 * few threads until the name server answers. A caller with a silent name server and invented names
 * must not block the threads for all other names.
 *
 * 1. A site (`example.com`, `example.com.br`) has few look-ups in progress; its others wait, and
 *    the look-ups of other sites pass them.
 * 2. Beyond `waitingMax` waiting look-ups the next is refused, as by a resolver that is out of
 *    order.
 */

export interface ResolverLimits {
  readonly atOnce: number;
  readonly perSite: number;
  readonly waitingMax: number;
}

interface Waiting<Found> {
  readonly host: string;
  readonly site: string;
  readonly settle: (found: Promise<Found>) => void;
}

type LookUp<Found> = (host: string) => Promise<Found>;

/** Below these a country registers names for anyone. */
const SECOND_LEVELS = new Set(['com', 'net', 'org', 'gov', 'edu', 'co', 'ac']);

export function fairResolve<Found>(resolve: LookUp<Found>, shares: ResolverLimits): LookUp<Found> {
  const waiting: Waiting<Found>[] = [];
  const underWay = new Map<string, number>();
  let running = 0;
  const count = (site: string, by: number): void => {
    running += by;
    const left = (underWay.get(site) ?? 0) + by;
    if (left === 0) underWay.delete(site);
    else underWay.set(site, left);
  };
  const pump = (): void => {
    while (running < shares.atOnce) {
      const at = waiting.findIndex(({ site }) => (underWay.get(site) ?? 0) < shares.perSite);
      const [next] = at < 0 ? [] : waiting.splice(at, 1);
      if (!next) return;
      count(next.site, 1);
      const found = resolve(next.host).finally(() => {
        count(next.site, -1);
        pump();
      });
      next.settle(found);
    }
  };
  return (host) => {
    if (waiting.length >= shares.waitingMax) return Promise.reject(new ResolverOverloadedError());
    const { promise, resolve: settle } = Promise.withResolvers<Found>();
    waiting.push({ host, site: siteOf(host), settle });
    pump();
    return promise;
  };
}

class ResolverOverloadedError extends Error {
  readonly code = 'EAI_AGAIN';

  constructor() {
    super('too many names wait to be resolved');
  }
}

/** The site that answers for a name: its last two labels, three below a country's `com`. */
export function siteOf(host: string): string {
  const labels = host.toLowerCase().replace(/\.$/, '').split('.');
  const [second = '', top = ''] = labels.slice(-2);
  const isShared = top.length === 2 && SECOND_LEVELS.has(second);
  return labels.slice(isShared ? -3 : -2).join('.');
}
