/**
 * One organization that lives quietly, and for each act another one that does its worst within its
 * own limits: an act finds its windows empty.
 */
import { NETWORK_PACE } from '../accept/organization.ts';
import { type OrganizationSpec, organizationsFile, tokenOf } from '../organization.ts';

export const QUIET = 'quiet';
/** With the limits of the contract, all keys together reach the organization's limit. */
const KEYS = 5;
const LIMITS = { perKey: 120, perOrg: 600 };
const NO_LIMITS = { perKey: 1e9, perOrg: 1e9 };

export interface Troubles {
  /** URLs that accept a delivery and never answer. */
  readonly hanging: readonly string[];
  /** Library file that a campaign sends, a path. */
  readonly filePath: string;
  /** Names of the greedy organizations. */
  readonly noisy: readonly string[];
  /** Inbound webhooks of the greedy channels by organization, once they are known. */
  readonly ownWebhooks: Readonly<Record<string, string>>;
  /** Epoch milliseconds of the minute that the flow `minute` waits for. */
  readonly minuteAt: number;
  /** The contract's limits hold; without them the workloads' data is prepared. */
  readonly limited: boolean;
}

/** Of all keys of a greedy organization. */
export function noisyTokens(ref: string): readonly string[] {
  return Array.from({ length: KEYS }, (_, at) => `${tokenOf(ref)}-${at}`);
}

/** A provisioning file of all of them. */
export function neighboursFile(troubles: Troubles): object {
  const spec = (ref: string, subscribers: readonly string[]): OrganizationSpec => {
    return { ref, channels: 1, subscribers, events: ['*'] };
  };
  const noisy = troubles.noisy.map((ref) => spec(ref, troubles.hanging));
  const file = organizationsFile([spec(QUIET, []), ...noisy]);
  const [quiet, ...others] = (file as { readonly orgs: readonly Provisioned[] }).orgs;
  return { orgs: [quiet, ...others.map((each) => noisyOf(each, troubles))] };
}

interface Provisioned {
  readonly ref: string;
  readonly channels: readonly { readonly network: object }[];
  readonly [property: string]: unknown;
}

function noisyOf(organization: Provisioned, troubles: Troubles): object {
  return {
    ...organization,
    timeZone: 'UTC',
    limits: troubles.limited ? LIMITS : NO_LIMITS,
    channels: organization.channels.map((channel) => ({
      ...channel,
      network: { ...channel.network, pace: NETWORK_PACE },
    })),
    keys: noisyTokens(organization.ref).map((token, at) => {
      return { ref: `key-${at}`, name: `Key ${at}`, scope: 'account', token };
    }),
    files: [
      { ref: 'flyer', name: 'flyer.pdf', path: troubles.filePath, mimeType: 'application/pdf' },
    ],
    flows: flowsOf(organization.ref, troubles),
  };
}

function flowsOf(ref: string, { minuteAt, ownWebhooks }: Troubles): readonly object[] {
  const ownWebhook = ownWebhooks[ref];
  const until = new Date(minuteAt).toISOString().slice(11, 16);
  const end = { id: 'end', do: 'end', status: 'resolved' };
  const minute = [{ id: 'wait', do: 'delay', until, next: 'end' }, end];
  const body = '{"phone":"{{contact.phone}}","fields":{"eco":"{{now}}"}}';
  const echo = {
    ...{ id: 'call', do: 'http', method: 'POST', url: ownWebhook, next: 'pause', body },
    headers: { 'x-api-key': noisyTokens(ref)[0], 'content-type': 'application/json' },
  };
  // Within the limit of what one template makes: each loop is cut in its rounds.
  const endless = '{% for i in (1..9) %}{% for j in (1..9999) %}{{ j }}{% endfor %}{% endfor %}';
  const fields = Object.fromEntries(Array.from({ length: 99 }, (_, at) => [`f-${at}`, endless]));
  const loop = [echo, { id: 'pause', do: 'delay', for: '250ms', next: 'call' }];
  return [
    { ref: 'minute', name: 'Minuto', steps: minute },
    { ref: 'death', name: 'Morte', steps: [{ id: 'set', do: 'set', fields, next: null }] },
    ...(ownWebhook === undefined ? [] : [{ ref: 'echo', name: 'Eco', steps: loop }]),
  ];
}

export const QUIET_TOKEN = tokenOf(QUIET);
