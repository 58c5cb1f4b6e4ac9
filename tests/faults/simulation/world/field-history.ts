/** Every value that watched fields of deals, tasks and contacts have had, in order. */
import type { Document, Write } from '../../../support/plain-store.ts';
import type { Database } from '../memory/database.ts';

/** The field of contacts that calls under a key overwrite. */
export const KEYED_FIELD = 'plano';

/** A field of a record became this value. */
export interface RecordChange {
  readonly id: string;
  readonly field: 'title' | 'status' | 'keyed';
  readonly value: string;
}

type Fields = Readonly<Record<string, unknown>>;

const WATCHED: Readonly<Record<string, (document: Document) => Fields>> = {
  deals: ({ state }) => ({ title: Object(state).title, status: Object(state).status }),
  tasks: ({ state }) => ({ title: Object(state).title }),
  contacts: ({ fields }) => ({ keyed: Object(fields)[KEYED_FIELD] }),
};

export class FieldHistory {
  readonly #database: Database;
  readonly #last = new Map<string, unknown>();
  /** Id of the newest completed command, by record. */
  readonly #commands = new Map<string, unknown>();
  readonly changes: RecordChange[] = [];

  constructor(database: Database) {
    this.#database = database;
  }

  /** The write has taken effect. */
  record(write: Write): void {
    const collection = 'insert' in write ? write.insert : 'update' in write ? write.update : '';
    const watched = WATCHED[collection];
    if (!watched) return;
    const id = 'insert' in write ? write.document._id : Object(write).filter._id;
    const document = typeof id === 'string' ? this.#database.byId(collection, id) : null;
    if (!document) return;
    const isCommanded = this.#hasNewCommand(document);
    for (const [field, value] of Object.entries(watched(document))) {
      const place = `${document._id} ${field}`;
      if (value === undefined || this.#last.get(place) === value) continue;
      this.#last.set(place, value);
      // A contact takes over the fields of one that was joined to it: no call has a second effect.
      if (field === 'keyed' && !isCommanded) continue;
      this.changes.push({ id: document._id, field, value: String(value) } as RecordChange);
    }
  }

  #hasNewCommand({ _id, completed }: Document): boolean {
    const newest = Object(completed).recent?.at(-1)?.id;
    const isNew = newest !== undefined && this.#commands.get(_id) !== newest;
    if (isNew) this.#commands.set(_id, newest);
    return isNew;
  }
}
