/** Queries that precede any command: of gateways, the command line and the simulator. */
import { answerOf } from '../../shared/wire/answer.ts';
import { timestamp } from '../../shared/wire/outbox.ts';
import { openNetwork } from '../channel/readiness/configuration.ts';
import type { OrganizationDocument } from '../model/organization.ts';
import { organizationPages } from '../organization/read-organization.ts';
import type { Query } from './lists/answer.ts';

/** The organization of a key; only its owner decides whether the key is live. */
export const findKey: Query<'key'> = async ({ store }, { digest }) => {
  const claim = await store.findOne('keys', { _id: digest });
  return claim ? answerOf({ orgId: claim.orgId }) : { status: 404, body: '{}' };
};

export const findKeys: Query<'keys'> = async ({ store }, { digests }) => {
  const claims = await store.find('keys', { _id: { $in: [...digests] } });
  return answerOf({ found: claims.map(({ _id, orgId }) => [_id, orgId]) });
};

export const findKeyOwner: Query<'key-owner'> = async ({ store }, { keyId }) => {
  const owner = await store.findOne('organizations', { 'keys.id': keyId }, { project: { _id: 1 } });
  if (!owner) return { status: 404, body: '{"error":"There is no such key."}' };
  return answerOf({ orgId: owner._id });
};

/** An organization that is not there is left out. */
export const findOrganizationRefs: Query<'organization-refs'> = async ({ store }, { orgIds }) => {
  const chosen = { _id: { $in: [...orgIds] } };
  const found = await store.find('organizations', chosen, { project: { ref: 1 } });
  return answerOf({ found: found.map(({ _id, ref }) => [_id, ref]) });
};

export const listOrganizations: Query<'organizations'> = async ({ store }) => {
  const shown = { ref: 1, name: 1, timeZone: 1, country: 1, createdAt: 1, removed: 1 } as const;
  const present: Pick<OrganizationDocument, '_id' | keyof typeof shown>[] = [];
  for await (const page of organizationPages(store, shown)) {
    present.push(...page.filter(({ removed }) => removed !== true));
  }
  const rows = present.map(({ _id: id, ref, name, timeZone, country, createdAt }) => {
    return { id, ref, name, timeZone, country, createdAt: timestamp(createdAt) };
  });
  return answerOf(rows);
};

/**
 * Channels whose network is the bundled simulator, with the settings that it needs. They exist in
 * development only, where all of them fit one answer.
 */
export const listSandboxChannels: Query<'sandbox-channels'> = async ({
  store,
  vault,
  settings,
}) => {
  const organizations = await store.find(
    'organizations',
    { 'channels.network.baseUrl': 'sandbox', removed: { $ne: true } },
    { project: { channels: 1 } },
  );
  const channels = organizations.flatMap((organization) =>
    organization.channels
      .filter((channel) => channel.removed !== true && channel.network.baseUrl === 'sandbox')
      .map((channel) => ({
        channelId: channel.id,
        provider: channel.provider,
        phone: channel.phone,
        webhookUrl: `${settings.publicUrl}/networks/${channel.provider}/${channel.id}`,
        network: openNetwork(vault, organization._id, channel).network,
      })),
  );
  return answerOf({ channels });
};
