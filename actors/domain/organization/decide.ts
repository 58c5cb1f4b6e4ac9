/**
 * Decisions about the operator's commands to one organization. The actor resolves `urlsToCheck`,
 * calls `decideOrganization`, stores the claims, commits `next`, and answers.
 */
import {
  KEYS_MAX_PER_ORGANIZATION,
  SUBSCRIPTIONS_MAX_PER_ORGANIZATION,
} from '../../../shared/limits.ts';
import type { Problem, ProblemAt } from '../../../shared/problems/provisioning.ts';
import {
  type ApplyCommand,
  type CreateKeyCommand,
  newKeySchema,
  type OrderedKey,
  type OrganizationCommand,
  type SaveSubscriptionCommand,
} from '../../../shared/provisioning/commands.ts';
import { readEntry } from '../../../shared/provisioning/entry.ts';
import { ACCESS_DEFAULT } from '../../../shared/vocabulary.ts';
import { timestamp } from '../../../shared/wire/outbox.ts';
import { type KeyEntry, type OrganizationState, present, storedTerms } from '../organization.ts';
import type { TagChanges } from '../tags.ts';
import { withAuditOf } from './applied-by.ts';
import { decideApply, NO_SIDE_EFFECTS } from './apply.ts';
import { audited, auditOf } from './audited.ts';
import type { OrganizationContext } from './context.ts';
import {
  type ClaimChanges,
  claimsBetween,
  isExpired,
  isLive,
  prefixOf,
  revoke,
  tokenOf,
  withFreeSlot,
} from './keys.ts';
import { decideMember } from './members.ts';
import type { ClaimedNumber } from './numbers.ts';
import { listEntries, listKeys, listStreams, listSubscriptions } from './output.ts';
import { issuesOfEntry, savedSubscription, subscriptionFile } from './subscription-file.ts';
import { decideEnabling, decideRotation } from './subscriptions.ts';
import { exportOrganization } from './written.ts';

/** Claims are checked for a `check` too: a digest that another key holds is a `refusal`. */
export interface OrganizationDecision extends ClaimChanges {
  readonly status: number;
  /** The answer's JSON body. */
  readonly body: unknown;
  /** State to commit (`version` already raised), null where nothing changes. */
  readonly next: OrganizationState | null;
  /** Checked and claimed as digests are. */
  readonly numbers: readonly ClaimedNumber[];
  /** Written beside `next`, and checked for a `check` too. */
  readonly tags: TagChanges;
  /** The problems of a refused `apply`; the caller adds those of its claims and tags. */
  readonly refused: readonly ProblemAt[];
  /** The state that a `check` with `diff` would have committed; null for other commands. */
  readonly checked: { readonly after: OrganizationState | null } | null;
}

const UNCHANGED = { ...NO_SIDE_EFFECTS, next: null, refused: [], checked: null };

function answer(status: number, body: unknown): OrganizationDecision {
  return { ...UNCHANGED, status, body };
}

/** A 422 for the command line; also for a claim that another key holds. */
export function refusal(problems: readonly ProblemAt[]): OrganizationDecision {
  return { ...answer(422, { error: 'The input was refused.', problems }), refused: problems };
}

const NOT_FOUND = { error: 'There is no such organization.' };

/** A key of `keys create` has the command's id; its token derives from the command's seed. */
function decideCreateKey(
  state: OrganizationState,
  command: CreateKeyCommand,
  context: OrganizationContext,
): OrganizationDecision {
  const { entry, issues } = readEntry(newKeySchema, orderOf(command), '');
  if (entry === null || issues.length > 0) return refusal(issues);
  const found = present(state.channels).find(
    ({ id, ref }) => ref === entry.channel || id === entry.channel,
  );
  if (entry.scope === 'account' && entry.channel !== undefined) {
    const problem = { code: 'channelOfAccountKey', params: {} } as const;
    return refusal([{ path: 'channel', problem }]);
  }
  if (entry.scope === 'channel' && found === undefined) {
    return refusal([{ path: 'channel', problem: absentChannel(entry.channel) }]);
  }
  const { key, token } = newKey(state, command, { entry, channelId: found?.id ?? null, context });
  const output = { id: key.id, token, prefix: key.prefix, scope: key.scope };
  // A repeated command: the key exists already.
  if (state.keys.some(({ id }) => id === key.id)) return answer(201, output);
  if (isExpired(key, context.now)) {
    return refusal([{ path: 'expiresAt', problem: { code: 'notAhead', params: {} } }]);
  }
  const known = withFreeSlot(state.keys, context.now);
  if (!known) {
    const problem = { code: 'full', params: { most: KEYS_MAX_PER_ORGANIZATION } } as const;
    return refusal([{ path: 'keys', problem }]);
  }
  const keys = [...known, key];
  return {
    ...answer(201, output),
    next: { ...state, keys, version: state.version + 1 },
    ...claimsBetween(state.keys, keys, []),
  };
}

/** What is left out, or null, is not there for the schema. */
function orderOf({ name, scope, channel, access, expiresAt, assistant }: CreateKeyCommand) {
  const optional = Object.entries({ channel, access, expiresAt, assistant });
  return { name, scope, ...Object.fromEntries(optional.filter(([, value]) => value != null)) };
}

interface NewKey {
  readonly entry: OrderedKey;
  readonly channelId: string | null;
  readonly context: OrganizationContext;
}

function newKey(
  { id: orgId }: OrganizationState,
  { id, seed }: CreateKeyCommand,
  { entry, channelId, context: { ids, now } }: NewKey,
): { readonly key: KeyEntry; readonly token: string } {
  const { digest } = ids;
  const token = tokenOf({ seed, digest }, orgId, id);
  const { name, scope, access = ACCESS_DEFAULT, expiresAt, assistant = false } = entry;
  const endsAt = expiresAt === undefined ? null : Date.parse(expiresAt);
  const key: KeyEntry = {
    ...{ id, ref: id, name, scope, channelId },
    ...{ digest: digest(token), prefix: prefixOf(token), createdAt: now, revokedAt: null },
    ...storedTerms({ access, expiresAt: endsAt, assistant }),
  };
  return { key, token };
}

function absentChannel(name: string | undefined): Problem {
  return name === undefined
    ? { code: 'required', params: {} }
    : { code: 'noChannel', params: { name } };
}

/** A repeated revocation answers the time of the first one. */
function decideRevokeKey(state: OrganizationState, keyId: string, now: number) {
  const key = state.keys.find(({ id }) => id === keyId);
  if (!key) return answer(404, { error: `There is no key "${keyId}".` });
  const revoked = revoke(key, now);
  const output = { id: key.id, revokedAt: timestamp(revoked.revokedAt ?? now) };
  if (!isLive(key)) return answer(200, output);
  const keys = state.keys.map((other) => (other.id === keyId ? revoked : other));
  return {
    ...answer(200, output),
    next: { ...state, keys, version: state.version + 1 },
    releases: claimsBetween(state.keys, keys, []).releases,
  };
}

function applyAnswer(
  state: OrganizationState | null,
  command: ApplyCommand,
  context: OrganizationContext,
): OrganizationDecision {
  const { id, check, diff } = command;
  const decision = decideApply(state, command, context);
  if ('refused' in decision) return { ...refusal(decision.refused), ...decision };
  const { accepted, output, ...changes } = decision;
  const applied = { before: state, commandId: id, context };
  const audited = accepted && withAuditOf(applied, accepted);
  return {
    ...answer(200, output),
    ...changes,
    next: check || accepted === state ? null : audited,
    checked: check && diff === true ? { after: accepted } : null,
  };
}

function decideSaving(
  state: OrganizationState,
  command: SaveSubscriptionCommand,
  context: OrganizationContext,
): OrganizationDecision {
  const file = subscriptionFile(state, command);
  if (!file) return answer(404, { error: 'There is no such subscription.' });
  const isFull = state.subscriptions.length >= SUBSCRIPTIONS_MAX_PER_ORGANIZATION;
  if (isFull && !state.subscriptions.some(({ ref }) => ref === file.ref)) {
    const problem = { code: 'full', params: { most: SUBSCRIPTIONS_MAX_PER_ORGANIZATION } } as const;
    return refusal([{ path: 'subscriptions', problem }]);
  }
  const decision = decideApply(state, file.apply, context);
  if ('refused' in decision) return { ...UNCHANGED, ...refusal(issuesOfEntry(decision.refused)) };
  const { output: _lists, accepted, ...changes } = decision;
  const status = command.type === 'subscriptions.create' ? 201 : 200;
  const next = accepted === state ? null : accepted;
  return { ...answer(status, savedSubscription(file.ref, decision)), ...changes, next };
}

/** Decides any of the operator's commands on the stored organization (null: none). */
export function decideOrganization(
  state: OrganizationState | null,
  command: OrganizationCommand,
  context: OrganizationContext,
): OrganizationDecision {
  const decision = decideCommand(state, command, context);
  const what = decision.next && context.by ? auditOf(decision.next, command) : null;
  if (!decision.next || !what) return decision;
  return { ...decision, next: audited(decision.next, command, { context, ...what }) };
}

function decideCommand(
  state: OrganizationState | null,
  command: OrganizationCommand,
  context: OrganizationContext,
): OrganizationDecision {
  if (command.type === 'apply') {
    return applyAnswer(state, command, context);
  }
  if (state === null || state.removed === true) return answer(404, NOT_FOUND);
  switch (command.type) {
    case 'keys.create':
      return decideCreateKey(state, command, context);
    case 'keys.list':
      return answer(200, { data: listKeys(state, context), apiUrl: context.publicUrl });
    case 'keys.revoke':
      return decideRevokeKey(state, command.keyId, context.now);
    case 'subscriptions.list':
      return answer(200, {
        data: listSubscriptions(state),
        streams: listStreams(state, context.now),
      });
    case 'subscriptions.create':
    case 'subscriptions.change':
      return decideSaving(state, command, context);
    case 'subscriptions.rotate':
      return { ...UNCHANGED, ...decideRotation(state, command, context) };
    case 'subscriptions.enable':
      return { ...UNCHANGED, ...decideEnabling(state, command, context.now) };
    case 'members.invite':
    case 'members.role':
    case 'members.disable':
      return { ...UNCHANGED, ...decideMember(state, command, context) };
    case 'entries.list':
      return answer(200, { data: listEntries(state, command.list, context) });
    case 'export':
      return answer(200, { organization: exportOrganization(state) });
    default:
      return command satisfies never;
  }
}
