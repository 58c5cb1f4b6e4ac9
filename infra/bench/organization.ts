/** The organizations that the streams are measured on: many numbers, no limits in the way. */

/** The network's own pace per number; nothing holds a pair of number and contact back. */
const PACE = { perSecond: 80, pairBurst: 100_000, pairEvery: '1ms' };

export interface OrganizationSpec {
  readonly ref: string;
  /** How many numbers of the `cloud` network. */
  readonly channels: number;
  /** Whether a QR session is connected too. */
  readonly bridge?: boolean;
  /** URLs; each receives `events`. */
  readonly subscribers: readonly string[];
  readonly events: readonly string[];
}

export function tokenOf(ref: string): string {
  return `bench-token-of-${ref}-0123456789-0123456789`;
}

/** All networks sign with the same. */
export const WEBHOOK_SECRET = 'bench-webhook-secret';

/** The credentials of a number at the network. */
export function numberOf(ref: string, number: number) {
  const name = `${ref}-${number}`;
  return {
    phoneNumberId: `number-${name}`,
    accessToken: `access-${name}`,
    appSecret: WEBHOOK_SECRET,
    verifyToken: `verify-${name}`,
  };
}

/** Digits of the number of the QR session. */
export const BRIDGE_PHONE = '551140009000';

function sessionOf(ref: string) {
  return { session: `session-${ref}`, apiKey: `api-key-${ref}`, webhookSecret: WEBHOOK_SECRET };
}

/** The names for which the simulator gets its faults. */
export function namesOf(ref: string): readonly Readonly<Record<string, string>>[] {
  return [{ phoneNumberId: numberOf(ref, 0).phoneNumberId }, { session: sessionOf(ref).session }];
}

/** A provisioning file of all of them. */
export function organizationsFile(specs: readonly OrganizationSpec[]): object {
  return { orgs: specs.map(organizationOf) };
}

function organizationOf({
  ref,
  channels,
  bridge = false,
  subscribers,
  events,
}: OrganizationSpec): object {
  const numbers = Array.from({ length: channels }, (_, number) =>
    channelOf(
      { ref: `number-${number}`, provider: 'cloud', phone: `+55 11 4000-${1000 + number}` },
      {
        ...numberOf(ref, number),
        pace: PACE,
      },
    ),
  );
  const bridged = channelOf(
    { ref: 'bridge', provider: 'web', phone: `+${BRIDGE_PHONE}` },
    { ...sessionOf(ref), pace: { ...PACE, perSecond: 10_000 } },
  );
  return {
    ref,
    name: `Bench ${ref}`,
    limits: { perKey: 1e9, perOrg: 1e9 },
    channels: bridge ? [...numbers, bridged] : numbers,
    keys: [{ ref: 'bench', name: 'Bench', scope: 'account', token: tokenOf(ref) }],
    subscriptions: subscribers.map((url, index) => ({ ref: `subscriber-${index}`, url, events })),
  };
}

function channelOf(of: { readonly ref: string; readonly [name: string]: string }, network: object) {
  return { ...of, label: of.ref, enabled: true, network: { baseUrl: 'sandbox', ...network } };
}
