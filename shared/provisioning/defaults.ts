/** Default values of a new entry in a provisioning file. */
import type { Provider } from '../vocabulary.ts';

export const DEFAULT_TIME_ZONE = 'America/Sao_Paulo';
export const DEFAULT_COUNTRY = 'BR';

interface ProviderRules {
  readonly required: readonly string[];
  readonly optional: readonly string[];
  readonly secret: readonly string[];
  /** The networks' published limits (C13.4). */
  readonly pace: {
    readonly perSecond: number;
    readonly pairBurst: number;
    readonly pairEveryMs: number;
  };
}

export const PROVIDER_RULES: Readonly<Record<Provider, ProviderRules>> = {
  cloud: {
    required: ['phoneNumberId', 'accessToken', 'appSecret', 'verifyToken'],
    optional: ['baseUrl', 'apiVersion', 'businessAccountId'],
    secret: ['accessToken', 'appSecret', 'verifyToken'],
    pace: { perSecond: 80, pairBurst: 45, pairEveryMs: 6_000 },
  },
  web: {
    required: ['baseUrl', 'session', 'apiKey', 'webhookSecret'],
    optional: [],
    secret: ['apiKey', 'webhookSecret'],
    pace: { perSecond: 2, pairBurst: 10, pairEveryMs: 2_000 },
  },
};
