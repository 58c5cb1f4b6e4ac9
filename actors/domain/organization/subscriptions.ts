/**
 * Subscriptions of a provisioning file, and the operator's commands on one of them (D42, D46):
 * rotation of its secret, and enabling.
 *
 * 1. The secret derives from the command's seed: a repeated command makes the same one and does not
 *    rotate again.
 * 2. After a rotation each earlier secret stays valid for its own 24 h in `webhook-signature`.
 * 3. A secret of the caller's own that no library verifies with is refused; a stored one goes on.
 * 4. Enabling begins with a fresh breaker and sends no parked delivery. On an enabled subscription
 *    it changes nothing: the breaker keeps what it has parked.
 */
import { entryId, signingSecret } from '../../../shared/entity-ids.ts';
import { EVERY_CONTRACT_EVENT } from '../../../shared/events.ts';
import { SECRET_ROTATION_MS } from '../../../shared/limits.ts';
import type {
  EnableSubscriptionCommand,
  RotateSecretCommand,
} from '../../../shared/provisioning/commands.ts';
import { ENTRY_PREFIXES } from '../../../shared/provisioning/names.ts';
import { type EntryAtPath, readOrganization } from '../../../shared/provisioning/organization.ts';
import type { ProvisionedSubscription } from '../../../shared/provisioning/schema.ts';
import { isVerifiable, UNVERIFIABLE_SECRET } from '../../../shared/provisioning/signing-secret.ts';
import { timestamp } from '../../../shared/wire/outbox.ts';
import { type OrganizationState, present, type SubscriptionEntry } from '../organization.ts';
import {
  type Applying,
  type ListRules,
  type OrganizationContext,
  required,
  type Seeded,
} from './context.ts';

/** `whsec_` and base64 of 32 bytes from the command's seed. */
export function signingSecretOf({ seed, digest }: Seeded, subscriptionId: string): string {
  const bytes = digest(`signing ${seed} ${subscriptionId}`);
  return `whsec_${bytes.replaceAll('-', '+').replaceAll('_', '/')}=`;
}

type Secrets = SubscriptionEntry['secrets'];

/**
 * Secrets after a rotation, newest first. The previous one stays valid for a day, older ones until
 * their `until`. Secrets that the vault cannot open are dropped.
 */
export function rotatedSecrets(
  secrets: Secrets,
  sealed: string,
  { now, opens }: { readonly now: number; readonly opens: (sealed: string) => boolean },
): Secrets {
  const before = secrets
    .filter((each) => opens(each.sealed))
    .map((each) => ({ ...each, until: each.until ?? now + SECRET_ROTATION_MS }));
  return [{ sealed, until: null }, ...before.filter(({ until }) => until > now)];
}

function secretsOf(
  applying: Applying,
  { path, entry: { secret: given } }: EntryAtPath<ProvisionedSubscription>,
  { current, id }: { readonly current: SubscriptionEntry | null; readonly id: string },
): Secrets {
  const { open, seal, now, ids } = applying.context;
  const location = signingSecret(applying.orgId, id);
  const newest = current?.secrets[0];
  const isKnown = given !== undefined && newest && open(newest.sealed, location) === given;
  if (given !== undefined && !isKnown && !isVerifiable(given)) {
    applying.issues.push({ path: `${path}.secret`, problem: UNVERIFIABLE_SECRET });
  }
  if (current === null || newest === undefined) {
    const secret = given ?? signingSecretOf({ seed: applying.seed, digest: ids.digest }, id);
    return [{ sealed: seal(secret, location), until: null }];
  }
  if (given === undefined || isKnown) return current.secrets;
  const opens = (sealed: string): boolean => open(sealed, location) !== null;
  return rotatedSecrets(current.secrets, seal(given, location), { now, opens });
}

/** The URLs that `refuseUrl` has to know: new and changed ones. */
export function urlsToCheck(state: OrganizationState | null, organization: unknown): string[] {
  const stored = new Map(state?.subscriptions.map((entry) => [entry.ref, entry]));
  const declared = readOrganization(organization).organization?.subscriptions ?? [];
  return declared.flatMap(({ entry }) => {
    const known = stored.get(entry.ref);
    const unchanged = known && known.removed !== true && known.url === entry.url;
    return entry.url === undefined || entry.remove === true || unchanged ? [] : [entry.url];
  });
}

export function subscriptionRules(
  applying: Applying,
): ListRules<ProvisionedSubscription, SubscriptionEntry> {
  const { now, refuseUrl } = applying.context;
  return {
    makeId: (ids, entry) => entryId(ids, ENTRY_PREFIXES.subscriptions, entry),
    build({ path, entry }, current, id) {
      const url = required(applying, `${path}.url`, entry.url ?? current?.url);
      if (url === null) return null;
      const moved = url !== current?.url;
      const refusal = moved ? refuseUrl(url) : null;
      if (refusal !== null) {
        const problem = { code: 'foreign', params: { text: refusal } } as const;
        applying.issues.push({ path: `${path}.url`, problem });
      }
      // A new address has not failed yet: the service's own disabling ends.
      const restored = moved && current?.disabledReason != null ? true : current?.enabled;
      const enabled = entry.enabled ?? restored ?? true;
      const enabledAt = enabled && current?.enabled === false ? now : current?.enabledAt;
      const events = entry.events && [...new Set(entry.events)];
      return {
        id,
        ref: entry.ref,
        url,
        events: events ?? current?.events ?? [EVERY_CONTRACT_EVENT],
        secrets: secretsOf(applying, { path, entry }, { current, id }),
        enabled,
        disabledReason: enabled ? null : (current?.disabledReason ?? null),
        ...(enabledAt === undefined ? {} : { enabledAt }),
        createdAt: current?.createdAt ?? now,
      };
    },
    retire: (current) => ({ ...current, removed: true, enabled: false }),
  };
}

export interface SubscriptionDecision {
  readonly status: number;
  readonly body: unknown;
  readonly next: OrganizationState | null;
}

function entryOf(state: OrganizationState, subscriptionId: string): SubscriptionEntry | undefined {
  return present(state.subscriptions).find(({ id }) => id === subscriptionId);
}

function absent(id: string): SubscriptionDecision {
  return { status: 404, body: { error: `There is no subscription "${id}".` }, next: null };
}

function withEntry(state: OrganizationState, entry: SubscriptionEntry): OrganizationState {
  const subscriptions = state.subscriptions.map((each) => (each.id === entry.id ? entry : each));
  return { ...state, subscriptions, version: state.version + 1 };
}

/** Answers the new secret, this once, and the time until which the previous one is valid. */
export function decideRotation(
  state: OrganizationState,
  { subscriptionId, seed }: RotateSecretCommand,
  { ids, seal, open, now }: OrganizationContext,
): SubscriptionDecision {
  const entry = entryOf(state, subscriptionId);
  const newest = entry?.secrets[0];
  if (!entry || !newest) return absent(subscriptionId);
  const secret = signingSecretOf({ seed, digest: ids.digest }, entry.id);
  const location = signingSecret(state.id, entry.id);
  const done = open(newest.sealed, location) === secret;
  const opens = (sealed: string): boolean => open(sealed, location) !== null;
  const rotated = () => rotatedSecrets(entry.secrets, seal(secret, location), { now, opens });
  const secrets = done ? entry.secrets : rotated();
  const until = secrets[1]?.until ?? now + SECRET_ROTATION_MS;
  const body = { id: entry.id, secret, previousValidUntil: timestamp(until) };
  return { status: 200, body, next: done ? null : withEntry(state, { ...entry, secrets }) };
}

export function decideEnabling(
  state: OrganizationState,
  { subscriptionId }: EnableSubscriptionCommand,
  now: number,
): SubscriptionDecision {
  const entry = entryOf(state, subscriptionId);
  if (!entry) return absent(subscriptionId);
  const body = { id: entry.id, enabled: true };
  if (entry.enabled) return { status: 200, body, next: null };
  const enabled = { ...entry, enabled: true, disabledReason: null, enabledAt: now };
  return { status: 200, body, next: withEntry(state, enabled) };
}
