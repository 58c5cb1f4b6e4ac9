/** Target of the suite: the simulator, or a real bridge or number that the caller names. */
import type { Provider } from '../../../../../../shared/vocabulary.ts';

export const ENGINES = ['webjs', 'noweb', 'gows', 'cloud'] as const;
export type Engine = (typeof ENGINES)[number];

/** Engines of the bridge. */
export const WEB_ENGINES = ['webjs', 'noweb', 'gows'] as const;
/** Engines that take message ids of ours. */
export const OWN_ID_ENGINES = ['noweb', 'gows'] as const;

/** Of the bridge that is imitated. */
export const BRIDGE_VERSION = '2026.7.1';

export function providerOf(engine: Engine): Provider {
  return engine === 'cloud' ? 'cloud' : 'web';
}

export interface RealNetwork {
  readonly provider: Provider;
  readonly network: Readonly<Record<string, string>>;
  /** Digits of a phone of the caller's own. */
  readonly to: string;
}

const {
  CONFORMANCE_BRIDGE: bridge,
  CONFORMANCE_KEY: apiKey = '',
  CONFORMANCE_SESSION: session = 'default',
  CONFORMANCE_GRAPH_TOKEN: accessToken,
  CONFORMANCE_GRAPH: graph,
  CONFORMANCE_PHONE_NUMBER_ID: phoneNumberId = '',
  CONFORMANCE_TO: to = '',
} = process.env;

/** Null: the simulator replaces all of them. */
export const realNetwork: RealNetwork | null = realOf();

function realOf(): RealNetwork | null {
  const digits = to.replace(/\D/g, '');
  if (bridge !== undefined) {
    return { provider: 'web', network: { baseUrl: bridge, session, apiKey }, to: digits };
  }
  if (accessToken === undefined) return null;
  const base = graph === undefined ? {} : { baseUrl: graph };
  return { provider: 'cloud', network: { ...base, phoneNumberId, accessToken }, to: digits };
}
