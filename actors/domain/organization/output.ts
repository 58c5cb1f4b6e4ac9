/** The operator's view of an organization (C12.7). */
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

/** Entries by ref; a key of `keys create` is in no file and is omitted. */
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

/** The id alone: for an organization that does not exist or was removed. */
export function emptyOutput(id: string): AppliedOrganization {
  return { id, members: {}, channels: {}, keys: {}, flows: {}, files: {}, subscriptions: {} };
}

export interface Fresh {
  /** Ids of the entries that the command created. */
  readonly created: readonly string[];
  /** The token of a key that the command created. */
  readonly tokenOf: (key: KeyEntry) => string;
}

/** The webhook addresses of a channel. */
export function webhooksOf(publicUrl: string, { id, provider }: ChannelEntry) {
  return {
    inboundWebhookUrl: `${publicUrl}/api/webhooks/channel/${id}`,
    networkWebhookUrl: `${publicUrl}/networks/${provider}/${id}`,
  };
}

/** The output for one organization; it shows secrets of created entries only. */
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

/** All keys ever created, revoked ones too, in the order of their creation. */
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

/** Subscriptions that were not removed, without their secrets. */
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
