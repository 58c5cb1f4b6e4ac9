/**
 * Tags of an organization: documents of their own, named by the tag without regard to case, to
 * blanks around it and to Unicode's two spellings of an accent, and spelled as first written (D18,
 * D125). A request beyond their bound is refused whole.
 */
import { type Failure, invalid } from '../../shared/failures.ts';
import { TAGS_MAX_PER_ORGANIZATION } from '../../shared/limits.ts';
import type { EntryAtPath } from '../../shared/provisioning/organization.ts';
import type { ProvisionedTag } from '../../shared/provisioning/schema.ts';
import { foldTag } from '../../shared/text/fold-tag.ts';
import { plainTag } from '../../shared/text/plain-tag.ts';

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

/**
 * Folded forms of the tag under which versions stored it that told blanks around a tag and the two
 * spellings of an accent in Unicode apart: its twins.
 */
export function formerFolds(tag: string): readonly string[] {
  const folded = foldTag(tag);
  const spelled = [folded, folded.normalize('NFD')];
  const around = spelled.flatMap((each) => [each, ` ${each}`, `${each} `, ` ${each} `]);
  const forms = new Set([...around, tag.toLocaleLowerCase('pt-BR')]);
  forms.delete(folded);
  return [...forms];
}

/**
 * The tag as contacts may have it: as the organization spells it, as it was asked for, and in small
 * and capital letters. A contact keeps its spelling when the tag is removed and made anew.
 */
export function spellingsOf(tag: string, stored: string | null): readonly string[] {
  const small = foldTag(tag);
  const [first = '', ...rest] = small;
  const capital = `${first.toLocaleUpperCase('pt-BR')}${rest.join('')}`;
  const spelled = [stored ?? tag, tag, small, capital, small.toLocaleUpperCase('pt-BR')];
  return [...new Set(spelled.flatMap((each) => [each, each.normalize('NFD')]))];
}

/** Tags of `wanted` that are not known. Compared by `foldTag`, spelled as first written. */
export function missingTags(known: readonly string[], wanted: readonly string[]): string[] {
  const seen = new Set(known.map(foldTag));
  const missing: string[] = [];
  for (const tag of wanted) {
    if (seen.has(foldTag(tag))) continue;
    seen.add(foldTag(tag));
    missing.push(plainTag(tag));
  }
  return missing;
}

/** Decides the tags that a contact is to have. Blanks that a flow's template left are no tag. */
export function decideTags(given: readonly string[], { names, count }: KnownTags): TagDecision {
  const wanted = given.filter((tag) => plainTag(tag) !== '');
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
