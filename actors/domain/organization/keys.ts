/**
 * Keys of an organization (C5, D31, D32).
 *
 * 1. Only a digest is stored; a token is shown when its key is created and never again.
 * 2. A key revoked by its id stays revoked when a file repeats its entry. Another token makes the
 *    ref a live key again, and so does a removal of the entry before.
 * 3. A new token in a file replaces the stored one: the old token is refused from the commit on.
 */
import { KEY_PREFIX_CHARS } from '../../../shared/limits.ts';
import { ENTRY_PREFIXES } from '../../../shared/provisioning/names.ts';
import type { EntryAtPath } from '../../../shared/provisioning/organization.ts';
import type { ProvisionedKey } from '../../../shared/provisioning/schema.ts';
import { type Applying, type Claim, channelNamed, required } from './context.ts';
import type { ListRules } from './entries.ts';
import type { ChannelEntry, KeyEntry } from './state.ts';

/**
 * Four characters identify the organization of a leaked key. The shown prefix of twelve adds three
 * characters of the secret.
 */
const ORGANIZATION_PART_CHARS = 4;

/** `rcd_<organization part>_<secret>`: 256 bits from the command's seed. */
export function tokenOf(
  seeded: { readonly seed: string; readonly digest: (text: string) => string },
  orgId: string,
  keyId: string,
): string {
  const part = orgId.split('_').at(-1)?.slice(0, ORGANIZATION_PART_CHARS) ?? '';
  // `-` and `_` would break a selection by double click; 5.9 bits per character remain.
  const secret = seeded.digest(`token ${seeded.seed} ${keyId}`).replace(/[-_]/g, 'x');
  return `rcd_${part}_${secret}`;
}

export function prefixOf(token: string): string {
  return [...token].slice(0, KEY_PREFIX_CHARS).join('');
}

/** Whether the key is valid now. */
export function isLive(key: KeyEntry): boolean {
  return key.revokedAt === null && key.removed !== true;
}

/** A live key of a provisioning file; a key of `keys create` has its id as ref. */
export function isOfFile(key: KeyEntry): boolean {
  return isLive(key) && key.ref !== key.id;
}

export function revoke(key: KeyEntry, now: number): KeyEntry {
  return { ...key, revokedAt: key.revokedAt ?? now };
}

interface Secret {
  readonly digest: string;
  readonly prefix: string;
  readonly revokedAt: number | null;
}

function secretOf(
  applying: Applying,
  token: string | undefined,
  { current, id }: { readonly current: KeyEntry | null; readonly id: string },
): Secret {
  const { ids } = applying.context;
  if (current && (token === undefined || ids.digest(token) === current.digest)) return current;
  const given = token ?? tokenOf({ seed: applying.seed, digest: ids.digest }, applying.orgId, id);
  return { digest: ids.digest(given), prefix: prefixOf(given), revokedAt: null };
}

function channelOf(
  applying: Applying,
  { path, entry }: EntryAtPath<ProvisionedKey>,
  known: { readonly current: KeyEntry | null; readonly channels: readonly ChannelEntry[] },
): string | null {
  const scope = entry.scope ?? known.current?.scope;
  if (scope === undefined) return null;
  const at = `${path}.channel`;
  if (typeof entry.channel === 'string') {
    if (scope === 'account') {
      applying.issues.push({ path: at, message: 'is not for a key of the scope account' });
      return null;
    }
    return channelNamed(applying, known.channels, { path: at, entry: entry.channel }) ?? null;
  }
  if (scope === 'account') return null;
  const kept = entry.channel === null ? null : (known.current?.channelId ?? null);
  if (kept === null) {
    applying.issues.push({ path: at, message: 'is required for a key of the scope channel' });
  }
  return kept;
}

export function keyRules(
  applying: Applying,
  channels: readonly ChannelEntry[],
): ListRules<ProvisionedKey, KeyEntry> {
  return {
    prefix: ENTRY_PREFIXES.keys,
    build(wanted, current, id) {
      const { path, entry } = wanted;
      const name = required(applying, `${path}.name`, entry.name ?? current?.name);
      const scope = required(applying, `${path}.scope`, entry.scope ?? current?.scope);
      const channelId = channelOf(applying, wanted, { current, channels });
      if (name === null || scope === null) return null;
      const { digest, prefix, revokedAt } = secretOf(applying, entry.token, { current, id });
      return {
        id,
        ref: entry.ref,
        name,
        scope,
        channelId,
        digest,
        prefix,
        createdAt: current?.createdAt ?? applying.context.now,
        revokedAt,
      };
    },
    retire: (current) => ({ ...revoke(current, applying.context.now), removed: true }),
  };
}

/** Two live keys with one token: the later one in the file is the problem. */
export function refuseSharedTokens(
  applying: Applying,
  keys: readonly KeyEntry[],
  wanted: readonly EntryAtPath<ProvisionedKey>[],
): void {
  const refs = new Map<string, string>();
  const places = new Map(wanted.map(({ path, entry }) => [entry.ref, path]));
  for (const key of keys.filter(isLive)) {
    const first = refs.get(key.digest);
    if (first !== undefined) {
      const path = places.get(key.ref) ?? places.get(first) ?? 'keys';
      applying.issues.push({ path: `${path}.token`, message: 'is already the token of a key' });
    }
    refs.set(key.digest, key.ref);
  }
}

/** Digests that are newly in use, and those that no live key uses any more. */
export function claimsBetween(
  before: readonly KeyEntry[],
  after: readonly KeyEntry[],
  wanted: readonly EntryAtPath<ProvisionedKey>[],
): { readonly claims: readonly Claim[]; readonly releases: readonly Claim[] } {
  const places = new Map(wanted.map(({ path, entry }) => [entry.ref, path]));
  const claimed = (keys: readonly KeyEntry[]): Map<string, Claim> =>
    new Map(
      keys.filter(isLive).map((key) => [
        `${key.digest} ${key.id}`,
        {
          digest: key.digest,
          keyId: key.id,
          path: `${places.get(key.ref) ?? 'keys'}.token`,
        },
      ]),
    );
  const old = claimed(before);
  const current = claimed(after);
  return {
    claims: [...current].filter(([name]) => !old.has(name)).map(([, claim]) => claim),
    releases: [...old].filter(([name]) => !current.has(name)).map(([, claim]) => claim),
  };
}
