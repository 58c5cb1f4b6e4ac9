/** Organizations for the tests: a provisioning file, and what a test has to know of it. */
import { type Applied, named } from './applied.ts';
import type { Stack } from './stack.ts';

/** Nothing is held back unless a test is about pace. */
const FAST = { perSecond: 10_000, pairBurst: 10_000, pairEvery: '1ms' };
const MANY_CALLS = { perKey: 1_000_000, perOrg: 1_000_000 };

export interface OrganizationOptions {
  readonly limits?: { readonly perKey: number; readonly perOrg: number };
  /** Of the main channel. */
  readonly pace?: {
    readonly perSecond: number;
    readonly pairBurst: number;
    readonly pairEvery: string;
  };
  /** Of the main channel: its templates are read. */
  readonly businessAccountId?: string;
  readonly subscriptions?: readonly Readonly<Record<string, unknown>>[];
  /** Properties of the organization's own. */
  readonly more?: Readonly<Record<string, unknown>>;
}

/** One with a `cloud` channel `main`, a `web` channel `shop`, and keys of three scopes. */
export function organizationFile(ref: string, options: OrganizationOptions = {}) {
  return {
    ref,
    name: `Loja ${ref}`,
    timeZone: 'America/Sao_Paulo',
    country: 'BR',
    limits: options.limits ?? MANY_CALLS,
    channels: channelsOf(ref, options),
    keys: keysOf(ref),
    ...(options.subscriptions === undefined ? {} : { subscriptions: options.subscriptions }),
    ...options.more,
  };
}

function channelsOf(ref: string, options: OrganizationOptions) {
  const network = { baseUrl: 'sandbox' };
  const { businessAccountId } = options;
  return [
    {
      ref: 'main',
      label: 'Atendimento',
      provider: 'cloud',
      phone: '+55 11 4000-1000',
      enabled: true,
      network: {
        ...network,
        ...secretsOf(ref),
        ...(businessAccountId === undefined ? {} : { businessAccountId }),
        pace: options.pace ?? FAST,
      },
    },
    {
      ref: 'shop',
      label: 'Vendas',
      provider: 'web',
      phone: '+55 11 4000-2000',
      enabled: true,
      network: {
        ...network,
        session: `session-${ref}`,
        apiKey: `api-key-secret-${ref}`,
        webhookSecret: `webhook-secret-${ref}`,
        pace: FAST,
      },
    },
  ];
}

/** The `web` channel again: of what waits for a contact, one message goes an hour. */
export function heldShop(ref: string) {
  const [, shop] = channelsOf(ref, {});
  const pace = { perSecond: 10_000, pairBurst: 1, pairEvery: '1h' };
  return { ...shop, network: { ...shop?.network, pace } };
}

function keysOf(ref: string) {
  return [
    { ref: 'erp', name: 'ERP', scope: 'account', token: tokenOf(ref, 'erp') },
    {
      ref: 'main',
      name: 'Atendimento',
      scope: 'channel',
      channel: 'main',
      token: tokenOf(ref, 'main'),
    },
    {
      ref: 'shop',
      name: 'Vendas',
      scope: 'channel',
      channel: 'shop',
      token: tokenOf(ref, 'shop'),
    },
  ];
}

/** The secrets of the main channel. */
export function secretsOf(ref: string) {
  return {
    phoneNumberId: `number-${ref}`,
    accessToken: `access-token-secret-${ref}`,
    appSecret: `app-secret-${ref}`,
    verifyToken: `verify-token-secret-${ref}`,
  };
}

function tokenOf(ref: string, key: string): string {
  return `given-token-of-${ref}-for-${key}-0123456789`;
}

/** Names and keys that a test needs to use an organization. */
export interface Organization {
  readonly ref: string;
  readonly id: string;
  /** Tokens: of the account, and of each channel. */
  readonly key: string;
  readonly mainKey: string;
  readonly shopKey: string;
  /** Channel ids. */
  readonly main: string;
  readonly shop: string;
  readonly phoneNumberId: string;
  readonly session: string;
  readonly appSecret: string;
  readonly verifyToken: string;
  readonly applied: Applied['orgs'][string];
}

/** Applies one file with all of them, so that the command line is started once. */
export async function organizations<const Ref extends string>(
  stack: Stack,
  optionsByRef: Readonly<Record<Ref, OrganizationOptions>>,
): Promise<Readonly<Record<Ref, Organization>>> {
  const refs = Object.keys(optionsByRef) as Ref[];
  const applied = await stack.apply({
    orgs: refs.map((ref) => organizationFile(stack.prefix + ref, optionsByRef[ref])),
  });
  const made = refs.map((ref) => [ref, organizationOf(stack.prefix + ref, applied)] as const);
  return Object.fromEntries(made) as Readonly<Record<Ref, Organization>>;
}

function organizationOf(ref: string, { orgs }: Applied): Organization {
  const applied = named(orgs, ref);
  const { phoneNumberId, appSecret, verifyToken } = secretsOf(ref);
  return {
    ref,
    id: applied.id,
    key: tokenOf(ref, 'erp'),
    mainKey: tokenOf(ref, 'main'),
    shopKey: tokenOf(ref, 'shop'),
    main: named(applied.channels, 'main').id,
    shop: named(applied.channels, 'shop').id,
    phoneNumberId,
    session: `session-${ref}`,
    appSecret,
    verifyToken,
    applied,
  };
}
