/** Members, flows and files of a provisioning file. */
import { ENTRY_PREFIXES } from '../../../shared/provisioning/names.ts';
import type { EntryAtPath } from '../../../shared/provisioning/organization.ts';
import type {
  ProvisionedFile,
  ProvisionedFlow,
  ProvisionedMember,
} from '../../../shared/provisioning/schema.ts';
import { type Applying, channelNamed, required } from './context.ts';
import { isSame, type ListRules } from './entries.ts';
import type { ChannelEntry, FileEntry, FlowEntry, MemberEntry } from './state.ts';

export function memberRules(applying: Applying): ListRules<ProvisionedMember, MemberEntry> {
  return {
    prefix: ENTRY_PREFIXES.members,
    build({ path, entry }, current, id) {
      const name = required(applying, `${path}.name`, entry.name ?? current?.name);
      const email = entry.email === undefined ? (current?.email ?? null) : entry.email || null;
      return name === null ? null : { id, ref: entry.ref, name, email };
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
  return channelNamed(applying, known.channels, named) ?? null;
}

/** A removed flow is disabled and hidden; its runs continue to their end. */
export function flowRules(
  applying: Applying,
  channels: readonly ChannelEntry[],
): ListRules<ProvisionedFlow, FlowEntry> {
  return {
    prefix: ENTRY_PREFIXES.flows,
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
        updatedAt: current?.updatedAt ?? applying.context.now,
      };
      return isSame(flow, current) ? flow : { ...flow, updatedAt: applying.context.now };
    },
    retire: (current) => ({
      ...current,
      removed: true,
      enabled: false,
      updatedAt: applying.context.now,
    }),
  };
}

export function fileRules(applying: Applying): ListRules<ProvisionedFile, FileEntry> {
  return {
    prefix: ENTRY_PREFIXES.files,
    build({ path, entry }, current, id) {
      const name = required(applying, `${path}.name`, entry.name ?? current?.name);
      const mimeType = required(applying, `${path}.mimeType`, entry.mimeType ?? current?.mimeType);
      const { contentDigest, sizeBytes } =
        entry.contentDigest !== undefined && entry.sizeBytes !== undefined
          ? { contentDigest: entry.contentDigest, sizeBytes: entry.sizeBytes }
          : (current ?? {});
      if (contentDigest === undefined || sizeBytes === undefined) {
        required(applying, `${path}.path`, undefined);
        return null;
      }
      if (name === null || mimeType === null) return null;
      return { id, ref: entry.ref, name, mimeType, sizeBytes, contentDigest };
    },
    retire: (current) => ({ ...current, removed: true }),
  };
}
