/** Refs of organizations, channels and subscriptions by their ids, as operators know them. */
import type { Db } from 'mongodb';
import * as v from 'valibot';
import { readOrganizations } from './organizations.ts';

/** Of `cloud` channels without an address of their own. */
export const GRAPH_URL = 'https://graph.facebook.com';

const entrySchema = v.object({ id: v.string(), ref: v.string(), removed: v.optional(v.boolean()) });

const channelSchema = v.object({
  ...entrySchema.entries,
  provider: v.string(),
  enabled: v.boolean(),
  network: v.object({ baseUrl: v.optional(v.string()) }),
  restriction: v.optional(v.object({ holdsUntil: v.number() })),
  unpaid: v.optional(v.object({ holdsUntil: v.number() })),
});

const subscriptionSchema = v.object({
  ...entrySchema.entries,
  enabled: v.boolean(),
  disabledReason: v.nullable(v.string()),
});
type Subscription = v.InferOutput<typeof subscriptionSchema> & { readonly org: string };

const organizationSchema = v.object({
  _id: v.string(),
  ref: v.string(),
  removed: v.optional(v.boolean()),
  channels: v.array(channelSchema),
  subscriptions: v.array(subscriptionSchema),
});

export interface Directory {
  readonly organizations: ReadonlyMap<string, string>;
  /** `organization/channel` by id. */
  readonly channels: ReadonlyMap<string, string>;
  readonly subscriptions: ReadonlyMap<string, string>;
  /** Subscriptions in use. */
  readonly subscribed: readonly Subscription[];
  /** Origins of networks in use, without the simulator. */
  readonly networks: readonly string[];
  /** Ids of channels that may not send all messages now. */
  restricted(now: number): readonly string[];
}

export async function readDirectory(db: Db): Promise<Directory> {
  const fields = ['ref', 'removed', 'channels', 'subscriptions'];
  const organizations = await readOrganizations(db, fields, organizationSchema);
  const channels = organizations.flatMap(({ ref: org, removed, channels }) =>
    channels.map((each) => ({ org, ...each, removed: removed ?? each.removed ?? false })),
  );
  const subscriptions = organizations.flatMap(({ ref: org, removed, subscriptions }) =>
    subscriptions.map((each) => ({ org, ...each, removed: removed ?? each.removed ?? false })),
  );
  return {
    organizations: new Map(organizations.map(({ _id, ref }) => [_id, ref])),
    channels: named(channels),
    subscriptions: named(subscriptions),
    networks: [...new Set(channels.flatMap(originOf))],
    subscribed: subscriptions.filter(({ removed }) => !removed),
    restricted: (now) => channels.filter((each) => isRestricted(each, now)).map(({ id }) => id),
  };
}

function originOf({ enabled, removed, network }: v.InferOutput<typeof channelSchema>) {
  const { baseUrl = GRAPH_URL } = network;
  const used = enabled && removed !== true && baseUrl !== 'sandbox' && URL.canParse(baseUrl);
  return used ? [new URL(baseUrl).origin] : [];
}

function isRestricted(
  { restriction, unpaid }: v.InferOutput<typeof channelSchema>,
  now: number,
): boolean {
  return [restriction, unpaid].some((each) => (each?.holdsUntil ?? 0) > now);
}

type Named = { readonly id: string; readonly org: string; readonly ref: string };

function named(entries: readonly Named[]): ReadonlyMap<string, string> {
  return new Map(entries.map(({ id, org, ref }) => [id, `${org}/${ref}`]));
}

/** An id of no known organization is its own name. */
export function nameOf(names: ReadonlyMap<string, string>, id: string): string {
  return names.get(id) ?? id;
}
