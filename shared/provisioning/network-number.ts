/**
 * Network number of a channel: the number at one address of one network. A number belongs to one
 * channel of an installation, since its webhooks and sends name nothing else.
 */
import type { Provider } from '../vocabulary.ts';

const GRAPH_URL = 'https://graph.facebook.com';
/** A `baseUrl`: the bundled simulator. */
export const SANDBOX = 'sandbox';

const SETTINGS = { cloud: 'phoneNumberId', web: 'session' } as const;

export interface NetworkNumber {
  /** The setting that holds it. */
  readonly setting: (typeof SETTINGS)[Provider];
  /** The network's name of it. */
  readonly number: string;
  /** As the file has it. */
  readonly baseUrl: string;
  /** Equal for two channels of one number. */
  readonly key: string;
}

type Settings = Readonly<Record<string, unknown>>;

/** Null while the settings do not identify a number. */
export function networkNumberOf(provider: Provider, network: Settings): NetworkNumber | null {
  const setting = SETTINGS[provider];
  const number = network[setting];
  const { baseUrl = provider === 'cloud' ? GRAPH_URL : undefined } = network;
  if (typeof number !== 'string' || typeof baseUrl !== 'string') return null;
  return { setting, number, baseUrl, key: `${provider} ${addressOf(baseUrl)} ${number}` };
}

/** Two spellings of one address are one: case of the host, default port, slashes at the end. */
function addressOf(baseUrl: string): string {
  if (baseUrl === SANDBOX || !URL.canParse(baseUrl)) return baseUrl;
  const { origin, pathname } = new URL(baseUrl);
  return `${origin}${pathname.replace(/\/+$/, '')}`;
}
