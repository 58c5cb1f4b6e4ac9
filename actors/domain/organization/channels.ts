/** Channels of a provisioning file: a connected number, its network's settings and its pace. */
import type { Issue } from '../../../shared/failures.ts';
import { PROVIDER_RULES } from '../../../shared/provisioning/defaults.ts';
import { parseDuration } from '../../../shared/provisioning/duration.ts';
import { ENTRY_PREFIXES } from '../../../shared/provisioning/names.ts';
import type { EntryAtPath } from '../../../shared/provisioning/organization.ts';
import type { ProvisionedChannel } from '../../../shared/provisioning/schema.ts';
import { channelSecret } from '../../../shared/secret-locations.ts';
import { canonicalPhone } from '../../../shared/text/phone.ts';
import type { Provider } from '../../../shared/vocabulary.ts';
import { type Applying, required } from './context.ts';
import { isSame, type ListRules } from './entries.ts';
import type { ChannelEntry, Pace } from './state.ts';

type Settings = Pick<ChannelEntry, 'network' | 'secrets'>;
type Wanted = EntryAtPath<ProvisionedChannel>;

/** Plain and sealed settings; a secret that did not change keeps its sealed form. */
function networkOf(
  applying: Applying,
  { path, entry }: Wanted,
  stored: { readonly id: string; readonly provider: Provider; readonly kept: Settings | null },
): Settings {
  const rules = PROVIDER_RULES[stored.provider];
  const network: Record<string, string> = { ...stored.kept?.network };
  const secrets: Record<string, string> = { ...stored.kept?.secrets };
  const problem = (name: string, message: string): void => {
    applying.issues.push({ path: `${path}.network.${name}`, message });
  };
  for (const [name, value] of Object.entries(entry.network ?? {})) {
    if (typeof value !== 'string') continue;
    const sealed = secrets[name];
    if (![...rules.required, ...rules.optional].includes(name)) {
      problem(name, `is not a setting of the provider ${stored.provider}`);
    } else if (!rules.secret.includes(name)) network[name] = value;
    else {
      const place = channelSecret(applying.orgId, stored.id, name);
      const same = sealed !== undefined && applying.context.open(sealed, place) === value;
      if (!same) secrets[name] = applying.context.seal(value, place);
    }
  }
  for (const name of rules.required) {
    if (!(name in network) && !(name in secrets)) {
      problem(name, `is required by the provider ${stored.provider}`);
    }
  }
  return { network, secrets };
}

function paceOf(issues: Issue[], { path, entry }: Wanted, before: Pace): Pace {
  if (entry.pace && entry.network?.pace) {
    issues.push({ path: `${path}.pace`, message: 'is given in network.pace as well' });
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
    applying.issues.push({ path: `${path}.phone`, message: 'is not a phone number' });
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
  const kept = current?.provider === provider ? current : null;
  const pace = paceOf(applying.issues, wanted, kept?.pace ?? PROVIDER_RULES[provider].pace);
  const { network, secrets } = networkOf(applying, wanted, { id, provider, kept });
  if (label === null || phone === null) return null;
  // Changed settings reset the readiness: sends are tried at once, and the network reports anew.
  const asBefore =
    kept !== null &&
    kept.phone === phone &&
    isSame(kept.network, network) &&
    isSame(kept.secrets, secrets);
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
    ...(asBefore ? readinessKept(kept) : readinessAnew(current)),
    // A restriction belongs to the number, not to the settings.
    ...(kept?.phone === phone && kept.restriction ? { restriction: kept.restriction } : {}),
    createdAt: current?.createdAt ?? applying.context.now,
  };
}

function readinessKept(kept: ChannelEntry) {
  const { networkReady, networkReason, networkRevision, networkAnswered, networkTrouble } = kept;
  return {
    ...{ networkReady, networkReason },
    ...(networkRevision === undefined ? {} : { networkRevision }),
    ...(networkAnswered === undefined ? {} : { networkAnswered }),
    ...(networkTrouble === undefined ? {} : { networkTrouble }),
  };
}

/** A network counts as ready until its first answer. */
function readinessAnew(current: ChannelEntry | null) {
  const networkRevision = (current?.networkRevision ?? 0) + 1;
  return { networkReady: true, networkReason: null, networkRevision };
}

export function channelRules(applying: Applying): ListRules<ProvisionedChannel, ChannelEntry> {
  return {
    prefix: ENTRY_PREFIXES.channels,
    build: (wanted, current, id) => buildChannel(applying, wanted, { current, id }),
    retire: (current) => ({ ...current, removed: true, enabled: false }),
  };
}
