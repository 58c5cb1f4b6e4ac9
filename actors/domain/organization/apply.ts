/**
 * Decision of `recado apply`: a provisioning file becomes an organization's next state, or a list
 * of all its problems (C12).
 *
 * 1. A refused file changes nothing, and all its problems are reported at once.
 * 2. The same file again changes nothing: the result is the same state object, `version` included.
 * 3. A repeated command answers the same tokens, which derive from its seed: none is stored in
 *    clear.
 * 4. A token belongs to one live key. This file checks it inside the organization, the claims check
 *    it across organizations.
 */
import { organizationId } from '../../../shared/entity-ids.ts';
import { MEMBERS_MAX_PER_ORGANIZATION } from '../../../shared/limits.ts';
import type { ProblemAt } from '../../../shared/problems/provisioning.ts';
import type { AppliedOrganization, ApplyCommand } from '../../../shared/provisioning/commands.ts';
import { DEFAULT_COUNTRY, DEFAULT_TIME_ZONE } from '../../../shared/provisioning/defaults.ts';
import {
  joinIssues,
  type ProvisionedOrganization,
  readOrganization,
} from '../../../shared/provisioning/organization.ts';
import { isSame } from '../is-same.ts';
import type { KeyEntry, MemberEntry, OrganizationState } from '../organization.ts';
import { NO_TAG_CHANGES, type TagChanges, tagChanges } from '../tags.ts';
import { applyPipelines } from './apply-pipelines.ts';
import { type Applying, applyList, type OrganizationContext } from './context.ts';
import { channelRules, fileRules, flowRules, memberRules } from './entry-rules.ts';
import {
  type ClaimChanges,
  claimsBetween,
  isLive,
  keyRules,
  refuseSharedTokens,
  revoke,
  tokenOf,
} from './keys.ts';
import { lastAdmins, outgrown } from './members.ts';
import { type ClaimedNumber, claimedNumbers, reservedNumbers, sharedWithin } from './numbers.ts';
import { applyOutput, emptyOutput } from './output.ts';
import { checkReferences } from './references.ts';
import { streamsAfter } from './streams.ts';
import { subscriptionRules } from './subscriptions.ts';

/** Claims are checked on refusal too: tokens of other keys are reported with the other problems. */
export type ApplyDecision = ClaimChanges &
  (
    | { readonly refused: readonly ProblemAt[] }
    | {
        /** The same `state` where nothing changed; null where there is nothing to remove. */
        readonly accepted: OrganizationState | null;
        readonly output: AppliedOrganization;
        /** Numbers newly in use: one that another organization has is a problem at `path`. */
        readonly numbers: readonly ClaimedNumber[];
        readonly tags: TagChanges;
      }
  );

/** A decision without effect on the documents beside the organization's. */
export const NO_SIDE_EFFECTS = { claims: [], releases: [], numbers: [], tags: NO_TAG_CHANGES };

const NO_LISTS = { channels: [], keys: [], members: [], flows: [], files: [], subscriptions: [] };

/** Of an organization that is new. */
const NO_STAGES: Partial<OrganizationState> = {};

function retired<E extends { readonly removed?: boolean }>(entry: E): E {
  return { ...entry, removed: true };
}

/** Ids stay reserved. `lastApply` and its created ids are dropped, the numbers are free. */
export function retireOrganization(state: OrganizationState, now: number): OrganizationState {
  const { lastApply: _forgotten, numbers: _free, ...rest } = state;
  return {
    ...rest,
    members: state.members.map(retired),
    channels: state.channels.map((channel) => ({ ...retired(channel), enabled: false })),
    keys: state.keys.map((key) => retired(revoke(key, now))),
    flows: state.flows.map((flow) => ({ ...retired(flow), enabled: false, updatedAt: now })),
    files: state.files.map(retired),
    subscriptions: state.subscriptions.map((entry) => ({ ...retired(entry), enabled: false })),
    removed: true,
    version: state.version + 1,
  };
}

type Keyed = Pick<OrganizationState, 'keys' | 'channels'>;

/** A key of a removed channel is revoked. */
function withoutOrphans({ keys, channels }: Keyed, now: number): readonly KeyEntry[] {
  const removedIds = new Set(
    channels.filter(({ removed }) => removed === true).map(({ id }) => id),
  );
  return keys.map((key) =>
    isLive(key) && key.channelId !== null && removedIds.has(key.channelId) ? revoke(key, now) : key,
  );
}

/** The lists of the next state; those on which another list depends come first. */
function mergeLists(
  state: OrganizationState | null,
  wanted: ProvisionedOrganization,
  applying: Applying,
) {
  const stored = state ?? NO_LISTS;
  const subscriptions = [stored.subscriptions, wanted.subscriptions] as const;
  const channels = applyList(applying, [stored.channels, wanted.channels], channelRules(applying));
  const keys = applyList(applying, [stored.keys, wanted.keys], keyRules(applying, channels));
  refuseSharedTokens(applying, keys, wanted.keys);
  return {
    channels,
    keys,
    members: applyList(applying, [stored.members, wanted.members], memberRules(applying)),
    flows: applyList(applying, [stored.flows, wanted.flows], flowRules(applying, channels)),
    files: applyList(applying, [stored.files, wanted.files], fileRules(applying)),
    subscriptions: applyList(applying, subscriptions, subscriptionRules(applying)),
  };
}

/** The next state except `version` and `lastApply`; problems are added to `applying`. */
function merge(
  state: OrganizationState | null,
  wanted: ProvisionedOrganization,
  applying: Applying,
): OrganizationState {
  const { head } = wanted;
  const { now } = applying.context;
  if (head.name === undefined && state === null) {
    const problem = { code: 'requiredForNewOrganization', params: {} } as const;
    applying.issues.push({ path: 'name', problem });
  }
  const lists = mergeLists(state, wanted, applying);
  const pipelines = applyPipelines(applying, state, wanted.pipelines);
  checkLastAdmin(applying, [state?.members ?? [], lists.members], wanted);
  if (outgrown(state?.members ?? [], lists.members)) {
    const params = { most: MEMBERS_MAX_PER_ORGANIZATION };
    applying.issues.push({ path: 'members', problem: { code: 'tooManyMembers', params } });
  }
  checkReferences(applying, { before: state, after: { ...lists, ...pipelines }, wanted });
  const claimed = claimedNumbers(state?.channels ?? [], lists.channels, wanted.channels);
  applying.issues.push(...sharedWithin(lists.channels, claimed));
  const numbers = reservedNumbers(lists.channels);
  const { removed: _removed, numbers: _before, ...kept } = state ?? NO_STAGES;
  const { leftStages: _left, formerStageNames: _former, ...retained } = kept;
  return {
    ...retained,
    id: applying.orgId,
    ref: head.ref,
    name: head.name ?? state?.name ?? '',
    timeZone: head.timeZone ?? state?.timeZone ?? DEFAULT_TIME_ZONE,
    country: applying.country,
    limits: { perKey: null, perOrg: null, ...state?.limits, ...head.limits },
    ...lists,
    ...pipelines,
    keys: withoutOrphans(lists, now),
    ...(numbers.length > 0 ? { numbers } : {}),
    ...(state?.streams ? { streams: streamsAfter({ before: state, after: lists }, now) } : {}),
    createdAt: state?.createdAt ?? now,
    version: state?.version ?? 0,
  };
}

/** A file takes the last admin away as little as a person does. */
function checkLastAdmin(
  { issues }: Applying,
  [before, after]: readonly [readonly MemberEntry[], readonly MemberEntry[]],
  wanted: ProvisionedOrganization,
): void {
  const lost = new Set(lastAdmins(before, after).map(({ ref }) => ref));
  for (const { path, entry } of wanted.members) {
    if (!lost.has(entry.ref)) continue;
    issues.push({ path, problem: { code: 'lastAdmin', params: {} } });
  }
}

function outputOf(
  state: OrganizationState,
  command: ApplyCommand,
  { wanted, context }: { wanted: ProvisionedOrganization; context: OrganizationContext },
): AppliedOrganization {
  const given = new Map(wanted.keys.map(({ entry }) => [entry.ref, entry.token]));
  const seeded = { seed: command.seed, digest: context.ids.digest };
  const ids = state.lastApply?.commandId === command.id ? state.lastApply.created : [];
  const tokenOfKey = ({ id, ref }: KeyEntry): string =>
    given.get(ref) ?? tokenOf(seeded, state.id, id);
  return applyOutput(state, { ids, tokenOf: tokenOfKey }, context);
}

/**
 * Decides one `apply` on the stored organization (null: none). `version` rises by one where
 * anything changed; it is 1 for a new organization.
 */
export function decideApply(
  state: OrganizationState | null,
  command: ApplyCommand,
  context: OrganizationContext,
): ApplyDecision {
  const { seed, organization: raw } = command;
  const { organization: wanted, issues: read } = readOrganization(raw);
  if (wanted === null) return { ...NO_SIDE_EFFECTS, refused: read };
  const orgId = organizationId(context.ids, wanted.head.ref);
  const facts = { wanted, context };
  if (state?.lastApply?.commandId === command.id) {
    return { ...NO_SIDE_EFFECTS, accepted: state, output: outputOf(state, command, facts) };
  }
  if (wanted.head.remove === true && read.length === 0) {
    const removal = { ...NO_SIDE_EFFECTS, output: emptyOutput(orgId) };
    if (state === null || state.removed === true) return { ...removal, accepted: state };
    const accepted = retireOrganization(state, context.now);
    const { releases } = claimsBetween(state.keys, accepted.keys, []);
    return { ...removal, accepted, releases };
  }
  const country = wanted.head.country ?? state?.country ?? DEFAULT_COUNTRY;
  const found = { issues: [], created: [] };
  const commandId = command.id;
  const applying: Applying = { orgId, country, commandId, seed, context, raw, ...found };
  const merged = merge(state, wanted, applying);
  const refused = joinIssues(read, applying.issues);
  const tokens = claimsBetween(state?.keys ?? [], merged.keys, wanted.keys);
  if (refused.length > 0) return { refused, ...tokens };
  const tags = tagChanges(wanted.tags);
  if (state !== null && isSame(merged, state)) {
    return { ...NO_SIDE_EFFECTS, accepted: state, output: outputOf(state, command, facts), tags };
  }
  const lastApply = { commandId: command.id, created: applying.created };
  const accepted = { ...merged, lastApply, version: merged.version + 1 };
  return {
    accepted,
    output: outputOf(accepted, command, facts),
    ...tokens,
    numbers: claimedNumbers(state?.channels ?? [], accepted.channels, wanted.channels),
    tags,
  };
}
