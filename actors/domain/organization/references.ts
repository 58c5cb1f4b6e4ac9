/**
 * References between the entries of an organization, checked on its state after the whole file.
 *
 * 1. A flow of the file names existing entries only (check-flows.ts).
 * 2. No entry or tag is removed while an entry that stays names it. Conversations, deals and tasks
 *    keep their references: they are no entries.
 */
import type { Naming } from '../../../shared/problems/provisioning.ts';
import {
  type EntryAtPath,
  type ProvisionedOrganization,
  readOrganization,
} from '../../../shared/provisioning/organization.ts';
import { foldTag } from '../../../shared/text/fold-tag.ts';
import { isWritten, type Reference, referencesOf } from '../flow/references.ts';
import { type Entry, knownPipelines, type OrganizationState, present } from '../organization.ts';
import { currentStages, nameableStages } from '../stage-names.ts';
import { tagChanges } from '../tags.ts';
import { checkFlows, isTag, locationIn, type Nameable, type WrittenFlow } from './check-flows.ts';
import type { Applying, WantedEntry } from './context.ts';
import { isOfFile } from './keys.ts';

type After = Pick<OrganizationState, 'members' | 'channels' | 'keys' | 'flows' | 'files'> &
  Pick<OrganizationState, 'pipelines' | 'formerStageNames'>;

interface Judged {
  readonly before: OrganizationState | null;
  readonly after: After;
  readonly wanted: ProvisionedOrganization;
}

/** Adds the problems to `applying`. */
export function checkReferences(applying: Applying, judged: Judged): void {
  const flows = writtenFlows(judged.wanted, applying.raw);
  const { before, after } = judged;
  // An unchanged flow is not checked again: the same file changes nothing.
  const former = new Set(before?.flows);
  const same = new Set(after.flows.filter((flow) => former.has(flow)).map(({ ref }) => ref));
  const changed = flows.filter(({ entry }) => entry.steps === undefined || !same.has(entry.ref));
  checkFlows(applying, nameableOf(applying, judged, flows), changed);
  refuseRemovals(applying, judged);
}

/** With their steps as written: one invalid step leaves `steps` of the parsed flow undefined. */
function writtenFlows({ flows }: ProvisionedOrganization, raw: unknown) {
  const lists = isWritten(raw) && Array.isArray(raw.flows) ? raw.flows : [];
  return flows.map(({ path, entry }) => {
    const written: unknown = lists[Number(path.split('.')[1])];
    const listed = isWritten(written) && Array.isArray(written.steps) ? written.steps : undefined;
    const steps = entry.steps ?? listed?.map((step) => (isWritten(step) ? step : {}));
    return { path, entry: { ...entry, steps } };
  });
}

/** Tags that flows of the file name and that the file does not add itself. */
export function tagsToCheck(raw: unknown): readonly string[] {
  const { organization } = readOrganization(raw);
  if (!organization) return [];
  const added = new Set(tagChanges(organization.tags).add.map(foldTag));
  const named = writtenFlows(organization, raw)
    .filter(({ entry }) => entry.remove !== true)
    .flatMap(({ entry }) => referencesOf(entry))
    .filter(({ kind, name }) => kind === 'tag' && !added.has(foldTag(name)));
  return [...new Set(named.map(({ name }) => name))];
}

/** Includes entries that another problem of the file prevents: that problem is reported already. */
function nameableOf(
  applying: Applying,
  { after, wanted }: Judged,
  flows: readonly EntryAtPath<WrittenFlow>[],
): Nameable {
  const { context, orgId } = applying;
  const pipelines = knownPipelines(after, { ids: context.ids, orgId });
  const { add, remove } = tagChanges(wanted.tags);
  const removed = new Set(remove.map(foldTag));
  const remaining = context.tags.filter((tag) => !removed.has(foldTag(tag)));
  const there = (list: readonly Entry[], written: readonly EntryAtPath<WantedEntry>[]) => {
    const known = present(list);
    const isKnown = ({ entry }: EntryAtPath<WantedEntry>) =>
      known.some(({ ref }) => ref === entry.ref);
    const prevented = written.filter((each) => each.entry.remove !== true && !isKnown(each));
    return [...known, ...prevented.map(({ entry: { ref } }) => ({ id: ref, ref }))];
  };
  const current = new Map(after.flows.map((flow) => [flow.ref, flow]));
  const written = new Map(flows.map(({ entry }) => [entry.ref, entry.steps]));
  const channels = new Map(flows.map(({ entry }) => [entry.ref, entry.channel]));
  const web = present(after.channels).filter(({ provider }) => provider === 'web');
  return {
    members: there(after.members, wanted.members),
    files: there(after.files, wanted.files),
    flows: there(after.flows, wanted.flows).map(({ id, ref }) => {
      const asked = channels.get(ref);
      const channel = asked === undefined ? (current.get(ref)?.channelId ?? null) : asked;
      return { id, ref, channel, steps: written.get(ref) ?? current.get(ref)?.steps ?? [] };
    }),
    stages: nameableStages(pipelines, after.formerStageNames),
    stageNames: currentStages(pipelines).map(({ name }) => name),
    tags: [...new Set([...remaining, ...add])],
    webChannels: new Set(web.flatMap(({ id, ref }) => [id, ref])),
  };
}

/** An entry that names another. */
interface ReferringEntry {
  readonly location: () => Naming;
  readonly names: (removed: RemovedEntry) => boolean;
}

interface RemovedEntry {
  readonly kind: Reference['kind'] | 'channel';
  readonly id: string;
  readonly ref: string;
}

const REMOVABLE = [
  ['members', 'member'],
  ['channels', 'channel'],
  ['flows', 'flow'],
  ['files', 'file'],
] as const;

function refuseRemovals(applying: Applying, { before, after, wanted }: Judged): void {
  const refuse = (path: string, removed: RemovedEntry): void => {
    const namedBy = namings
      .filter(({ names }) => names(removed))
      .map((naming) => naming.location());
    if (namedBy.length === 0) return;
    const problem = { code: 'cannotRemove', params: { ref: removed.ref, namedBy } } as const;
    applying.issues.push({ path: `${path}.remove`, problem });
  };
  const namings = namingsOf(after);
  for (const [list, kind] of REMOVABLE) {
    for (const { path, entry } of wanted[list]) {
      const known = before?.[list].find(({ ref }) => ref === entry.ref);
      if (entry.remove !== true || !known || known.removed === true) continue;
      refuse(path, { kind, id: known.id, ref: known.ref });
    }
  }
  // The file's last entry for a tag counts.
  const removed = new Set(tagChanges(wanted.tags).remove.map(foldTag));
  for (const { path, entry } of wanted.tags) {
    if (entry.remove !== true || !removed.has(foldTag(entry.ref))) continue;
    refuse(path, { kind: 'tag', id: entry.ref, ref: entry.ref });
  }
}

function namingsOf({ flows, keys }: After): readonly ReferringEntry[] {
  const speaksFor = (channelId: string | null, location: Naming): ReferringEntry => ({
    location: () => location,
    names: ({ kind, id }) => kind === 'channel' && id === channelId,
  });
  return [
    ...present(flows).flatMap((flow) => [
      speaksFor(flow.channelId, { flow: flow.ref, step: null, field: 'channel' }),
      ...referencesOf(flow).map((reference) => ({
        location: () => locationIn(flow.ref, flow.steps, reference.path),
        names: (removed: RemovedEntry) => isNamed(reference, removed),
      })),
    ]),
    // A key of `keys create` is no entry of a file: it is revoked with its channel.
    ...keys.filter(isOfFile).map((key) => speaksFor(key.channelId, { key: key.ref })),
  ];
}

/** A ref has precedence over an id; a match of either refuses the removal. */
function isNamed(reference: Reference, { kind, id, ref }: RemovedEntry): boolean {
  if (reference.kind !== kind) return false;
  return kind === 'tag' ? isTag(reference, ref) : reference.name === ref || reference.name === id;
}
