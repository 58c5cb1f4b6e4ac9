/**
 * Subscriptions of a provisioning file (D46). A new secret is a rotation: the previous one stays
 * valid in `webhook-signature` for a day.
 */
import { EVERY_CONTRACT_EVENT } from '../../../shared/events.ts';
import { SECRET_ROTATION_MS } from '../../../shared/limits.ts';
import { ENTRY_PREFIXES } from '../../../shared/provisioning/names.ts';
import { readOrganization } from '../../../shared/provisioning/organization.ts';
import type { ProvisionedSubscription } from '../../../shared/provisioning/schema.ts';
import { signingSecret } from '../../../shared/secret-locations.ts';
import { type Applying, required } from './context.ts';
import type { ListRules } from './entries.ts';
import type { OrganizationState, SubscriptionEntry } from './state.ts';

/** `whsec_` and base64 of 32 bytes from the command's seed. */
export function signingSecretOf(
  seeded: { readonly seed: string; readonly digest: (text: string) => string },
  subscriptionId: string,
): string {
  const bytes = seeded.digest(`signing ${seeded.seed} ${subscriptionId}`);
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
    .map((each) => ({
      ...each,
      until: each.until ?? now + SECRET_ROTATION_MS,
    }));
  return [{ sealed, until: null }, ...before.filter(({ until }) => until > now)];
}

function secretsOf(
  applying: Applying,
  given: string | undefined,
  { current, id }: { readonly current: SubscriptionEntry | null; readonly id: string },
): Secrets {
  const { open, seal, now, ids } = applying.context;
  const place = signingSecret(applying.orgId, id);
  const newest = current?.secrets[0];
  if (current === null || newest === undefined) {
    const secret = given ?? signingSecretOf({ seed: applying.seed, digest: ids.digest }, id);
    return [{ sealed: seal(secret, place), until: null }];
  }
  if (given === undefined || open(newest.sealed, place) === given) return current.secrets;
  const opens = (sealed: string): boolean => open(sealed, place) !== null;
  return rotatedSecrets(current.secrets, seal(given, place), { now, opens });
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
  return {
    prefix: ENTRY_PREFIXES.subscriptions,
    build({ path, entry }, current, id) {
      const url = required(applying, `${path}.url`, entry.url ?? current?.url);
      if (url === null) return null;
      const moved = url !== current?.url;
      const refusal = moved ? applying.context.refuseUrl(url) : null;
      if (refusal !== null) applying.issues.push({ path: `${path}.url`, message: refusal });
      // A new address has not failed yet: a subscription that the service disabled is enabled
      // again.
      const restored = moved && current?.disabledReason != null ? true : current?.enabled;
      const enabled = entry.enabled ?? restored ?? true;
      const enabledAt =
        enabled && current?.enabled === false ? applying.context.now : current?.enabledAt;
      return {
        id,
        ref: entry.ref,
        url,
        events: entry.events
          ? [...new Set(entry.events)]
          : (current?.events ?? [EVERY_CONTRACT_EVENT]),
        secrets: secretsOf(applying, entry.secret, { current, id }),
        enabled,
        disabledReason: enabled ? null : (current?.disabledReason ?? null),
        ...(enabledAt === undefined ? {} : { enabledAt }),
        createdAt: current?.createdAt ?? applying.context.now,
      };
    },
    retire: (current) => ({ ...current, removed: true, enabled: false }),
  };
}
