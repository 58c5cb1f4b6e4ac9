/**
 * Versioned document: one entity in one document. State, committed commands and outbox are
 * committed together by compare-and-set of `version` (I16, I18, I19).
 *
 * 1. A commit that meets a newer version throws StaleState and changes nothing.
 * 2. An accepted command is not decided again while it may be repeated, even if it changed nothing.
 *    Its repeat may arrive after another caller's change (`completed.ts`).
 * 3. Events stay in the document until they are published; at most `OUTBOX_MAX` of them.
 */
import type { Answer, Command } from '../../shared/ports/bus.ts';
import type { Unkeyed, Write } from '../../shared/ports/store.ts';
import type { ActorKind } from '../../shared/vocabulary.ts';
import { auditItems, type OutboxEvent, type OutboxItem } from '../../shared/wire/outbox.ts';
import { shelfFor } from '../../shared/wire/subjects.ts';
import { type CountedCollection, dirtyFieldsOf } from '../counters/counted-collection.ts';
import type { Environment } from '../environment.ts';
import type { CounterFields } from '../model/counter.ts';
import type { EntityDocument, EntityState } from '../model/entity.ts';
import { describe } from '../runtime/describe-fault.ts';
import { assertCommitted } from '../runtime/turn.ts';
import { type AskedCommand, type CommandOutcome, outcomeOf, withCommand } from './completed.ts';
import { assertRoom, clearPublished, type Relay } from './relay.ts';
import { UnpublishedOutbox } from './unpublished-outbox.ts';

export interface EntityParts {
  readonly environment: Environment;
  readonly relay: Relay;
}

export interface EntityDefinition<State extends EntityState> {
  readonly kind: ActorKind;
  readonly collection: Unkeyed;
  readonly countedCollection: CountedCollection;
  /** Fields of the document by which an agenda finds it; an undefined field is removed. */
  readonly agenda?: (state: State) => Readonly<Record<string, unknown>>;
}

interface Change<State> {
  readonly command: Pick<Command, 'id' | 'lasting' | 'by'>;
  readonly state: State;
  readonly answer: Answer;
  readonly events: readonly OutboxEvent[];
}

export class VersionedDocument<State extends EntityState> {
  readonly #parts: EntityParts;
  readonly #definition: EntityDefinition<State>;
  readonly #id: string;
  #document: EntityDocument<State> | null | undefined;
  /** Unpublished events, in order. */
  #outbox: readonly OutboxItem[] = [];

  constructor(parts: EntityParts, definition: EntityDefinition<State>, id: string) {
    this.#parts = parts;
    this.#definition = definition;
    this.#id = id;
  }

  /** Null when the entity does not exist. */
  async load(): Promise<State | null> {
    if (this.#document === undefined) {
      const { store } = this.#parts.environment;
      const { collection } = this.#definition;
      this.#document = await store.byId<EntityDocument<State>>(collection, this.#id);
      this.#outbox = this.#document?.outbox ?? [];
    }
    return this.#document?.state ?? null;
  }

  /** The outcome of a command that was committed before; null otherwise. Only after `load`. */
  outcomeOf(asked: AskedCommand): Promise<CommandOutcome | null> {
    return outcomeOf(this.#parts.environment, this.#document, asked);
  }

  /** @throws {StaleState} @throws {Overloaded} */
  async commit({ command, state: decided, answer, events }: Change<State>): Promise<void> {
    const { environment } = this.#parts;
    const { kind, countedCollection } = this.#definition;
    const { orgId } = decided;
    const items = [...events, ...auditItems(environment, command, { kind, id: this.#id, orgId })];
    assertRoom(this.#outbox, items, `${kind} ${this.#id}`);
    const done = { id: this.#id, command, answer };
    const commands = await withCommand(environment, this.#document, done);
    const known = this.#document?.state;
    const state = decided === known ? { ...known, version: known.version + 1 } : decided;
    const outbox = [...this.#outbox, ...this.#parts.relay.numbered(items, state.version)];
    const document: EntityDocument<State> = {
      _id: state.id,
      version: state.version,
      state,
      ...commands,
      ...(outbox.length > 0 ? { outbox, pending: shelfFor(kind, state.id) } : {}),
    };
    const dirtyFields = dirtyFieldsOf(countedCollection, this.#document, document);
    const write = entityWrite(this.#definition, document, dirtyFields);
    const [written] = await environment.store.commit([write]);
    assertCommitted(written, `${kind} ${this.#id}`);
    const counted = this.#document?.counted ?? dirtyFields.counted;
    this.#document = { ...document, ...(counted ? { counted } : {}) };
    this.#outbox = outbox;
    environment.live.changed(state.orgId, kind, { id: state.id, seq: state.version });
    if (outbox.length > 0) this.#publish(document, outbox);
  }

  #publish(document: EntityDocument<State>, outbox: readonly OutboxItem[]): void {
    publishOutbox(this.#parts, this.#definition.collection, document).then(
      (acknowledged) => {
        if (acknowledged) this.#outbox = this.#outbox.filter((event) => !outbox.includes(event));
      },
      (fault: unknown) =>
        this.#parts.environment.log.error({ error: describe(fault) }, 'publish failed'),
    );
  }
}

/** The compare-and-set of a document with a raised `version`; `duplicate` means stale. */
export function entityWrite<State extends EntityState>(
  { collection, agenda }: Pick<EntityDefinition<State>, 'collection' | 'agenda'>,
  document: EntityDocument<State>,
  dirtyFields: CounterFields = {},
): Write {
  // Only the state decides the agenda fields: the document may still hold older ones.
  const optional = { outbox: undefined, pending: undefined };
  // Counter fields change independently of `version`: those that were read may be stale.
  const { counted: _c, recount: _r, ...known }: typeof document & CounterFields = document;
  const { _id, ...fields } = { ...optional, ...known, ...agenda?.(document.state), ...dirtyFields };
  const set = Object.entries(fields).filter(([, value]) => value !== undefined);
  const unset = Object.entries(fields).filter(([, value]) => value === undefined);
  if (document.version === 1) {
    return { insert: collection, document: { _id, ...Object.fromEntries(set) } };
  }
  const $unset = Object.fromEntries(unset.map(([name]) => [name, '']));
  return {
    update: collection,
    filter: { _id, version: document.version - 1 },
    change: { $set: Object.fromEntries(set), ...(unset.length > 0 ? { $unset } : {}) },
    upsert: true,
  };
}

/** Publishes, then clears the outbox unless a newer version holds more. */
export async function publishOutbox<State extends EntityState>(
  { environment, relay }: EntityParts,
  collection: Unkeyed,
  { _id, version, state, outbox = [] }: EntityDocument<State>,
): Promise<boolean> {
  const acknowledged = await relay.publish({ orgId: state.orgId, collection, id: _id }, outbox);
  if (!acknowledged) return false;
  return clearPublished(environment, {
    update: collection,
    filter: { _id, version },
    change: { $unset: { outbox: '', pending: '' } },
  });
}

/** Publishes what the previous owner of a partition left in the outboxes of its documents. */
export function unpublishedPublisher(
  parts: EntityParts,
  { kind, collection }: Pick<EntityDefinition<EntityState>, 'kind' | 'collection'>,
): (partition: number, epoch: number) => Promise<void> {
  const outbox = new UnpublishedOutbox<EntityDocument<EntityState>>(parts.environment, {
    kind,
    collection,
  });
  return (partition, epoch) =>
    outbox.publishEach({ partition, epoch }, (document) =>
      publishOutbox(parts, collection, document),
    );
}

/** Publishes the outbox of an entity after a turn that failed after its commit. */
export async function recoverOutbox(
  parts: EntityParts,
  collection: Unkeyed,
  id: string,
): Promise<void> {
  const document = await parts.environment.store.byId<EntityDocument<EntityState>>(collection, id);
  if (document?.outbox) await publishOutbox(parts, collection, document);
}
