/** Meanings of a channel's properties; its provider's rule says which are required. */
import { PROVIDER_RULES } from '../../../../shared/provisioning/defaults.ts';
import { PROVIDERS } from '../../../../shared/vocabulary.ts';
import { type ObjectDescription, type PropertyDescription, ref, remove } from './descriptions.ts';

export const Channel: ObjectDescription = {
  heading: 'Channels',
  level: 2,
  means: 'A connected number. How one is connected, step by step: [networks](networks.md).',
  merges: true,
  properties: {
    ref,
    remove,
    label: { means: 'what the team calls it', example: 'Atendimento', needed: true },
    provider: {
      means: 'the network’s API: `cloud` is Meta’s, `web` a bridge of your own',
      example: 'cloud',
      needed: true,
    },
    phone: {
      means: 'its number, in any spelling; without a country code it is of `country`',
      example: '+55 11 4000-1000',
      needed: true,
    },
    enabled: { means: 'whether it sends and receives', example: false, default: true },
    network: {
      means: 'how the network is reached',
      example: { session: 'shop' },
      without: 'refused where the provider requires a setting',
      later: 'every setting stays',
    },
    pace: {
      means: 'how fast it sends; stands here or in `network`, not in both',
      example: { perSecond: 20 },
      without: "the provider's",
    },
  },
};

/** The meaning of leaving a network's setting out, by the providers' own rules. */
function settingOf(name: string): Pick<PropertyDescription, 'without'> {
  const uses = PROVIDERS.map((provider) => {
    const { required, optional } = PROVIDER_RULES[provider];
    if (required.includes(name)) return `\`${provider}\`: refused`;
    return optional.includes(name) ? `\`${provider}\`: the default` : `\`${provider}\`: has none`;
  });
  return { without: uses.join('; ') };
}

function setting(name: string, means: string, example: unknown): PropertyDescription {
  const isSecret = PROVIDERS.some((provider) => PROVIDER_RULES[provider].secret.includes(name));
  const storage = isSecret ? '; sealed where it is stored and never shown' : '';
  return { means: `${means}${storage}`, example, ...settingOf(name) };
}

export const Network: ObjectDescription = {
  heading: 'Network',
  level: 3,
  means:
    '`network` of a channel. Settings of the other provider are refused. `cloud` reaches ' +
    '`https://graph.facebook.com` in version `v26.0` unless told otherwise.',
  merges: true,
  properties: {
    baseUrl: setting('baseUrl', 'its address; `sandbox` is the bundled simulator', 'sandbox'),
    apiVersion: setting('apiVersion', 'the version of Meta’s API', 'v26.0'),
    phoneNumberId: setting('phoneNumberId', 'Meta’s id of the number', '1001'),
    businessAccountId: {
      means: 'Meta’s id of the business account; its templates need it',
      example: '2001',
      without: '`web`: has none; `cloud`: the channel has no templates',
    },
    accessToken: setting('accessToken', 'a token with the permissions for messages', 'EAAG…'),
    appSecret: setting('appSecret', 'what Meta signs its webhooks with', '0123456789abcdef'),
    verifyToken: setting('verifyToken', 'of your choice, told to Meta with the webhook', 'v'),
    session: setting('session', 'the bridge’s session', 'shop'),
    apiKey: setting('apiKey', 'the bridge’s key', 'k'),
    webhookSecret: setting('webhookSecret', 'what the bridge signs its webhooks with', 'w'),
    pace: {
      means: 'as `pace` of the channel',
      example: { perSecond: 20 },
      without: "the provider's",
    },
  },
};

function paces(
  name: 'perSecond' | 'pairBurst' | 'pairEveryMs',
): Pick<PropertyDescription, 'without'> {
  const shown = PROVIDERS.map((provider) => {
    const value = PROVIDER_RULES[provider].pace[name];
    return `\`${provider}\`: ${name === 'pairEveryMs' ? `\`${value / 1_000}s\`` : value}`;
  });
  return { without: shown.join('; ') };
}

export const Pace: ObjectDescription = {
  heading: 'Pace',
  level: 3,
  means: '`pace` of a channel. It starts from the network’s published limits.',
  merges: true,
  properties: {
    perSecond: { means: 'sends per second of the number', example: 20, ...paces('perSecond') },
    pairBurst: { means: 'sends to one contact at once', example: 10, ...paces('pairBurst') },
    pairEvery: {
      means: 'after a burst, one more to that contact every so often',
      example: '6s',
      ...paces('pairEveryMs'),
    },
  },
};
