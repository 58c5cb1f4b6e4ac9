/** Every sealed secret in the record, with the place that it opens in. */
import type { Db } from 'mongodb';
import * as v from 'valibot';
import { channelSecret, signingSecret } from '../../../shared/entity-ids.ts';
import { DecryptionFailed, type SecretLocation, type Vault } from '../../../shared/ports/vault.ts';

export interface StoredSecret {
  readonly sealed: string;
  readonly location: SecretLocation;
  /** The organization's ref, the entry's, and the kind of secret: for operators. */
  readonly name: string;
  /** False for a removed entry: it may come back with its secrets. */
  readonly inUse: boolean;
  /** The newest secret of a subscription: it signs. */
  readonly signs: boolean;
}

const removed = v.optional(v.boolean(), false);

function listOf<const Secrets extends v.GenericSchema>(secrets: Secrets) {
  const entry = { id: v.string(), ref: v.string(), removed, secrets };
  return v.optional(v.array(v.object(entry)), []);
}

const OrganizationSchema = v.object({
  _id: v.string(),
  ref: v.string(),
  removed,
  channels: listOf(v.record(v.string(), v.string())),
  subscriptions: listOf(v.array(v.object({ sealed: v.string() }))),
});
type Organization = v.InferOutput<typeof OrganizationSchema>;

const FIELDS = ['id', 'ref', 'removed', 'secrets'];
const PROJECTION = Object.fromEntries([
  ...['ref', 'removed'].map((name) => [name, 1]),
  ...['channels', 'subscriptions'].flatMap((list) => FIELDS.map((name) => [`${list}.${name}`, 1])),
]);

/** A process with actors opens them too, beside its turns: each read is short. */
const BATCH = 100;

/** One organization after the other, in the order of their ids. */
export async function* storedSecrets(db: Db): AsyncGenerator<StoredSecret> {
  const organizations = db.collection('organizations');
  const found = organizations
    .find({}, { projection: PROJECTION, batchSize: BATCH })
    .sort({ _id: 1 });
  for await (const document of found) yield* secretsOf(v.parse(OrganizationSchema, document));
}

function secretsOf(organization: Organization): readonly StoredSecret[] {
  const { _id: orgId, ref, channels, subscriptions } = organization;
  const inUse = (entry: { readonly removed: boolean }) => !organization.removed && !entry.removed;
  const tokens = channels.flatMap((channel) =>
    Object.entries(channel.secrets).map(([name, sealed]) => ({
      sealed,
      location: channelSecret(orgId, channel.id, name),
      name: `${ref}/${channel.ref} ${name}`,
      inUse: inUse(channel),
      signs: false,
    })),
  );
  const signing = subscriptions.flatMap((subscription) =>
    subscription.secrets.map(({ sealed }, at) => ({
      sealed,
      location: signingSecret(orgId, subscription.id),
      name: `${ref}/${subscription.ref} secret`,
      inUse: inUse(subscription),
      signs: at === 0,
    })),
  );
  return [...tokens, ...signing];
}

/** The secret in clear; null unless the vault's key sealed it, for this place. */
export function opened(
  vault: Vault,
  { sealed, location }: Pick<StoredSecret, 'sealed' | 'location'>,
): string | null {
  try {
    return vault.open(sealed, location);
  } catch (cause) {
    if (cause instanceof DecryptionFailed) return null;
    throw cause;
  }
}
