/**
 * `recado apply`, decided: what a provisioning file says of one organization becomes its next
 * state, or every reason why not (C12).
 *
 * 1. A refused file changes nothing, and all its problems are told at once.
 * 2. The same file again changes nothing: the very same state comes back, `version` included.
 * 3. A repeated ask of one command tells the same tokens; nothing is kept in clear for it.
 * 4. A good key's token is one key's: inside the organization it is seen to here, across
 *    organizations by whoever stores the claims.
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
      /** So that the tokens of other organizations' keys are told with the other problems. */
      readonly claims: readonly Claim[];
      readonly releases: readonly Claim[];
    }
  | {
      /** The very `state` where nothing changed; null where there is nothing to take away. */
      readonly accepted: OrganizationState | null;
      readonly output: AppliedOrganization;
      /** Digests newly in use: one that another key holds is a problem at `path`. */
      readonly claims: readonly Claim[];
      /** Digests that are no good key's any more. */
      readonly releases: readonly Claim[];
      /** Numbers that channels take: one that another organization has is a problem at `path`. */
      readonly numbers: readonly TakenNumber[];
      readonly tags: TagChanges;
    };

/** A key that speaks for a channel which is no more speaks for nothing. */
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

/** The lists that no other list depends on. */
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

/** Of the next state; absent where no number was judged. */
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

/** The next state but for `version` and `lastApply`; problems are left with `applying`. */
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
 * Decides one `apply` on the organization as it is stored (null: not yet). `version` of the
 * accepted state is one more than before where anything changed, 1 for a new organization.
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
