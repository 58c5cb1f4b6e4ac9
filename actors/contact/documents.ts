/** Document of a contact, and the write that commits its next version. */

import { dirtyFlag, insideOf, outsideOf, UNCOUNTED } from '../counters/counted-collection.ts';
import type { ContactState } from '../domain/contact.ts';
import type { Write } from '../model/collections.ts';
import type { ContactDocument, StoredContact } from '../model/contact.ts';
import { searchText } from './render.ts';

/** Fields of a contact. A contact that was merged into another one is in no list and no search. */
export function contactFields(state: ContactState) {
  const { id, ...fields } = state;
  const isForwarding = state.mergedInto !== undefined;
  return {
    _id: id,
    ...fields,
    orgId: isForwarding ? outsideOf(state.orgId) : state.orgId,
    search: isForwarding ? '' : searchText(state),
  };
}

/** Compare-and-set of the previous version; the first version is an insert. */
export function contactWrite(document: StoredContact): Write {
  // Set at every change, so that the contact index finds the contact.
  const dirty = { ...document, ...dirtyFlag(insideOf(document.orgId)) };
  if (document.version === 1) return { insert: 'contacts', document: { ...dirty, ...UNCOUNTED } };
  const { _id, ...fields } = dirty;
  const cleared = document.outbox ? {} : ({ $unset: { outbox: '', pending: '' } } as const);
  return {
    update: 'contacts',
    filter: { _id, version: document.version - 1 },
    change: { $set: fields, ...cleared },
    upsert: true,
  };
}

export function stateOf(document: ContactDocument | StoredContact): ContactState {
  const stored: ContactDocument & Partial<StoredContact> = document;
  const { _id, search: _s, answers: _a, outbox: _o, pending: _p, ...rest } = stored;
  const { completed: _k, counted: _c, recount: _r, ...state } = rest;
  return { id: _id, ...state, orgId: insideOf(state.orgId) };
}
