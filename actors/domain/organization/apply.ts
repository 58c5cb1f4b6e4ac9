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
import type { Issue } from '../../../shared/failures.ts';
import type { AppliedOrganization, ApplyCommand } from '../../../shared/provisioning/commands.ts';
import { DEFAULT_COUNTRY, DEFAULT_TIME_ZONE } from '../../../shared/provisioning/defaults.ts';
import {
  joinIssues,
  type ProvisionedOrganization,
  readOrganization,
} from '../../../shared/provisioning/organization.ts';
import { channelRules } from './channels.ts';
import type { Applying, Claim, OrganizationContext } from './context.ts';
import { applyList, isSame } from './entries.ts';
import { claimsBetween, isLive, keyRules, refuseSharedTokens, revoke, tokenOf } from './keys.ts';
import { fileRules, flowRules, memberRules } from './library.ts';
import { reservedNumbers, sharedWithin, type TakenNumber, takenNumbers } from './numbers.ts';
import { applyOutput, emptyOutput } from './output.ts';
import { checkReferences } from './references.ts';
import { retireOrganization } from './removal.ts';
import type { ChannelEntry, KeyEntry, OrganizationState } from './state.ts';
import { subscriptionRules } from './subscriptions.ts';
import { NO_TAG_CHANGES, type TagChanges, tagChanges } from './tags.ts';

export type ApplyDecision =
  | {
      readonly refused: readonly Issue[];
      /** Checked on refusal too: tokens of other keys are reported with the other problems. */
      readonly claims: readonly Claim[];
      readonly releases: readonly Claim[];
    }
  | {
      /** The same `state` where nothing changed; null where there is nothing to remove. */
      readonly accepted: OrganizationState | null;
      readonly output: AppliedOrganization;
      /** Digests newly in use: one that another key holds is a problem at `path`. */
      readonly claims: readonly Claim[];
      /** Digests that no live key uses any more. */
      readonly releases: readonly Claim[];
      /** Numbers newly in use: one that another organization has is a problem at `path`. */
      readonly numbers: readonly TakenNumber[];
      readonly tags: TagChanges;
    };

/** A key of a removed channel is revoked. */
function withoutOrphans(
  keys: readonly KeyEntry[],
  channels: readonly ChannelEntry[],
  now: number,
): readonly KeyEntry[] {
  const gone = new Set(channels.filter(({ removed }) => removed === true).map(({ id }) => id));
  return keys.map((key) =>
    isLive(key) && key.channelId !== null && gone.has(key.channelId) ? revoke(key, now) : key,
  );
}

/** The lists on which no other list depends. */
function mergeLists(
  applying: Applying,
  { state, wanted }: { state: OrganizationState | null; wanted: ProvisionedOrganization },
  channels: readonly ChannelEntry[],
): Pick<OrganizationState, 'members' | 'flows' | 'files' | 'subscriptions'> {
  const members = applyList(
    applying,
    { stored: state?.members ?? [], wanted: wanted.members },
    memberRules(applying),
  );
  const flows = applyList(
    applying,
    { stored: state?.flows ?? [], wanted: wanted.flows },
    flowRules(applying, channels),
  );
  const files = applyList(
    applying,
    { stored: state?.files ?? [], wanted: wanted.files },
    fileRules(applying),
  );
  return {
    ...{ members, flows, files },
    subscriptions: applyList(
      applying,
      { stored: state?.subscriptions ?? [], wanted: wanted.subscriptions },
      subscriptionRules(applying),
    ),
  };
}

/** Reserved numbers of the next state; absent where none was checked. */
function checkNumbers(
  applying: Applying,
  state: OrganizationState | null,
  { wanted, channels }: Pick<OrganizationState, 'channels'> & { wanted: ProvisionedOrganization },
): Pick<OrganizationState, 'numbers'> {
  const taken = takenNumbers(state?.channels ?? [], channels, wanted.channels);
  applying.issues.push(...sharedWithin(channels, taken));
  const numbers = reservedNumbers(state?.numbers ?? [], channels, taken);
  return numbers.length > 0 ? { numbers } : {};
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
    applying.issues.push({ path: 'name', message: 'is required for a new organization' });
  }
  const channels = applyList(
    applying,
    { stored: state?.channels ?? [], wanted: wanted.channels },
    channelRules(applying),
  );
  const keys = applyList(
    applying,
    { stored: state?.keys ?? [], wanted: wanted.keys },
    keyRules(applying, channels),
  );
  refuseSharedTokens(applying, keys, wanted.keys);
  const lists = mergeLists(applying, { state, wanted }, channels);
  checkReferences(applying, { before: state, after: { ...lists, channels, keys }, wanted });
  const { perKey = state?.limits.perKey ?? null, perOrg = state?.limits.perOrg ?? null } =
    head.limits ?? {};
  const { removed: _broughtBack, numbers: _before, ...kept } = state ?? {};
  return {
    ...kept,
    id: applying.orgId,
    ref: head.ref,
    name: head.name ?? state?.name ?? '',
    timeZone: head.timeZone ?? state?.timeZone ?? DEFAULT_TIME_ZONE,
    country: applying.country,
    limits: { perKey, perOrg },
    channels,
    keys: withoutOrphans(keys, channels, now),
    ...lists,
    ...checkNumbers(applying, state, { wanted, channels }),
    createdAt: state?.createdAt ?? now,
    version: state?.version ?? 0,
  };
}

function outputOf(
  state: OrganizationState,
  command: ApplyCommand,
  { wanted, context }: { wanted: ProvisionedOrganization; context: OrganizationContext },
): AppliedOrganization {
  const given = new Map(wanted.keys.map(({ entry }) => [entry.ref, entry.token]));
  const seeded = { seed: command.seed, digest: context.ids.digest };
  const made = state.lastApply?.commandId === command.id ? state.lastApply.created : [];
  const tokenOfKey = (key: KeyEntry): string =>
    given.get(key.ref) ?? tokenOf(seeded, state.id, key.id);
  return applyOutput(state, { created: made, tokenOf: tokenOfKey }, context);
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
  const { organization: wanted, issues: read } = readOrganization(command.organization);
  if (wanted === null) return { refused: read, claims: [], releases: [] };
  const orgId = organizationId(context.ids, wanted.head.ref);
  const unchanged = (accepted: OrganizationState | null, output: AppliedOrganization) => ({
    accepted,
    output,
    claims: [],
    releases: [],
    numbers: [],
    tags: NO_TAG_CHANGES,
  });
  if (state?.lastApply?.commandId === command.id) {
    return unchanged(state, outputOf(state, command, { wanted, context }));
  }
  if (wanted.head.remove === true && read.length === 0) {
    if (state === null || state.removed === true) return unchanged(state, emptyOutput(orgId));
    const accepted = retireOrganization(state, context.now);
    const { releases } = claimsBetween(state.keys, accepted.keys, []);
    return { ...unchanged(accepted, emptyOutput(orgId)), releases };
  }
  const country = wanted.head.country ?? state?.country ?? DEFAULT_COUNTRY;
  const { seed, organization: raw } = command;
  const applying: Applying = { orgId, country, seed, context, raw, issues: [], created: [] };
  const merged = merge(state, wanted, applying);
  const refused = joinIssues(read, applying.issues);
  const tokens = claimsBetween(state?.keys ?? [], merged.keys, wanted.keys);
  if (refused.length > 0) return { refused, ...tokens };
  if (state !== null && isSame(merged, state)) {
    const output = outputOf(state, command, { wanted, context });
    return { ...unchanged(state, output), tags: tagChanges(wanted.tags) };
  }
  const accepted = {
    ...merged,
    lastApply: { commandId: command.id, created: applying.created },
    version: merged.version + 1,
  };
  return {
    accepted,
    output: outputOf(accepted, command, { wanted, context }),
    ...tokens,
    numbers: takenNumbers(state?.channels ?? [], accepted.channels, wanted.channels),
    tags: tagChanges(wanted.tags),
  };
}
