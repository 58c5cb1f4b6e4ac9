/**
 * Merge of one list of a provisioning file into the stored organization.
 *
 * 1. An entry is identified by its `ref`, and keeps its id over all runs, even after its removal.
 * 2. Entries that the file omits stay as they are. Entries that it repeats keep the identity of
 *    their objects.
 */
import { entryId } from '../../../shared/entity-ids.ts';
import type { EntryAtPath } from '../../../shared/provisioning/organization.ts';
import type { Applying } from './context.ts';

interface Stored {
  readonly id: string;
  readonly ref: string;
  readonly removed?: boolean;
}

interface Wanted {
  readonly ref: string;
  readonly remove?: boolean;
}

export interface ListRules<W extends Wanted, E extends Stored> {
  /** Prefix of the entries' ids. */
  readonly prefix: string;
  /** The entry to store, or null where a problem was found. `current` is null for a new one. */
  build(wanted: EntryAtPath<W>, current: E | null, id: string): E | null;
  retire(current: E): E;
}

/** Structural equality of plain data; an undefined property equals an absent one. */
export function isSame(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const left = new Map(Object.entries(a).filter(([, value]) => value !== undefined));
  const right = new Map(Object.entries(b).filter(([, value]) => value !== undefined));
  if (left.size !== right.size) return false;
  return [...left].every(([name, value]) => right.has(name) && isSame(value, right.get(name)));
}

/** The list with the file's entries applied, new ones last. */
export function applyList<W extends Wanted, E extends Stored>(
  applying: Applying,
  lists: { readonly stored: readonly E[]; readonly wanted: readonly EntryAtPath<W>[] },
  rules: ListRules<W, E>,
): readonly E[] {
  const entries = new Map(lists.stored.map((entry) => [entry.ref, entry]));
  for (const wanted of lists.wanted) {
    const { ref, remove } = wanted.entry;
    const known = entries.get(ref);
    if (remove === true) {
      if (known && known.removed !== true) entries.set(ref, rules.retire(known));
      continue;
    }
    const current = known && known.removed !== true ? known : null;
    const id =
      known?.id ?? entryId(applying.context.ids, rules.prefix, { orgId: applying.orgId, ref });
    const built = rules.build(wanted, current, id);
    if (built === null || isSame(built, current)) continue;
    if (current === null) applying.created.push(id);
    entries.set(ref, built);
  }
  return [...entries.values()];
}
