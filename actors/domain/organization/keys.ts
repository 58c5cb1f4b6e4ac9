/**
 * Keys of an organization (C5, D31, D32).
 *
 * 1. Only a digest is stored; a token is shown when its key is created and never again.
 * 2. A key revoked by its id stays revoked when a file repeats its entry. Another token makes the
 *    ref a live key again, and so does a removal of the entry before.
 * 3. A new token in a file replaces the stored one: the old token is refused from the commit on.
 * 4. A key that has expired is refused as a revoked one is, and keeps its token: a file that gives
 *    it a later end makes it good again.
 */
import { entryId } from '../../../shared/entity-ids.ts';
import { KEY_PREFIX_CHARS, KEYS_MAX_PER_ORGANIZATION } from '../../../shared/limits.ts';
import { ENTRY_PREFIXES } from '../../../shared/provisioning/names.ts';
import type { EntryAtPath } from '../../../shared/provisioning/organization.ts';
import type { ProvisionedKey } from '../../../shared/provisioning/schema.ts';
import {
  type ChannelEntry,
  type KeyEntry,
  type KeyTerms,
  storedTerms,
  termsOf,
} from '../organization.ts';
import {
  type Applying,
  type Claim,
  channelNamed,
  type ListRules,
  required,
  type Seeded,
} from './context.ts';

/**
 * These characters identify the organization of a leaked key; the shown prefix adds three of the
 * secret.
 */
const ORGANIZATION_PART_CHARS = 4;

/** `rcd_<organization part>_<secret>`: 256 bits from the command's seed. */
export function tokenOf({ seed, digest }: Seeded, orgId: string, keyId: string): string {
  const part = orgId.split('_').at(-1)?.slice(0, ORGANIZATION_PART_CHARS) ?? '';
  // `-` and `_` would break a selection by double click; 5.9 bits per character remain.
  const secret = digest(`token ${seed} ${keyId}`).replace(/[-_]/g, 'x');
  return `rcd_${part}_${secret}`;
}

export function prefixOf(token: string): string {
  return [...token].slice(0, KEY_PREFIX_CHARS).join('');
}

/** Neither revoked nor removed; it may have expired. */
export function isLive(key: KeyEntry): boolean {
  return key.revokedAt === null && key.removed !== true;
}

/** @param now epoch milliseconds */
export function isExpired({ expiresAt }: Pick<KeyEntry, 'expiresAt'>, now: number): boolean {
  return expiresAt !== undefined && expiresAt <= now;
}

/** A live key of a provisioning file; a key of `keys create` has its id as ref. */
export function isOfFile(key: KeyEntry): boolean {
  return isLive(key) && key.ref !== key.id;
}

export function revoke(key: KeyEntry, now: number): KeyEntry {
  return { ...key, revokedAt: key.revokedAt ?? now };
}

/**
 * The keys with room for one more, without the oldest one that is revoked or has expired; null
 * where all are needed.
 */
export function withFreeSlot(keys: readonly KeyEntry[], now: number): readonly KeyEntry[] | null {
  if (keys.length < KEYS_MAX_PER_ORGANIZATION) return keys;
  const isOver = (key: KeyEntry) => !isLive(key) || isExpired(key, now);
  const oldest = keys.find((key) => isOver(key) && key.ref === key.id);
  return oldest ? keys.filter((key) => key !== oldest) : null;
}

function secretOf(
  applying: Applying,
  token: string | undefined,
  { current, id }: { readonly current: KeyEntry | null; readonly id: string },
): Pick<KeyEntry, 'digest' | 'prefix' | 'revokedAt'> {
  const { digest } = applying.context.ids;
  if (current && (token === undefined || digest(token) === current.digest)) return current;
  const given = token ?? tokenOf({ seed: applying.seed, digest }, applying.orgId, id);
  return { digest: digest(given), prefix: prefixOf(given), revokedAt: null };
}

function channelOf(
  applying: Applying,
  { path, entry }: EntryAtPath<ProvisionedKey>,
  known: { readonly current: KeyEntry | null; readonly channels: readonly ChannelEntry[] },
): string | null {
  const scope = entry.scope ?? known.current?.scope;
  if (scope === undefined) return null;
  const at = `${path}.channel`;
  if (scope === 'account') {
    if (typeof entry.channel === 'string') {
      applying.issues.push({ path: at, problem: { code: 'channelOfAccountKey', params: {} } });
    }
    return null;
  }
  if (typeof entry.channel === 'string') {
    return channelNamed(applying, known.channels, { path: at, entry: entry.channel });
  }
  const channelId = entry.channel === null ? null : (known.current?.channelId ?? null);
  if (channelId === null) {
    applying.issues.push({ path: at, problem: { code: 'channelRequired', params: {} } });
  }
  return channelId;
}

/** What the file leaves out stays. */
function wantedTerms(entry: ProvisionedKey, current: KeyEntry | null): KeyTerms {
  const known = termsOf(current ?? {});
  const { access = known.access, assistant = known.assistant, expiresAt } = entry;
  if (expiresAt === undefined) return { ...known, access, assistant };
  return { access, assistant, expiresAt: expiresAt === null ? null : Date.parse(expiresAt) };
}

export function keyRules(
  applying: Applying,
  channels: readonly ChannelEntry[],
): ListRules<ProvisionedKey, KeyEntry> {
  return {
    makeId: (ids, entry) => entryId(ids, ENTRY_PREFIXES.keys, entry),
    build(wanted, current, id) {
      const { path, entry } = wanted;
      const name = required(applying, `${path}.name`, entry.name ?? current?.name);
      const scope = required(applying, `${path}.scope`, entry.scope ?? current?.scope);
      const channelId = channelOf(applying, wanted, { current, channels });
      if (name === null || scope === null) return null;
      const { digest, prefix, revokedAt } = secretOf(applying, entry.token, { current, id });
      const createdAt = current?.createdAt ?? applying.context.now;
      return {
        ...{ id, ref: entry.ref, name, scope, channelId, digest, prefix, createdAt, revokedAt },
        ...storedTerms(wantedTerms(entry, current)),
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
  const paths = new Map(wanted.map(({ path, entry }) => [entry.ref, path]));
  for (const key of keys.filter(isLive)) {
    const first = refs.get(key.digest);
    if (first !== undefined) {
      const path = paths.get(key.ref) ?? paths.get(first) ?? 'keys';
      const problem = { code: 'tokenRepeated', params: {} } as const;
      applying.issues.push({ path: `${path}.token`, problem });
    }
    refs.set(key.digest, key.ref);
  }
}

/** Digests that are newly in use, and those that no live key uses any more. */
export interface ClaimChanges {
  /** A digest that another key holds is a problem at its `path`. */
  readonly claims: readonly Claim[];
  readonly releases: readonly Claim[];
}

export function claimsBetween(
  before: readonly KeyEntry[],
  after: readonly KeyEntry[],
  wanted: readonly EntryAtPath<ProvisionedKey>[],
): ClaimChanges {
  const paths = new Map(wanted.map(({ path, entry }) => [entry.ref, path]));
  const claimed = (keys: readonly KeyEntry[]): Map<string, Claim> =>
    new Map(
      keys.filter(isLive).map(({ id: keyId, ref, digest }) => {
        const path = `${paths.get(ref) ?? 'keys'}.token`;
        return [`${digest} ${keyId}`, { digest, keyId, path }];
      }),
    );
  const old = claimed(before);
  const current = claimed(after);
  return {
    claims: [...current].filter(([name]) => !old.has(name)).map(([, claim]) => claim),
    releases: [...old].filter(([name]) => !current.has(name)).map(([, claim]) => claim),
  };
}
