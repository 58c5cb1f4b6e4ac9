/**
 * One entity that is one document: the state, its committed commands, and its outbox, committed
 * together by compare-and-set of `version` (I16, I18, I19).
 *
 * 1. A commit that meets a newer version throws StaleState and changes nothing.
 * 2. A command that was accepted is not decided again for as long as it may be repeated, also one
 *    that changed nothing: its repeat may come after another caller's change (`completed.ts`).
 * 3. Events stay in the document until they have been published; at most `OUTBOX_MAX` of them.
 */
import type { OutboxEvent } from '../../shared/outbox.ts';
import type { Answer, Command, Document, Write } from '../../shared/ports.ts';
import { partitionOf } from '../../shared/subjects.ts';
import type { ActorKind } from '../../shared/vocabulary.ts';
import { assertLanded } from '../runtime/landed.ts';
import { describe } from '../runtime/mailbox.ts';
import { markOf } from '../tally/mark.ts';
import type { Counted, Place, TallyFields } from '../tally/places.ts';
import type { World } from '../world.ts';
import { clearPublished } from './clear.ts';
import {
  type AskedCommand,
  type CommandFields,
  type CommandOutcome,
  outcomeOf,
  withCommand,
} from './completed.ts';
import type { Relay } from './relay.ts';
import { assertRoom } from './room.ts';
import { UnpublishedOutbox } from './unpublished-outbox.ts';

export interface RecordState {
  readonly id: string;
  readonly orgId: string;
  /** 1 for the first commit, then one more by each. */
  readonly version: number;
}

export interface RecordDocument<State extends RecordState> extends Document, CommandFields {
  readonly version: number;
  readonly state: State;
  readonly outbox?: readonly OutboxEvent[];
  /** The partition, while the outbox is not empty. */
  readonly pending?: number;
  readonly counted?: Counted;
}

export interface RecordParts {
  readonly world: World;
  readonly relay: Relay;
}

export interface RecordPlace<State extends RecordState> {
  readonly kind: ActorKind;
  readonly collection: string;
  readonly tally: Place;
  /** What an agenda is found by: fields of the document's own; undefined takes one away. */
  readonly agenda?: (state: State) => Readonly<Record<string, unknown>>;
}

interface Change<State> {
  readonly command: Pick<Command, 'id' | 'lasting'>;
  readonly state: State;
  readonly answer: Answer;
  readonly events: readonly OutboxEvent[];
}

export class VersionedDocument<State extends RecordState> {
  readonly #parts: RecordParts;
  readonly #place: RecordPlace<State>;
  readonly #id: string;
  #document: RecordDocument<State> | null | undefined;
  /** Not published yet, in order. */
  #outbox: readonly OutboxEvent[] = [];

  constructor(parts: RecordParts, place: RecordPlace<State>, id: string) {
    this.#parts = parts;
    this.#place = place;
    this.#id = id;
  }

  /** Null where there is none. */
  async load(): Promise<State | null> {
    if (this.#document === undefined) {
      const { store } = this.#parts.world;
      const { collection } = this.#place;
      this.#document = await store.byId<RecordDocument<State>>(collection, this.#id);
      this.#outbox = this.#document?.outbox ?? [];
    }
    return this.#document?.state ?? null;
  }

  /** The outcome of a command that was committed before; only after `load`. */
  outcomeOf(asked: AskedCommand): Promise<CommandOutcome | null> {
    return outcomeOf(this.#parts.world, this.#document, asked);
  }

  /** @throws {StaleState} @throws {Overloaded} */
  async commit({ command, state: decided, answer, events }: Change<State>): Promise<void> {
    const { world } = this.#parts;
    assertRoom(this.#outbox, events, `${this.#place.kind} ${this.#id}`);
    const commands = await withCommand(world, this.#document, { id: this.#id, command, answer });
    const outbox = [...this.#outbox, ...events];
    const known = this.#document?.state;
    const state = decided === known ? { ...known, version: known.version + 1 } : decided;
    const document: RecordDocument<State> = {
      _id: state.id,
      version: state.version,
      state,
      ...commands,
      ...(outbox.length > 0 ? { outbox, pending: partitionOf(this.#place.kind, state.id) } : {}),
    };
    const mark = markOf(this.#place.tally, this.#document, document);
    const [written] = await world.store.commit([recordWrite(this.#place, document, mark)]);
    assertLanded(written, `${this.#place.kind} ${this.#id}`);
    const counted = this.#document?.counted ?? mark.counted;
    this.#document = { ...document, ...(counted ? { counted } : {}) };
    this.#outbox = outbox;
    if (outbox.length > 0) this.#publish(document, outbox);
  }

  #publish(document: RecordDocument<State>, outbox: readonly OutboxEvent[]): void {
    publishRecord(this.#parts, this.#place.collection, document).then(
      (taken) => {
        if (taken) this.#outbox = this.#outbox.filter((event) => !outbox.includes(event));
      },
      (fault: unknown) => {
        this.#parts.world.log.error({ error: describe(fault) }, 'hand-on failed');
      },
    );
  }
}

/** The compare-and-set of a document whose `version` has been raised; `duplicate` means stale. */
export function recordWrite<State extends RecordState>(
  { collection, agenda }: Pick<RecordPlace<State>, 'collection' | 'agenda'>,
  document: RecordDocument<State>,
  mark: TallyFields = {},
): Write {
  // The state alone says what the agenda holds: the document may still carry what it held before.
  const optional = { outbox: undefined, pending: undefined };
  // How it is counted changes beside its version: what was read of it may be old.
  const { counted: _c, recount: _r, ...known }: typeof document & TallyFields = document;
  const { _id, ...fields } = { ...optional, ...known, ...agenda?.(document.state), ...mark };
  const set = Object.entries(fields).filter(([, value]) => value !== undefined);
  const unset = Object.entries(fields).filter(([, value]) => value === undefined);
  if (document.version === 1) {
    return { insert: collection, document: { _id, ...Object.fromEntries(set) } };
  }
  return {
    update: collection,
    filter: { _id, version: document.version - 1 },
    change: {
      $set: Object.fromEntries(set),
      ...(unset.length > 0
        ? { $unset: Object.fromEntries(unset.map(([name]) => [name, ''])) }
        : {}),
    },
    upsert: true,
  };
}

/** Hands on, then clears unless a newer version holds more. */
export async function publishRecord<State extends RecordState>(
  { world, relay }: RecordParts,
  collection: string,
  { _id, version, state, outbox = [] }: RecordDocument<State>,
): Promise<boolean> {
  const taken = await relay.publish(state.orgId, outbox);
  if (!taken) return false;
  return clearPublished(world, {
    update: collection,
    filter: { _id, version },
    change: { $unset: { outbox: '', pending: '' } },
  });
}

/** Hands on what the last owner of a partition left in its documents. */
export function unpublishedPublisher(
  parts: RecordParts,
  collection: string,
): (partition: number) => Promise<void> {
  const left = new UnpublishedOutbox<RecordDocument<RecordState>>(parts.world, collection);
  return (partition) =>
    left.publish(partition, (document) => publishRecord(parts, collection, document));
}

/** Hands on what a turn has left that failed after its commit. */
export async function publishOne(
  parts: RecordParts,
  collection: string,
  id: string,
): Promise<void> {
  const document = await parts.world.store.byId<RecordDocument<RecordState>>(collection, id);
  if (document?.outbox) await publishRecord(parts, collection, document);
}
