/**
 * Rules of the lists of a provisioning file: channels with their network's settings and pace,
 * members, flows and files. Keys and subscriptions have files of their own.
 */
import { channelId, channelSecret, entryId, personId } from '../../../shared/entity-ids.ts';
import type { Problem, ProblemAt } from '../../../shared/problems/provisioning.ts';
import { PROVIDER_RULES } from '../../../shared/provisioning/defaults.ts';
import { parseDuration } from '../../../shared/provisioning/duration.ts';
import { ENTRY_PREFIXES } from '../../../shared/provisioning/names.ts';
import type { EntryAtPath } from '../../../shared/provisioning/organization.ts';
import type {
  ProvisionedChannel,
  ProvisionedFile,
  ProvisionedFlow,
  ProvisionedMember,
} from '../../../shared/provisioning/schema.ts';
import { canonicalPhone } from '../../../shared/text/phone.ts';
import { MEMBER_ROLE_DEFAULT, type Provider } from '../../../shared/vocabulary.ts';
import { isSame } from '../is-same.ts';
import {
  type ChannelEntry,
  type FileEntry,
  type FlowEntry,
  type MemberEntry,
  type Pace,
  withRole,
} from '../organization.ts';
import { type Applying, channelNamed, type ListRules, required } from './context.ts';

type Settings = Pick<ChannelEntry, 'network' | 'secrets'>;
type Wanted = EntryAtPath<ProvisionedChannel>;

/** Plain and sealed settings; a secret that did not change keeps its sealed form. */
function networkOf(
  applying: Applying,
  { path, entry }: Wanted,
  stored: { readonly id: string; readonly provider: Provider; readonly previous: Settings | null },
): Settings {
  const rules = PROVIDER_RULES[stored.provider];
  const network: Record<string, string> = { ...stored.previous?.network };
  const secrets: Record<string, string> = { ...stored.previous?.secrets };
  const { provider } = stored;
  const add = (name: string, problem: Problem): void => {
    applying.issues.push({ path: `${path}.network.${name}`, problem });
  };
  for (const [name, value] of Object.entries(entry.network ?? {})) {
    if (typeof value !== 'string') continue;
    const sealed = secrets[name];
    if (![...rules.required, ...rules.optional].includes(name)) {
      add(name, { code: 'settingOfOther', params: { provider } });
    } else if (!rules.secret.includes(name)) network[name] = value;
    else {
      const location = channelSecret(applying.orgId, stored.id, name);
      const same = sealed !== undefined && applying.context.open(sealed, location) === value;
      if (!same) secrets[name] = applying.context.seal(value, location);
    }
  }
  for (const name of rules.required) {
    if (!(name in network) && !(name in secrets)) {
      add(name, { code: 'settingRequired', params: { provider } });
    }
  }
  return { network, secrets };
}

function paceOf(issues: ProblemAt[], { path, entry }: Wanted, before: Pace): Pace {
  if (entry.pace && entry.network?.pace) {
    issues.push({ path: `${path}.pace`, problem: { code: 'paceTwice', params: {} } });
  }
  const { perSecond, pairBurst, pairEvery } = entry.network?.pace ?? entry.pace ?? {};
  return {
    perSecond: perSecond ?? before.perSecond,
    pairBurst: pairBurst ?? before.pairBurst,
    pairEveryMs: (pairEvery === undefined ? null : parseDuration(pairEvery)) ?? before.pairEveryMs,
  };
}

function phoneOf(applying: Applying, { path, entry }: Wanted, current: ChannelEntry | null) {
  const raw = required(applying, `${path}.phone`, entry.phone ?? current?.phone);
  if (raw === null || entry.phone === undefined) return raw;
  const phone = canonicalPhone(raw, applying.country);
  if (phone === null) {
    applying.issues.push({ path: `${path}.phone`, problem: { code: 'notPhone', params: {} } });
  }
  return phone;
}

function buildChannel(
  applying: Applying,
  wanted: Wanted,
  { current, id }: { readonly current: ChannelEntry | null; readonly id: string },
): ChannelEntry | null {
  const { path, entry } = wanted;
  const label = required(applying, `${path}.label`, entry.label ?? current?.label);
  const provider = required(applying, `${path}.provider`, entry.provider ?? current?.provider);
  const phone = phoneOf(applying, wanted, current);
  if (provider === null) return null;
  const previous = current?.provider === provider ? current : null;
  const pace = paceOf(applying.issues, wanted, previous?.pace ?? PROVIDER_RULES[provider].pace);
  const { network, secrets } = networkOf(applying, wanted, { id, provider, previous });
  if (label === null || phone === null) return null;
  // Changed settings reset the readiness: sends are tried at once, and the network reports anew.
  const same = previous?.phone === phone && isSame(previous.network, network);
  const asBefore = same && isSame(previous.secrets, secrets);
  return {
    id,
    ref: entry.ref,
    label,
    provider,
    phone,
    enabled: entry.enabled ?? current?.enabled ?? true,
    network,
    secrets,
    pace,
    ...(asBefore ? readinessKept(previous) : readinessAnew(current)),
    // A restriction belongs to the number, not to the settings.
    ...(previous?.phone === phone ? restrictionsOf(previous) : {}),
    createdAt: current?.createdAt ?? applying.context.now,
  };
}

function restrictionsOf({ restriction, unpaid }: ChannelEntry) {
  return { ...(restriction ? { restriction } : {}), ...(unpaid ? { unpaid } : {}) };
}

function readinessKept(previous: ChannelEntry) {
  const { networkReady, networkReason, networkRevision, networkAnswered, networkTrouble } =
    previous;
  return {
    ...{ networkReady, networkReason, networkRevision },
    ...(networkAnswered === undefined ? {} : { networkAnswered }),
    ...(networkTrouble === undefined ? {} : { networkTrouble }),
    ...otherNumberKept(previous),
  };
}

/** A network counts as ready until its first answer. */
function readinessAnew(current: ChannelEntry | null) {
  const networkRevision = (current?.networkRevision ?? 0) + 1;
  return { networkReady: true, networkReason: null, networkRevision, ...otherNumberKept(current) };
}

/** New settings may still lead to the other number: the network's next answer tells. */
function otherNumberKept(entry: ChannelEntry | null) {
  return entry?.networkOtherNumber === undefined ? {} : { networkOtherNumber: true as const };
}

export function channelRules(applying: Applying): ListRules<ProvisionedChannel, ChannelEntry> {
  return {
    makeId: channelId,
    build: (wanted, current, id) => buildChannel(applying, wanted, { current, id }),
    retire: (current) => ({ ...current, removed: true, enabled: false }),
  };
}

export function memberRules(applying: Applying): ListRules<ProvisionedMember, MemberEntry> {
  return {
    makeId: (ids, entry) => entryId(ids, ENTRY_PREFIXES.members, entry),
    build({ path, entry }, current, id) {
      const name = required(applying, `${path}.name`, entry.name ?? current?.name);
      const email = entry.email === undefined ? (current?.email ?? null) : entry.email || null;
      if (name === null) return null;
      const { orgId, context } = applying;
      const member = {
        ...{ id, ref: entry.ref, name, email },
        person: personId(context.ids, { id, orgId, email }),
        ...(current?.disabledAt === undefined ? {} : { disabledAt: current.disabledAt }),
      };
      return withRole(member, entry.role ?? current?.role ?? MEMBER_ROLE_DEFAULT);
    },
    retire: (current) => ({ ...current, removed: true }),
  };
}

function flowChannel(
  applying: Applying,
  { path, entry }: EntryAtPath<ProvisionedFlow>,
  known: { readonly current: FlowEntry | null; readonly channels: readonly ChannelEntry[] },
): string | null {
  if (entry.channel === undefined) return known.current?.channelId ?? null;
  if (entry.channel === null) return null;
  const named = { path: `${path}.channel`, entry: entry.channel };
  return channelNamed(applying, known.channels, named);
}

/** A removed flow is disabled and hidden; its runs continue to their end. */
export function flowRules(
  applying: Applying,
  channels: readonly ChannelEntry[],
): ListRules<ProvisionedFlow, FlowEntry> {
  const { now } = applying.context;
  return {
    makeId: (ids, entry) => entryId(ids, ENTRY_PREFIXES.flows, entry),
    build(wanted, current, id) {
      const { path, entry } = wanted;
      const name = required(applying, `${path}.name`, entry.name ?? current?.name);
      const steps = required(applying, `${path}.steps`, entry.steps ?? current?.steps);
      const channelId = flowChannel(applying, wanted, { current, channels });
      if (name === null || steps === null) return null;
      const flow = {
        id,
        ref: entry.ref,
        name,
        enabled: entry.enabled ?? current?.enabled ?? true,
        channelId,
        isMain: entry.isMain ?? current?.isMain ?? false,
        triggers: entry.triggers ?? current?.triggers ?? [],
        steps,
        updatedAt: current?.updatedAt ?? now,
      };
      return isSame(flow, current) ? flow : { ...flow, updatedAt: now };
    },
    retire: (current) => ({ ...current, removed: true, enabled: false, updatedAt: now }),
  };
}

export function fileRules(applying: Applying): ListRules<ProvisionedFile, FileEntry> {
  const { now } = applying.context;
  return {
    makeId: (ids, entry) => entryId(ids, ENTRY_PREFIXES.files, entry),
    build({ path, entry }, current, id) {
      const name = required(applying, `${path}.name`, entry.name ?? current?.name);
      const mimeType = required(applying, `${path}.mimeType`, entry.mimeType ?? current?.mimeType);
      const isGiven = entry.contentDigest !== undefined && entry.sizeBytes !== undefined;
      const { contentDigest, sizeBytes } = isGiven ? entry : (current ?? {});
      if (contentDigest === undefined || sizeBytes === undefined) {
        required(applying, `${path}.path`, undefined);
        return null;
      }
      if (name === null || mimeType === null) return null;
      const { createdAt = now } = current ?? {};
      const isOlder = current !== null && current.createdAt === undefined;
      const file = { id, ref: entry.ref, name, mimeType, sizeBytes, contentDigest };
      return isOlder ? file : { ...file, createdAt };
    },
    retire: (current) => ({ ...current, removed: true }),
  };
}
