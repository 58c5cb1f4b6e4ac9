/**
 * Tags of an organization in the store: one document each (D125).
 *
 * 1. The id is the organization and the tag without regard to case: a tag exists once, whichever
 *    owner writes it.
 * 2. Only the organization's owner writes them: a tag that it has read exists until it removes the
 *    tag.
 * 3. Tags are counted once, when a wanted one is missing, and again after a removal.
 */

import { GenerationalCache } from '../../shared/generational-cache.ts';
import type { Document, Store, WriteOutcome } from '../../shared/ports/store.ts';
import { foldTag, type KnownTags } from '../domain/organization/tags.ts';
import { StaleState } from '../runtime/actor.ts';
import { assertCommitted } from '../runtime/assert-committed.ts';

const COLLECTION = 'tags';
/** Cached tags of one organization. */
const CACHED_MAX = 2_000;
const BATCH = 500;
/** Between the organization and its tag; then the character that follows it in order. */
const SEPARATOR = '/';
const AFTER_SEPARATOR = '0';

interface TagDocument extends Document {
  readonly orgId: string;
  /** The spelling of the first write. */
  readonly name: string;
}

export class OrganizationTags {
  readonly #store: Store;
  readonly #orgId: string;
  /** Spelling of the first write, by `foldTag`. */
  readonly #names = new GenerationalCache<string, string>(CACHED_MAX);
  #count: number | null = null;

  constructor(store: Store, orgId: string) {
    this.#store = store;
    this.#orgId = orgId;
  }

  /** The tags in their stored spelling; null unless all of them are in memory. */
  cached(tags: readonly string[]): readonly string[] | null {
    const spelled = tags.flatMap((tag) => this.#names.get(foldTag(tag)) ?? []);
    return spelled.length === tags.length ? spelled : null;
  }

  /** The tags that exist; `count` is read only where some are missing, else it is 0. */
  async known(tags: readonly string[]): Promise<KnownTags> {
    const names = new Map<string, string>();
    const folded = [...new Set(tags.map(foldTag))];
    for (let from = 0; from < folded.length; from += BATCH) {
      const ids = folded.slice(from, from + BATCH).map((each) => this.#id(each));
      const found = await this.#store.find<TagDocument>(COLLECTION, { _id: { $in: ids } });
      for (const { name } of found) names.set(foldTag(name), name);
    }
    for (const [folded, name] of names) this.#names.set(folded, name);
    const count = names.size === folded.length ? 0 : await this.#counted();
    return { names, count };
  }

  /** Resolves when the tags are journaled; an existing tag keeps its spelling. */
  async add(tags: readonly string[]): Promise<void> {
    for (let from = 0; from < tags.length; from += BATCH) {
      const some = tags.slice(from, from + BATCH);
      const outcomes = await this.#store.commit(some.map((tag) => this.#insert(tag)));
      outcomes.forEach((outcome) => {
        if (!exists(outcome)) assertCommitted(outcome, 'a tag');
      });
      const created = outcomes.filter(({ ok }) => ok).length;
      if (this.#count !== null) this.#count += created;
    }
  }

  /** @throws {StaleState} where one of them exists already: another owner has created it */
  async create(tags: readonly string[]): Promise<void> {
    const before = this.#count ?? 0;
    await this.add(tags);
    if ((this.#count ?? 0) !== before + tags.length) throw new StaleState('tags');
    for (const tag of tags) this.#names.set(foldTag(tag), tag);
  }

  async remove(tags: readonly string[]): Promise<void> {
    for (const tag of tags) this.#names.delete(foldTag(tag));
    const filters = tags.map((tag) => ({ _id: this.#id(foldTag(tag)) }));
    const outcomes = await this.#store.commit(
      filters.map((filter) => ({ remove: COLLECTION, filter })),
    );
    for (const outcome of outcomes) assertCommitted(outcome, 'the removal of a tag');
    this.#count = null;
  }

  /** The first tags in the order of their names without regard to case. */
  async first(limit: number): Promise<readonly string[]> {
    const filter = { _id: this.#all() };
    const some = { sort: { _id: 1 }, limit } as const;
    const found = await this.#store.find<TagDocument>(COLLECTION, filter, some);
    return found.map(({ name }) => name);
  }

  async #counted(): Promise<number> {
    const _id = this.#all();
    this.#count ??= await this.#store.count(COLLECTION, { _id }, { _id: 1 });
    return this.#count;
  }

  #all() {
    return { $gte: `${this.#orgId}${SEPARATOR}`, $lt: `${this.#orgId}${AFTER_SEPARATOR}` };
  }

  #insert(name: string) {
    const _id = this.#id(foldTag(name));
    return { insert: COLLECTION, document: { _id, orgId: this.#orgId, name } };
  }

  #id(folded: string): string {
    return `${this.#orgId}${SEPARATOR}${folded}`;
  }
}

function exists(outcome: WriteOutcome): boolean {
  return outcome.ok || 'duplicate' in outcome;
}

/** Tags after `after` (a folded tag, or empty for all), by their ids. */
export function tagPage(
  store: Pick<Store, 'find'>,
  orgId: string,
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<readonly TagDocument[]> {
  const _id = { $gt: `${orgId}${SEPARATOR}${after}`, $lt: `${orgId}${AFTER_SEPARATOR}` };
  return store.find<TagDocument>(COLLECTION, { _id }, { sort: { _id: 1 }, limit });
}
