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
import type { ActorKind } from '../../shared/vocabulary.ts';
import { auditItems, type OutboxEvent, type OutboxItem } from '../../shared/wire/outbox.ts';
import { shelfFor } from '../../shared/wire/subjects.ts';
import { type CountedCollection, dirtyFieldsOf } from '../counters/counted-collection.ts';
import type { Environment } from '../environment.ts';
import type { DocumentOf, Filter, Store, Write } from '../model/collections.ts';
import type { CounterFields } from '../model/counter.ts';
import type { EntityDocument } from '../model/entity.ts';
import { changeOf, insertOf, updateOf } from '../runtime/computed.ts';
import { describe } from '../runtime/describe-fault.ts';
import { assertCommitted } from '../runtime/turn.ts';
import { type AskedCommand, type CommandOutcome, outcomeOf, withCommand } from './completed.ts';
import { assertCapacity, clearPublished, type Relay } from './relay.ts';
import { UnpublishedOutbox } from './unpublished-outbox.ts';

export interface EntityParts {
  readonly environment: Environment;
  readonly relay: Relay;
  /** Precedes the publication of what was committed; false when the lease has ended. */
  readonly beforePublishing?: (state: StoredState) => Promise<boolean>;
}

/** Collections of which each document is one entity. */
type EntityName = 'deals' | 'tasks';
type StoredState = DocumentOf<EntityName>['state'];
type Agenda = Absent<Pick<DocumentOf<'tasks'>, 'partition' | 'place' | 'remindAt'>>;
type Absent<Fields> = { readonly [Name in keyof Fields]: Fields[Name] | undefined };

export interface EntityDefinition<State extends StoredState> {
  readonly kind: ActorKind;
  readonly collection: EntityName;
  readonly load: (store: Store, id: string) => Promise<EntityDocument<State> | null>;
  readonly countedCollection: CountedCollection;
  /** Fields of the document by which an agenda finds it; an undefined field is removed. */
  readonly agenda?: (state: State) => Agenda;
}

interface Change<State> {
  readonly command: Pick<Command, 'id' | 'lasting' | 'by'>;
  readonly state: State;
  readonly answer: Answer;
  readonly events: readonly OutboxEvent[];
}

export class VersionedDocument<State extends StoredState> {
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
      this.#document = await this.#definition.load(store, this.#id);
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
    assertCapacity(this.#outbox, items, `${kind} ${this.#id}`);
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
export function entityWrite<State extends StoredState>(
  { collection, agenda }: Pick<EntityDefinition<State>, 'collection' | 'agenda'>,
  document: EntityDocument<State>,
  dirtyFields: CounterFields = {},
): Write {
  // Only the state decides the agenda fields: the document may still hold older ones.
  const optional = { outbox: undefined, pending: undefined };
  // Counter fields change independently of `version`: those that were read may be stale.
  const { counted: _c, recount: _r, ...known }: typeof document & CounterFields = document;
  const { _id, ...fields } = { ...optional, ...known, ...agenda?.(document.state), ...dirtyFields };
  if (document.version === 1) return insertOf(collection, { _id, ...fields });
  const filter: Filter<EntityName> = { _id, version: document.version - 1 };
  return updateOf(collection, { filter, change: changeOf<EntityName>(fields), upsert: true });
}

/** Publishes, then clears the outbox unless a newer version holds more. */
export async function publishOutbox(
  { environment, relay, beforePublishing }: EntityParts,
  collection: EntityName,
  { _id, version, state, outbox = [] }: EntityDocument<StoredState>,
): Promise<boolean> {
  if (beforePublishing && !(await beforePublishing(state))) return false;
  const acknowledged = await relay.publish({ orgId: state.orgId, collection, id: _id }, outbox);
  if (!acknowledged) return false;
  const filter: Filter<EntityName> = { _id, version };
  const change = { $unset: { outbox: '', pending: '' } } as const;
  return clearPublished(environment, updateOf(collection, { filter, change }));
}

/** Publishes what the previous owner of a partition left in the outboxes of its documents. */
export function unpublishedPublisher(
  parts: EntityParts,
  { kind, collection }: Pick<EntityDefinition<StoredState>, 'kind' | 'collection'>,
): (partition: number, epoch: number) => Promise<void> {
  const outbox = new UnpublishedOutbox<EntityName>(parts.environment, {
    kind,
    collection,
  });
  return (partition, epoch) =>
    outbox.publishEach({ partition, epoch }, (document) =>
      publishOutbox(parts, collection, document),
    );
}

/** Publishes the outbox of an entity after a turn that failed after its commit. */
export async function recoverOutbox<State extends StoredState>(
  parts: EntityParts,
  { collection, load }: Pick<EntityDefinition<State>, 'collection' | 'load'>,
  id: string,
): Promise<void> {
  const document = await load(parts.environment.store, id);
  if (document?.outbox) await publishOutbox(parts, collection, document);
}
