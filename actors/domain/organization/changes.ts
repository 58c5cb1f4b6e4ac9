/**
 * Changes that an `apply` would make (`recado apply --diff`). One row for each entry that is added
 * or removed, and one for each changed property of an entry that stays.
 *
 * 1. A changed secret is reported as changed, never with its value.
 * 2. Values are cut at `APPLY_CHANGE_VALUE_MAX_CHARS`, rows at `APPLY_CHANGES_MAX`: the answer must
 *    fit one envelope.
 */
import { APPLY_CHANGE_VALUE_MAX_CHARS, APPLY_CHANGES_MAX } from '../../../shared/limits.ts';
import type { AppliedChange, AppliedChanges } from '../../../shared/provisioning/commands.ts';
import { isSame } from './entries.ts';
import type { OrganizationState } from './state.ts';
import type { TagChanges } from './tags.ts';
import { RedactedSecret, type Written, writtenForm } from './written.ts';

/** Characters shown of the common beginning of two long texts. */
const CONTEXT_CHARS = 20;

type Place = Pick<AppliedChange, 'path' | 'list' | 'ref'>;

function isTree(value: unknown): value is Written {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Items by their `id`, or null where some lack an id of their own. */
function byId(value: unknown): ReadonlyMap<string, unknown> | null {
  if (!Array.isArray(value)) return null;
  const ids = value.map((item) => (isTree(item) ? item.id : undefined));
  if (ids.some((id) => typeof id !== 'string') || new Set(ids).size < ids.length) return null;
  return new Map(value.map((item, index) => [String(ids[index]), item]));
}

function clipped(value: unknown, from: number): unknown {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const chars = [...text];
  if (chars.length <= APPLY_CHANGE_VALUE_MAX_CHARS) return value;
  const shown = chars.slice(from, from + APPLY_CHANGE_VALUE_MAX_CHARS);
  const more = from + shown.length < chars.length;
  return `${from > 0 ? '…' : ''}${shown.join('')}${more ? '…' : ''}`;
}

/** First character shown: two long texts are shown from shortly before their first difference. */
function firstShown(before: unknown, after: unknown): number {
  if (typeof before !== 'string' || typeof after !== 'string') return 0;
  const others = [...after];
  const same = [...before].findIndex((char, index) => char !== others[index]);
  return Math.max(0, (same < 0 ? [...before].length : same) - CONTEXT_CHARS);
}

function changed(place: Place, before: unknown, after: unknown): AppliedChange {
  if (before instanceof RedactedSecret || after instanceof RedactedSecret) {
    return { ...place, change: 'change', secret: true };
  }
  const from = firstShown(before, after);
  return {
    ...place,
    change: 'change',
    before: clipped(before ?? null, from),
    after: clipped(after ?? null, from),
  };
}

/** Changes between two lists of named items: added, removed, changed and reordered ones. */
function listChanges(
  place: Place,
  before: ReadonlyMap<string, unknown>,
  after: ReadonlyMap<string, unknown>,
): readonly AppliedChange[] {
  const rows = [...new Set([...before.keys(), ...after.keys()])].flatMap((id) => {
    const at = { ...place, path: `${place.path}.${id}` };
    if (!before.has(id)) return [{ ...at, change: 'add' as const }];
    if (!after.has(id)) return [{ ...at, change: 'remove' as const }];
    return valueChanges(at, before.get(id), after.get(id));
  });
  const order = [...after.keys()].filter((id) => before.has(id));
  const former = [...before.keys()].filter((id) => after.has(id));
  return isSame(order, former) ? rows : [...rows, changed(place, former, order)];
}

function valueChanges(place: Place, before: unknown, after: unknown): readonly AppliedChange[] {
  if (isSame(before, after)) return [];
  const [left, right] = [byId(before), byId(after)];
  if (left !== null && right !== null) return listChanges(place, left, right);
  const areTrees = isTree(before) && isTree(after);
  if (!areTrees || before instanceof RedactedSecret || after instanceof RedactedSecret) {
    return [changed(place, before, after)];
  }
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((name) =>
    valueChanges(
      { ...place, path: place.path === '' ? name : `${place.path}.${name}` },
      before[name],
      after[name],
    ),
  );
}

function tagRows({ add, remove }: TagChanges): readonly AppliedChange[] {
  const row = (change: 'add' | 'remove') => (ref: string) =>
    ({ path: `tags.${ref}`, list: 'tags', ref, change }) as const;
  return [...add.map(row('add')), ...remove.map(row('remove'))];
}

/** Every change between two states of an organization, and to its tags. */
export function organizationChanges(
  before: OrganizationState | null,
  after: OrganizationState | null,
  tags: TagChanges,
): AppliedChanges {
  const own: Place = { path: '', list: null, ref: null };
  const [was, will] = [writtenForm(before), writtenForm(after)];
  const [isThere, remains] = [was.own.name !== undefined, will.own.name !== undefined];
  if (isThere && !remains) return { changes: [{ ...own, change: 'remove' }], more: 0 };
  const head: readonly AppliedChange[] = isThere
    ? valueChanges(own, was.own, will.own)
    : [{ ...own, change: 'add' }];
  const lists = Object.entries(will.lists).flatMap(([list, entries]) => {
    const former = was.lists[list] ?? new Map<string, Written>();
    return [...new Set([...former.keys(), ...entries.keys()])].flatMap((ref) => {
      const place = { path: `${list}.${ref}`, list, ref };
      if (!former.has(ref)) return [{ ...place, change: 'add' as const }];
      if (!entries.has(ref)) return [{ ...place, change: 'remove' as const }];
      return valueChanges(place, former.get(ref), entries.get(ref));
    });
  });
  const rows = remains ? [...head, ...lists, ...tagRows(tags)] : [];
  const changes = rows.slice(0, APPLY_CHANGES_MAX);
  return { changes, more: rows.length - changes.length };
}
