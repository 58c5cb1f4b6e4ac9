/**
 * Tags of an organization: documents of their own, named by the tag without regard to case and
 * spelled as first written (D18, D125). A request beyond their bound is refused whole.
 */
import { type Failure, invalid } from '../../../shared/failures.ts';
import { TAGS_MAX_PER_ORGANIZATION } from '../../../shared/limits.ts';
import type { EntryAtPath } from '../../../shared/provisioning/organization.ts';
import type { ProvisionedTag } from '../../../shared/provisioning/schema.ts';

export interface KnownTags {
  /** The wanted tags that exist, in their stored spelling, by `foldTag`. */
  readonly names: ReadonlyMap<string, string>;
  readonly count: number;
}

export type TagDecision =
  | { readonly refused: Failure }
  | {
      /** The wanted tags, each in the organization's spelling. */
      readonly spelled: readonly string[];
      /** Tags to create. */
      readonly missing: readonly string[];
    };

/** Tags to add to an organization, and tags to remove. */
export type TagChanges = { readonly add: readonly string[]; readonly remove: readonly string[] };

export const NO_TAG_CHANGES: TagChanges = { add: [], remove: [] };

const TOO_MANY_TAGS = `Uma organização pode ter no máximo ${TAGS_MAX_PER_ORGANIZATION} etiquetas.`;

/** Identity of a tag: equal tags fold to the same text. */
export function foldTag(tag: string): string {
  return tag.toLocaleLowerCase('pt-BR');
}

/** Tags of `wanted` that are not known. Compared case-insensitively, spelled as first written. */
export function missingTags(known: readonly string[], wanted: readonly string[]): string[] {
  const seen = new Set(known.map(foldTag));
  const missing: string[] = [];
  for (const tag of wanted) {
    if (seen.has(foldTag(tag))) continue;
    seen.add(foldTag(tag));
    missing.push(tag);
  }
  return missing;
}

/** Decides the tags that a contact is to have. */
export function decideTags(wanted: readonly string[], { names, count }: KnownTags): TagDecision {
  const missing = missingTags([...names.keys()], wanted);
  if (missing.length > 0 && count + missing.length > TAGS_MAX_PER_ORGANIZATION) {
    return { refused: invalid({ path: 'tags', message: TOO_MANY_TAGS }) };
  }
  const known = new Map([...missing.map((tag) => [foldTag(tag), tag] as const), ...names]);
  return { spelled: wanted.map((tag) => known.get(foldTag(tag)) ?? tag), missing };
}

/** The tag changes of a provisioning file; its last entry for a tag counts. */
export function tagChanges(wanted: readonly EntryAtPath<ProvisionedTag>[]): TagChanges {
  const add = new Map<string, string>();
  const remove = new Map<string, string>();
  for (const { entry } of wanted) {
    const name = foldTag(entry.ref);
    if (entry.remove === true) {
      add.delete(name);
      remove.set(name, entry.ref);
    } else {
      remove.delete(name);
      if (!add.has(name)) add.set(name, entry.ref);
    }
  }
  return { add: [...add.values()], remove: [...remove.values()] };
}
