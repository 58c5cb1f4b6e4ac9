/** Document of a contact, and the write that commits its next version. */

import type { Document, Write } from '../../shared/ports/store.ts';
import type { OutboxItem } from '../../shared/wire/outbox.ts';
import {
  type CounterFields,
  dirtyFlag,
  insideOf,
  outsideOf,
  UNCOUNTED,
} from '../counters/counted-collection.ts';
import type { ContactState } from '../domain/contact.ts';
import type { CommandFields } from '../outbox/completed.ts';
import { searchText } from './render.ts';

export interface ContactDocument
  extends Document,
    CommandFields,
    CounterFields,
    Omit<ContactState, 'id'> {
  readonly search: string;
  readonly outbox?: readonly OutboxItem[];
  readonly pending?: number;
}

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
export function contactWrite(document: ContactDocument): Write {
  return document.version === 1 ? newDocument(document) : compareAndSet(document);
}

function newDocument(document: ContactDocument) {
  return {
    insert: 'contacts',
    document: { ...document, ...dirtyFlag(insideOf(document.orgId)), ...UNCOUNTED },
  };
}

/** Sets the dirty flag at every change, so that the contact index finds the contact. */
function compareAndSet(document: ContactDocument) {
  const { _id, ...fields } = document;
  const cleared = document.outbox ? {} : { $unset: { outbox: '', pending: '' } };
  return {
    update: 'contacts',
    filter: { _id, version: document.version - 1 },
    change: { $set: { ...fields, ...dirtyFlag(insideOf(document.orgId)) }, ...cleared },
    upsert: true,
  };
}

export function stateOf(document: ContactDocument): ContactState {
  const { _id, search: _s, answers: _a, outbox: _o, pending: _p, ...rest } = document;
  const { completed: _k, counted: _c, recount: _r, ...state } = rest;
  return { id: _id, ...state, orgId: insideOf(state.orgId) };
}
