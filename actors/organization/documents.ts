/**
 * Documents of organizations: one of each, with a claim for each key's digest. Its tags and the
 * entries of its audit log have a document each.
 */

import { GenerationalCache } from '../../shared/generational-cache.ts';
import { foldTag } from '../../shared/text/fold-tag.ts';
import type { AuditEntry } from '../../shared/wire/audit.ts';
import type { OrganizationState } from '../domain/organization.ts';
import { formerFolds, type KnownTags, missingTags } from '../domain/tags.ts';
import type { Store } from '../model/collections.ts';
import type { TagDocument } from '../model/organization.ts';
import { StaleState } from '../runtime/kind.ts';
import { assertCommitted } from '../runtime/turn.ts';

/** Unique index: a network number belongs to one channel (infra/adapters/mongo/indexes). */
const NUMBERS_INDEX = 'organization_numbers';

export async function loadOrganization(
  store: Store,
  orgId: string,
): Promise<OrganizationState | null> {
  const document = await store.findOne('organizations', { _id: orgId });
  if (!document) return null;
  const { _id: id, ...state } = document;
  return { id, ...state };
}

/** Properties that a later state may lack. */
const OPTIONAL = [
  ...['numbers', 'removed', 'lastApply', 'audit'],
  ...['leftStages', 'formerStageNames', 'pipelineCommands'],
] as const;

/**
 * Compare-and-set of `version`, which the decision has raised. False where another organization has
 * one of its network numbers: nothing was stored.
 * @throws {StaleState} where the stored version is another one
 */
export async function compareAndSetOrganization(
  store: Store,
  state: OrganizationState,
): Promise<boolean> {
  const { id, ...fields } = state;
  const absent = OPTIONAL.filter((name) => fields[name] === undefined);
  const without = { $unset: Object.fromEntries(absent.map((name) => [name, ''])) };
  const [written] = await store.commit([
    state.version === 1
      ? { insert: 'organizations', document: { _id: id, ...fields } }
      : {
          update: 'organizations',
          filter: { _id: id, version: state.version - 1 },
          change: { $set: fields, ...(absent.length > 0 ? without : {}) },
          upsert: true,
        },
  ]);
  if (written?.ok === false && 'duplicate' in written && written.duplicate === NUMBERS_INDEX) {
    return false;
  }
  assertCommitted(written, `organization ${id}`);
  return true;
}

const COLLECTION = 'tags';
/** Cached tags of one organization. */
const CACHED_MAX = 2_000;
const BATCH = 500;
/** Between the organization and its tag; then the character that follows it in order. */
const SEPARATOR = '/';
const AFTER_SEPARATOR = '0';

/**
 * Tags of an organization in the store: one document each (D125).
 *
 * 1. The id is the organization and the tag without regard to case: a tag exists once, whichever
 *    owner writes it.
 * 2. Only the organization's owner writes them: a tag that it has read exists until it removes the
 *    tag.
 * 3. Tags are counted once, when a wanted one is missing, and again after a removal.
 * 4. Twins of a tag that an earlier version told apart join it when it is next wanted.
 */
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
      const found = await this.#store.find(COLLECTION, { _id: { $in: ids } });
      for (const { name } of found) names.set(foldTag(name), name);
    }
    for (const [folded, name] of names) this.#names.set(folded, name);
    const count = names.size === folded.length ? 0 : await this.#counted();
    return { names, count };
  }

  /** Twins of the tags become one tag each, which keeps the spelling of the first twin. */
  async join(tags: readonly string[]): Promise<void> {
    const former = [...new Set(tags.flatMap(formerFolds))].map((form) => this.#idOf(form));
    const twins: TagDocument[] = [];
    for (let from = 0; from < former.length; from += BATCH) {
      const _id = { $in: former.slice(from, from + BATCH) };
      twins.push(...(await this.#store.find(COLLECTION, { _id })));
    }
    if (twins.length === 0) return;
    await this.add(
      missingTags(
        [],
        twins.map(({ name }) => name),
      ),
    );
    await this.#removeAll(twins.map(({ _id }) => _id));
  }

  /** Resolves when the tags are journaled; an existing tag keeps its spelling. */
  async add(tags: readonly string[]): Promise<void> {
    for (let from = 0; from < tags.length; from += BATCH) {
      const some = tags.slice(from, from + BATCH);
      const documents = some.map((name) => ({ _id: this.#id(name), orgId: this.#orgId, name }));
      const outcomes = await this.#store.commit(
        documents.map((document) => ({ insert: COLLECTION, document })),
      );
      for (const outcome of outcomes) {
        if (!('duplicate' in outcome)) assertCommitted(outcome, 'a tag');
      }
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
    const former = tags.flatMap(formerFolds).map((form) => this.#idOf(form));
    await this.#removeAll([...tags.map((tag) => this.#id(tag)), ...former]);
  }

  async #removeAll(ids: readonly string[]): Promise<void> {
    const outcomes = await this.#store.commit(
      ids.map((_id) => ({ remove: COLLECTION, filter: { _id } })),
    );
    for (const outcome of outcomes) assertCommitted(outcome, 'the removal of a tag');
    this.#count = null;
  }

  /** The first tags in the order of their names without regard to case. */
  async first(limit: number): Promise<readonly string[]> {
    const _id = this.#all();
    const some = { sort: { _id: 1 }, limit } as const;
    const found = await this.#store.find(COLLECTION, { _id }, some);
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

  #id(tag: string): string {
    return this.#idOf(foldTag(tag));
  }

  #idOf(folded: string): string {
    return `${this.#orgId}${SEPARATOR}${folded}`;
  }
}

/** The cursor of a stored tag in the order of `tagPage`. */
export function tagCursor({ _id, orgId }: TagDocument): string {
  return _id.slice(orgId.length + SEPARATOR.length);
}

/** Tags after `after` (a cursor, or empty for all), by their ids. */
export function tagPage(
  store: Pick<Store, 'find'>,
  orgId: string,
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<readonly TagDocument[]> {
  const _id = { $gt: `${orgId}${SEPARATOR}${after}`, $lt: `${orgId}${AFTER_SEPARATOR}` };
  return store.find(COLLECTION, { _id }, { sort: { _id: 1 }, limit });
}

/** A page of the tags in that order, and how many there are. */
export async function pageOfTags(
  store: Pick<Store, 'find' | 'count'>,
  orgId: string,
  { skip, limit }: { readonly skip: number; readonly limit: number },
): Promise<{ readonly names: readonly string[]; readonly total: number }> {
  const _id = { $gte: `${orgId}${SEPARATOR}`, $lt: `${orgId}${AFTER_SEPARATOR}` };
  const [tags, total] = await Promise.all([
    store.find(COLLECTION, { _id }, { sort: { _id: 1 }, skip, limit }),
    store.count(COLLECTION, { _id }, { _id: 1 }),
  ]);
  return { names: tags.map(({ name }) => name), total };
}

/** The tag as the organization spells it; null where it has no such tag. */
export async function spelledTag(
  store: Pick<Store, 'byId'>,
  orgId: string,
  tag: string,
): Promise<string | null> {
  const found = await store.byId(COLLECTION, `${orgId}${SEPARATOR}${foldTag(tag)}`);
  return found?.name ?? null;
}

const AUDIT = 'audit';

/**
 * Audit log of an organization: entries are only ever appended. Resolves when they are journaled.
 * The process purges entries after `AUDIT_RETENTION_MS`.
 *
 * 1. The id derives from the command: a repeated entry is met, not written twice.
 * 2. An entry of another entity's change comes from that entity's outbox, after its commit.
 * 3. An entry of the organization's own change is committed in its document (`audit`). The owner
 *    then writes it into the log; the next owner does so when it loads the document.
 * 4. Entries of sessions and passphrases are written before the change. None is missing, and one
 *    may tell of an attempt that a crash has cut off.
 */
export async function writeAudit(
  store: Store,
  orgId: string,
  entries: readonly AuditEntry[],
): Promise<void> {
  if (entries.length === 0) return;
  const outcomes = await store.commit(
    entries.map(({ id: _id, ...entry }) => ({
      insert: AUDIT,
      document: { _id, orgId, ...entry },
    })),
  );
  for (const outcome of outcomes) {
    if (!('duplicate' in outcome)) assertCommitted(outcome, 'an audit entry');
  }
}
