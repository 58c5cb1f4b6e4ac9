/** Persons in MongoDB: one document each, compared by version. */

import { newPerson, type PersonState } from '../domain/person.ts';
import type { Store } from '../model/collections.ts';
import { assertCommitted } from '../runtime/turn.ts';

export async function loadPerson(store: Store, id: string): Promise<PersonState> {
  const document = await store.findOne('persons', { _id: id });
  if (!document) return newPerson(id);
  const { _id, peers, ...state } = document;
  // An earlier version has stored peers without a time: each is known at its next sign-in.
  return { id: _id, ...state, peers: peers.filter((each) => typeof each !== 'string') };
}

/**
 * Compare-and-set of `version`; answers the stored state.
 * @throws {StaleState} where the stored version is another one
 */
export async function storePerson(store: Store, next: PersonState): Promise<PersonState> {
  const { id, ...decided } = next;
  const fields = { ...decided, version: next.version + 1 };
  const [written] = await store.commit([
    next.version === 0
      ? { insert: 'persons', document: { _id: id, ...fields } }
      : {
          update: 'persons',
          filter: { _id: id, version: next.version },
          change: { $set: fields },
          upsert: true,
        },
  ]);
  assertCommitted(written, `person ${id}`);
  return { id, ...fields };
}
