/** What the decisions about an organization are given, so that they stay pure. */
import type { Issue } from '../../../shared/failures.ts';
import type { Ids, SecretLocation, Vault } from '../../../shared/ports.ts';
import type { EntryAtPath } from '../../../shared/provisioning/organization.ts';
import { unknownName } from '../unknown-name.ts';

export interface OrganizationContext {
  /** Epoch milliseconds. */
  readonly now: number;
  readonly ids: Ids;
  /** `{base_url}`, without a trailing slash. */
  readonly publicUrl: string;
  /** Stored secrets are encrypted at rest, each bound to its place: the vault's. */
  readonly seal: Vault['seal'];
  /** Null for what another key has sealed, which was lost: it is no secret that is given now. */
  readonly open: (sealed: string, place: SecretLocation) => string | null;
  /** Why deliveries to `url` are refused, or null: looked up before the decision for each of
   * `urlsToCheck`. */
  readonly refuseUrl: (url: string) => string | null;
  /** Stored tags: those that `tagsToCheck` names, and others to choose from where one is not. */
  readonly tags: readonly string[];
}

/** One `recado apply` under way: who asks, what is known, and the problems found so far. */
export interface Applying {
  readonly orgId: string;
  readonly country: string;
  /** The command's secret randomness. */
  readonly seed: string;
  readonly context: OrganizationContext;
  /** The organization as it is written, also where something is wrong with it. */
  readonly raw: unknown;
  /** Paths relative to the organization. */
  readonly issues: Issue[];
  /** Ids of what this command makes. */
  readonly created: string[];
}

/** A key's digest and the key whose it is; `path` is the file's property to blame for it. */
export interface Claim {
  readonly digest: string;
  readonly keyId: string;
  readonly path: string;
}

/** The value, or null with a problem where it is missing. */
export function required<T>(applying: Applying, path: string, value: T | undefined): T | null {
  if (value !== undefined) return value;
  applying.issues.push({ path, message: 'is required for a new entry' });
  return null;
}

/** The channel that a ref names, null for none, undefined (with a problem) where there is none. */
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
