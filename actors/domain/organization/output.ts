/** What the operator is told of an organization (C12.7). */
import type {
  AppliedKey,
  AppliedOrganization,
  AppliedSubscription,
  KeyRow,
  SubscriptionRow,
} from '../../../shared/provisioning/commands.ts';
import { signingSecret } from '../../../shared/secret-locations.ts';
import type { OrganizationContext } from './context.ts';
import type { ChannelEntry, KeyEntry, OrganizationState, SubscriptionEntry } from './state.ts';

interface Named {
  readonly id: string;
  readonly ref: string;
  readonly removed?: boolean;
}

/** Entries by ref; a key made by `keys create` was never written in a file and is left out. */
function byRef<E extends Named, T>(
  entries: readonly E[],
  show: (entry: E) => T,
): Readonly<Record<string, T>> {
  const shown = entries.filter(({ removed, ref, id }) => removed !== true && ref !== id);
  return Object.fromEntries(shown.map((entry) => [entry.ref, show(entry)]));
}

function timestamp(ms: number): string {
  return new Date(ms).toISOString();
}

/** Nothing but the id: of an organization that is not there, or no more. */
export function emptyOutput(id: string): AppliedOrganization {
  return { id, members: {}, channels: {}, keys: {}, flows: {}, files: {}, subscriptions: {} };
}

export interface Fresh {
  /** Ids of what the command made. */
  readonly created: readonly string[];
  /** The token of a key that the command made. */
  readonly tokenOf: (key: KeyEntry) => string;
}

/** The addresses at which a channel is called. */
export function webhooksOf(publicUrl: string, { id, provider }: ChannelEntry) {
  return {
    inboundWebhookUrl: `${publicUrl}/api/webhooks/channel/${id}`,
    networkWebhookUrl: `${publicUrl}/networks/${provider}/${id}`,
  };
}

/** The output for one organization; secrets only of what is `fresh`. */
export function applyOutput(
  state: OrganizationState,
  fresh: Fresh,
  context: Pick<OrganizationContext, 'publicUrl' | 'open' | 'ids'>,
): AppliedOrganization {
  const { publicUrl } = context;
  const isFresh = (id: string): boolean => fresh.created.includes(id);
  const key = (entry: KeyEntry): AppliedKey => {
    if (!isFresh(entry.id)) return { id: entry.id };
    const token = fresh.tokenOf(entry);
    return context.ids.digest(token) === entry.digest ? { id: entry.id, token } : { id: entry.id };
  };
  const subscription = ({ id, secrets }: SubscriptionEntry): AppliedSubscription => {
    const newest = secrets[0];
    if (!newest || !isFresh(id)) return { id };
    const secret = context.open(newest.sealed, signingSecret(state.id, id));
    return secret === null ? { id } : { id, secret };
  };
  const channel = (entry: ChannelEntry) => ({ id: entry.id, ...webhooksOf(publicUrl, entry) });
  return {
    id: state.id,
    members: byRef(state.members, ({ id }) => id),
    channels: byRef(state.channels, channel),
    keys: byRef(state.keys, key),
    flows: byRef(state.flows, ({ id }) => id),
    files: byRef(state.files, ({ id }) => id),
    subscriptions: byRef(state.subscriptions, subscription),
  };
}

/** All keys ever made, revoked ones too, in the order of their making. */
export function listKeys(state: OrganizationState): readonly KeyRow[] {
  return state.keys.map((key) => ({
    id: key.id,
    ref: key.ref === key.id ? null : key.ref,
    name: key.name,
    scope: key.scope,
    channelId: key.channelId,
    prefix: key.prefix,
    createdAt: timestamp(key.createdAt),
    revokedAt: key.revokedAt === null ? null : timestamp(key.revokedAt),
  }));
}

/** Subscriptions that were not taken away; never their secrets. */
export function listSubscriptions(state: OrganizationState): readonly SubscriptionRow[] {
  return state.subscriptions
    .filter(({ removed }) => removed !== true)
    .map((entry) => ({
      id: entry.id,
      ref: entry.ref,
      url: entry.url,
      events: entry.events,
      enabled: entry.enabled,
      disabledReason: entry.disabledReason,
      createdAt: timestamp(entry.createdAt),
    }));
}
