/** The organization that a suite sends for: no limits in the way, one number at the network. */

export const TOKEN = 'bench-token-0123456789-0123456789';

/** Of a number, as C13.4 names it; the network's own unless given. */
export interface Pace {
  readonly perSecond: number;
  readonly pairBurst: number;
  readonly pairEvery: string;
}

/** The limits of `cloud` for a number. */
export const NETWORK_PACE: Pace = { perSecond: 80, pairBurst: 45, pairEvery: '6s' };
/** As fast as the parts can, to drain a backlog. */
export const NO_PACE: Pace = { perSecond: 100_000, pairBurst: 1_000_000, pairEvery: '1ms' };

/** `subscribers` are URLs; each receives every event. */
export function organizationFile(pace: Pace, subscribers: readonly string[] = []): object {
  const network = {
    baseUrl: 'sandbox',
    phoneNumberId: '9001',
    accessToken: 'bench',
    appSecret: 'bench',
    verifyToken: 'bench',
    pace,
  };
  const channel = {
    ref: 'main',
    label: 'Bench',
    provider: 'cloud',
    phone: '+55 11 4000-1000',
    enabled: true,
    network,
  };
  const bench = {
    ref: 'bench',
    name: 'Bench',
    limits: { perKey: 1e9, perOrg: 1e9 },
    channels: [channel],
    keys: [{ ref: 'bench', name: 'Bench', scope: 'account', token: TOKEN }],
    subscriptions: subscribers.map((url, at) => ({ ref: `subscriber-${at}`, url, events: ['*'] })),
  };
  return { orgs: [bench] };
}
