/** Whether every channel in use can send, as its organization last heard from the network. */
import type { Db } from 'mongodb';
import * as v from 'valibot';
import { type Check, unwell, well } from './check.ts';

const NAME = 'networks';

const channelSchema = v.object({
  ref: v.string(),
  provider: v.string(),
  enabled: v.boolean(),
  removed: v.optional(v.boolean()),
  networkReady: v.boolean(),
  networkReason: v.nullable(v.string()),
});
const organizationSchema = v.object({
  ref: v.string(),
  removed: v.optional(v.boolean()),
  channels: v.array(channelSchema),
});

export async function checkNetworks(db: Db): Promise<Check> {
  const found = await db
    .collection('organizations')
    .find({}, { projection: { ref: 1, removed: 1, channels: 1 } })
    .toArray();
  const channels = v
    .parse(v.array(organizationSchema), found)
    .filter((organization) => organization.removed !== true)
    .flatMap(({ ref: org, channels }) => channels.map((channel) => ({ org, ...channel })))
    .filter((channel) => channel.enabled && channel.removed !== true);
  const silent = channels.filter((channel) => !channel.networkReady);
  if (silent.length === 0) return well(NAME, `${channels.length} channels in use, all ready`);
  const named = silent.map(
    ({ org, ref, provider, networkReason }) =>
      `${org}/${ref} (${provider}): ${networkReason ?? 'the network has not answered yet'}`,
  );
  return unwell(
    NAME,
    `${silent.length} of ${channels.length} channels cannot send: ${named.join(' ')}`,
    "Mend what the network says, or the channel's network settings, and apply them again.",
  );
}
