/**
 * Facts for the decisions about an organization, which stay pure, and the merge of one list of a
 * provisioning file into it.
 *
 * 1. An entry is identified by its `ref`, and keeps its id over all runs, even after its removal.
 * 2. Entries that the file omits or repeats keep the identity of their objects.
 */
import type { Ids } from '../../../shared/ports/ids.ts';
import type { SecretLocation, Vault } from '../../../shared/ports/vault.ts';
import type { ProblemAt } from '../../../shared/problems/provisioning.ts';
import { unknownName } from '../../../shared/provisioning/nearest.ts';
import type { EntryAtPath } from '../../../shared/provisioning/organization.ts';
import type { ActingPerson } from '../../../shared/wire/audit.ts';
import { isSame } from '../is-same.ts';
import { type Entry, present } from '../organization.ts';

export interface OrganizationContext {
  /** Epoch milliseconds. */
  readonly now: number;
  readonly ids: Ids;
  /** `{base_url}`, without a trailing slash. */
  readonly publicUrl: string;
  /** The vault's: encrypts a secret for storage, bound to its place. */
  readonly seal: Vault['seal'];
  /** Null for a value that a lost key has sealed: it equals no given secret. */
  readonly open: (sealed: string, location: SecretLocation) => string | null;
  /** The author of the change in the audit log; absent where a program asks. */
  readonly by?: ActingPerson;
  /** Of the headers of deliveries. */
  readonly eventHeaderPrefix: string;
  /** Why deliveries to `url`, one of the resolved `urlsToCheck`, are refused, or null. */
  readonly refuseUrl: (url: string) => string | null;
  /** Epoch milliseconds of a key's last use; null for one that was never used. */
  readonly lastUsedAt: (keyId: string) => number | null;
  /** Stages without a place for their deals (`stagesToCheck`) that have some. */
  readonly stagesWithDeals: ReadonlySet<string>;
  /** Stored tags: those of `tagsToCheck`, and candidates to suggest where one is missing. */
  readonly tags: readonly string[];
}

/** One `recado apply` under way: the organization, the facts, and the problems found so far. */
export interface Applying {
  readonly orgId: string;
  readonly country: string;
  readonly commandId: string;
  /** The command's secret randomness. */
  readonly seed: string;
  readonly context: OrganizationContext;
  /** The organization as written, even where it is invalid. */
  readonly raw: unknown;
  /** Paths relative to the organization. */
  readonly issues: ProblemAt[];
  /** Ids of entries that this command creates. */
  readonly created: string[];
}

/** Randomness of a command, from which its secrets derive. */
export type Seeded = { readonly seed: string; readonly digest: Ids['digest'] };

/** A key's digest and id; `path` is the file's property to which a problem refers. */
export interface Claim {
  readonly digest: string;
  readonly keyId: string;
  readonly path: string;
}

/** The value; where it is missing, null and a problem. */
export function required<T>(applying: Applying, path: string, value: T | undefined): T | null {
  if (value !== undefined) return value;
  applying.issues.push({ path, problem: { code: 'requiredForNew', params: {} } });
  return null;
}

/** Id of the channel that a ref names; where there is none, null and a problem. */
export function channelNamed(
  applying: Applying,
  channels: readonly Entry[],
  { path, entry: name }: EntryAtPath<string>,
): string | null {
  const known = present(channels);
  const channel = known.find(({ ref }) => ref === name);
  if (channel) return channel.id;
  const refs = known.map(({ ref }) => ref);
  applying.issues.push({ path, problem: unknownName('channel', name, refs) });
  return null;
}

/** An entry of the file. */
export type WantedEntry = { readonly ref: string; readonly remove?: boolean };

export interface ListRules<W extends WantedEntry, E extends Entry> {
  /** The id of a new entry; the same for the same entry. */
  makeId(ids: Ids, entry: { readonly orgId: string; readonly ref: string }): string;
  /** The entry to store, or null where a problem was found. `current` is null for a new one. */
  build(wanted: EntryAtPath<W>, current: E | null, id: string): E | null;
  retire(current: E): E;
}

/** The list with the file's entries applied, new ones last. */
export function applyList<W extends WantedEntry, E extends Entry>(
  applying: Applying,
  [stored, wanted]: readonly [readonly E[], readonly EntryAtPath<W>[]],
  rules: ListRules<W, E>,
): readonly E[] {
  const entries = new Map(stored.map((entry) => [entry.ref, entry]));
  for (const each of wanted) {
    const { ref, remove } = each.entry;
    const known = entries.get(ref);
    const current = known && known.removed !== true ? known : null;
    if (remove === true) {
      if (current) entries.set(ref, rules.retire(current));
      continue;
    }
    const { context, orgId } = applying;
    const id = known?.id ?? rules.makeId(context.ids, { orgId, ref });
    const built = rules.build(each, current, id);
    if (built === null || isSame(built, current)) continue;
    if (current === null) applying.created.push(id);
    entries.set(ref, built);
  }
  return [...entries.values()];
}
