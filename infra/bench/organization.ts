/** The organizations that the streams are measured on: many numbers, no limits in the way. */

/** The network's own pace per number; nothing holds a pair of number and contact back. */
const PACE = { perSecond: 80, pairBurst: 100_000, pairEvery: '1ms' };

export interface Wish {
  readonly ref: string;
  /** How many numbers. */
  readonly channels: number;
  /** URLs, each told of `events`. */
  readonly subscribers: readonly string[];
  readonly events: readonly string[];
}

export function tokenOf(ref: string): string {
  return `bench-token-of-${ref}-0123456789-0123456789`;
}

export function secretsOf(ref: string, number: number) {
  const name = `${ref}-${number}`;
  return {
    phoneNumberId: `number-${name}`,
    accessToken: `access-${name}`,
    appSecret: `app-${name}`,
    verifyToken: `verify-${name}`,
  };
}

/** A provisioning file of all of them. */
export function organizationsFile(wishes: readonly Wish[]): object {
  return { orgs: wishes.map(organizationOf) };
}

function organizationOf({ ref, channels, subscribers, events }: Wish): object {
  return {
    ref,
    name: `Bench ${ref}`,
    limits: { perKey: 1e9, perOrg: 1e9 },
    channels: Array.from({ length: channels }, (_, number) => ({
      ref: `number-${number}`,
      label: `Bench ${number}`,
      provider: 'cloud',
      phone: `+55 11 4000-${1000 + number}`,
      enabled: true,
      network: { baseUrl: 'sandbox', ...secretsOf(ref, number), pace: PACE },
    })),
    keys: [{ ref: 'bench', name: 'Bench', scope: 'account', token: tokenOf(ref) }],
    subscriptions: subscribers.map((url, index) => ({ ref: `subscriber-${index}`, url, events })),
  };
}
