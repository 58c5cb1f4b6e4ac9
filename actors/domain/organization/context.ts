/** Facts for the decisions about an organization, which stay pure. */
import type { Issue } from '../../../shared/failures.ts';
import type { Ids } from '../../../shared/ports/ids.ts';
import type { SecretLocation, Vault } from '../../../shared/ports/vault.ts';
import type { EntryAtPath } from '../../../shared/provisioning/organization.ts';
import { unknownName } from '../unknown-name.ts';

export interface OrganizationContext {
  /** Epoch milliseconds. */
  readonly now: number;
  readonly ids: Ids;
  /** `{base_url}`, without a trailing slash. */
  readonly publicUrl: string;
  /** The vault's: encrypts a secret for storage, bound to its place. */
  readonly seal: Vault['seal'];
  /** Null for a value that a lost key has sealed: it equals no given secret. */
  readonly open: (sealed: string, place: SecretLocation) => string | null;
  /**
   * Why deliveries to `url` are refused, or null. The caller resolves each of `urlsToCheck` before
   * the decision.
   */
  readonly refuseUrl: (url: string) => string | null;
  /** Stored tags: those of `tagsToCheck`, and candidates to suggest where one is missing. */
  readonly tags: readonly string[];
}

/** One `recado apply` under way: the organization, the facts, and the problems found so far. */
export interface Applying {
  readonly orgId: string;
  readonly country: string;
  /** The command's secret randomness. */
  readonly seed: string;
  readonly context: OrganizationContext;
  /** The organization as written, even where it is invalid. */
  readonly raw: unknown;
  /** Paths relative to the organization. */
  readonly issues: Issue[];
  /** Ids of entries that this command creates. */
  readonly created: string[];
}

/** A key's digest and id; `path` is the file's property to which a problem refers. */
export interface Claim {
  readonly digest: string;
  readonly keyId: string;
  readonly path: string;
}

/** The value; where it is missing, null and a problem. */
export function required<T>(applying: Applying, path: string, value: T | undefined): T | null {
  if (value !== undefined) return value;
  applying.issues.push({ path, message: 'is required for a new entry' });
  return null;
}

/** Id of the channel that a ref names; where there is none, undefined and a problem. */
export function channelNamed(
  applying: Applying,
  channels: readonly { readonly id: string; readonly ref: string; readonly removed?: boolean }[],
  named: EntryAtPath<string>,
): string | undefined {
  const live = channels.filter(({ removed }) => removed !== true);
  const channel = live.find(({ ref }) => ref === named.entry);
  if (channel) return channel.id;
  const known = live.map(({ ref }) => ref);
  const message = unknownName('channel', named.entry, known);
  applying.issues.push({ path: named.path, message });
  return undefined;
}
