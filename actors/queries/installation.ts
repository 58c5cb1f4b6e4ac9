/** Queries that precede any command: of gateways, the command line and the simulator. */
import type { NoPayload } from '../../shared/wire/commands.ts';
import type { FindKey, FindKeys } from '../../shared/wire/key-commands.ts';
import { timestamp } from '../../shared/wire/outbox.ts';
import { openNetwork } from '../channel/configuration.ts';
import type { KeyClaimDocument, OrganizationDocument } from '../organization/documents.ts';
import { organizationPages } from '../organization/pages.ts';
import { found, type Query } from './answer.ts';

/** The organization of a key; only its owner decides whether the key is live. */
export const findKey: Query<FindKey> = async ({ store }, { digest }) => {
  const claim = await store.findOne<KeyClaimDocument>('keys', { _id: digest });
  return claim ? found({ orgId: claim.orgId }) : { status: 404, body: '{}' };
};

export const findKeys: Query<FindKeys> = async ({ store }, { digests }) => {
  const claims = await store.find<KeyClaimDocument>('keys', { _id: { $in: [...digests] } });
  return found({ found: claims.map(({ _id, orgId }) => [_id, orgId]) });
};

export const findKeyOwner: Query<{ readonly keyId: string }> = async ({ store }, { keyId }) => {
  const owner = await store.findOne<OrganizationDocument>(
    'organizations',
    { 'keys.id': keyId },
    { project: { _id: 1 } },
  );
  if (!owner) return { status: 404, body: '{"error":"There is no such key."}' };
  return found({ orgId: owner._id });
};

export const listOrganizations: Query<NoPayload> = async ({ store }) => {
  const present: OrganizationDocument[] = [];
  const shown = { ref: 1, name: 1, timeZone: 1, country: 1, createdAt: 1, removed: 1 } as const;
  for await (const page of organizationPages(store, shown)) {
    present.push(...page.filter(({ removed }) => removed !== true));
  }
  const rows = present.map(({ _id: id, ref, name, timeZone, country, createdAt }) => {
    return { id, ref, name, timeZone, country, createdAt: timestamp(createdAt) };
  });
  return found(rows);
};

/** Channels whose network is the bundled simulator, with the settings that it needs. */
export const listSandboxChannels: Query<NoPayload> = async ({ store, vault, settings }) => {
  const organizations = await store.find<OrganizationDocument>(
    'organizations',
    { 'channels.network.baseUrl': 'sandbox' },
    { project: { channels: 1 } },
  );
  const channels = organizations.flatMap((organization) =>
    organization.channels
      .filter((channel) => channel.removed !== true && channel.network.baseUrl === 'sandbox')
      .map((channel) => ({
        channelId: channel.id,
        provider: channel.provider,
        webhookUrl: `${settings.publicUrl}/networks/${channel.provider}/${channel.id}`,
        network: openNetwork(vault, organization._id, channel).network,
      })),
  );
  return found({ channels });
};
