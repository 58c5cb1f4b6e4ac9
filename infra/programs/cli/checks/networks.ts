/** Whether every channel in use can send, as its organization last heard from the network. */
import type { Db } from 'mongodb';
import * as v from 'valibot';
import type { DoctorRow } from '../../../../shared/panel/operation.ts';
import type { Finding, Unready } from '../../../../shared/problems/findings.ts';
import { timestamp } from '../../../../shared/wire/outbox.ts';
import { failed, passed } from './check.ts';
import { ago } from './humanize.ts';
import { readOrganizations } from './organizations.ts';

const NAME = 'networks';
/** Its operator has to act, so it is told with those that cannot send. */
const UNPAID =
  'Há uma pendência de pagamento na conta: só seguem respostas dentro das 24 horas do contato.';

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
  unpaid: v.optional(v.object({ holdsUntil: v.number() })),
});
type InUse = v.InferOutput<typeof channelSchema> & { readonly org: string };
const organizationSchema = v.object({
  ref: v.string(),
  removed: v.optional(v.boolean()),
  channels: v.array(channelSchema),
});

/** @param now epoch milliseconds */
export async function checkNetworks(db: Db, now: number): Promise<DoctorRow> {
  const fields = ['ref', 'removed', 'channels'];
  const organizations = await readOrganizations(db, fields, organizationSchema);
  const channels = organizations
    .filter((organization) => organization.removed !== true)
    .flatMap(({ ref: org, channels }) => channels.map((channel) => ({ org, ...channel })))
    .filter((channel) => channel.enabled && channel.removed !== true);
  const unready = channels.flatMap((channel) => unreadyOf(channel, now) ?? []);
  const restricted = channels.filter(({ restriction }) => (restriction?.holdsUntil ?? 0) > now);
  const note = restricted.length === 0 ? [] : [restrictionOf(restricted)];
  const of = channels.length;
  if (unready.length === 0) {
    return passed(NAME, { code: 'channelsReady', params: { count: of } }, ...note);
  }
  const detail = { code: 'channelsUnready', params: { of, channels: unready } } as const;
  return failed(NAME, [detail, ...note], { code: 'mendNetworks', params: {} });
}

/** Null for a channel that can send, as far as is known. */
function unreadyOf(used: InUse, now: number): Unready | null {
  const { org, ref, provider, networkReady, networkReason: reason, networkTrouble } = used;
  const channel = `${org}/${ref}`;
  if (!networkReady) {
    const isNew = used.networkAnswered !== true;
    return { channel, provider, reason, failingFor: null, isNew };
  }
  if (networkTrouble !== undefined) {
    const failingFor = ago(now - networkTrouble.since);
    return { channel, provider, reason: networkTrouble.reason, failingFor, isNew: false };
  }
  const isUnpaid = (used.unpaid?.holdsUntil ?? 0) > now;
  return isUnpaid ? { channel, provider, reason: UNPAID, failingFor: null, isNew: false } : null;
}

/**
 * No fault to repair: the restriction passes, and sooner if the number starts fewer conversations.
 */
function restrictionOf(restricted: readonly InUse[]): Finding {
  const channels = restricted.map(({ org, ref, restriction }) => {
    const until = restriction?.until ?? null;
    return { channel: `${org}/${ref}`, until: until === null ? null : timestamp(until) };
  });
  return { code: 'channelsRestricted', params: { channels } };
}
