/** Whether every channel in use can send, as its organization last heard from the network. */
import type { Db } from 'mongodb';
import * as v from 'valibot';
import { type Check, fail, pass } from './check.ts';
import { ago } from './humanize.ts';

const NAME = 'networks';

const channelSchema = v.object({
  ref: v.string(),
  provider: v.string(),
  enabled: v.boolean(),
  removed: v.optional(v.boolean()),
  networkReady: v.boolean(),
  networkReason: v.nullable(v.string()),
  networkAnswered: v.optional(v.boolean()),
  networkTrouble: v.optional(v.object({ since: v.number(), reason: v.string() })),
  restriction: v.optional(v.object({ until: v.nullable(v.number()), holdsUntil: v.number() })),
});
type InUse = v.InferOutput<typeof channelSchema> & { readonly org: string };
const organizationSchema = v.object({
  ref: v.string(),
  removed: v.optional(v.boolean()),
  channels: v.array(channelSchema),
});

/** @param now epoch milliseconds */
export async function checkNetworks(db: Db, now: number): Promise<Check> {
  const found = await db
    .collection('organizations')
    .find({}, { projection: { ref: 1, removed: 1, channels: 1 } })
    .toArray();
  const channels = v
    .parse(v.array(organizationSchema), found)
    .filter((organization) => organization.removed !== true)
    .flatMap(({ ref: org, channels }) => channels.map((channel) => ({ org, ...channel })))
    .filter((channel) => channel.enabled && channel.removed !== true);
  const failing = channels.flatMap((channel) => failureOf(channel, now) ?? []);
  const restricted = channels.filter(({ restriction }) => (restriction?.holdsUntil ?? 0) > now);
  const note = restricted.length === 0 ? '' : `; ${restrictionDetail(restricted)}`;
  if (failing.length === 0) {
    return pass(NAME, `${channels.length} channels in use, all ready${note}`);
  }
  return fail(
    NAME,
    `${failing.length} of ${channels.length} channels cannot send: ${failing.join(' ')}${note}`,
    "Mend what the network says, or the channel's network settings, and apply them again.",
  );
}

/** Null for a channel that can send, as far as is known. */
function failureOf(channel: InUse, now: number): string | null {
  const { org, ref, provider, networkReady, networkReason, networkTrouble } = channel;
  const name = `${org}/${ref} (${provider})`;
  if (networkReady && networkTrouble !== undefined) {
    const { since, reason } = networkTrouble;
    return `${name}: ${reason} It has failed for ${ago(now - since)} and is still ready.`;
  }
  if (networkReady) return null;
  const never = channel.networkAnswered !== true;
  const reason = networkReason ?? 'the network has not answered yet';
  return `${name}: ${reason}${never ? ' Its network has never answered under these settings.' : ''}`;
}

/**
 * No fault to repair: the restriction passes, and sooner if the number starts fewer conversations.
 */
function restrictionDetail(channels: readonly InUse[]): string {
  const named = channels.map(({ org, ref, restriction }) => {
    const until = restriction?.until ?? null;
    return `${org}/${ref} ${until === null ? 'without a known end' : `until ${timeOf(until)}`}`;
  });
  return `${channels.length} may begin no conversations (restricted): ${named.join(', ')}`;
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString();
}
