/**
 * The operator's commands on one subscription (D42, D46): secret rotation, and enabling.
 *
 * 1. The secret derives from the command's seed: a repeated command makes the same one and does not
 *    rotate again.
 * 2. After a rotation each earlier secret stays valid for its own 24 h in `webhook-signature`.
 * 3. Enabling begins with a fresh breaker and sends no parked delivery. On an enabled subscription
 *    it changes nothing: the breaker keeps what it has parked.
 */
import { SECRET_ROTATION_MS } from '../../shared/limits.ts';
import type {
  EnableSubscriptionCommand,
  RotateSecretCommand,
} from '../../shared/provisioning/commands.ts';
import { signingSecret } from '../../shared/secret-locations.ts';
import type { OrganizationContext } from './organization/context.ts';
import type { OrganizationState, SubscriptionEntry } from './organization/state.ts';
import { rotatedSecrets, signingSecretOf } from './organization/subscriptions.ts';

export interface SubscriptionDecision {
  readonly status: number;
  readonly body: unknown;
  readonly next: OrganizationState | null;
}

function present(state: OrganizationState, id: string): SubscriptionEntry | undefined {
  return state.subscriptions.find((entry) => entry.id === id && entry.removed !== true);
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
  const entry = present(state, subscriptionId);
  const newest = entry?.secrets[0];
  if (!entry || !newest) return absent(subscriptionId);
  const secret = signingSecretOf({ seed, digest: ids.digest }, entry.id);
  const place = signingSecret(state.id, entry.id);
  const done = open(newest.sealed, place) === secret;
  const opens = (sealed: string): boolean => open(sealed, place) !== null;
  const rotated = () => rotatedSecrets(entry.secrets, seal(secret, place), { now, opens });
  const secrets = done ? entry.secrets : rotated();
  const until = secrets[1]?.until ?? now + SECRET_ROTATION_MS;
  const body = { id: entry.id, secret, previousValidUntil: new Date(until).toISOString() };
  return { status: 200, body, next: done ? null : withEntry(state, { ...entry, secrets }) };
}

export function decideEnabling(
  state: OrganizationState,
  { subscriptionId }: EnableSubscriptionCommand,
  now: number,
): SubscriptionDecision {
  const entry = present(state, subscriptionId);
  if (!entry) return absent(subscriptionId);
  const body = { id: entry.id, enabled: true };
  if (entry.enabled) return { status: 200, body, next: null };
  const enabled = { ...entry, enabled: true, disabledReason: null, enabledAt: now };
  return { status: 200, body, next: withEntry(state, enabled) };
}
