/**
 * What a person has written of a contact, and what of it is a change. Only changes are sent: what
 * another changes meanwhile stays. Pure.
 */
import type { Contact } from '../../../../shared/api/contact.ts';

export interface WrittenField {
  /** Of the row, as long as the form is open. */
  readonly key: number;
  readonly name: string;
  readonly value: string;
}

export interface WrittenContact {
  readonly phone: string;
  readonly name: string;
  readonly email: string;
  readonly tags: readonly string[];
  readonly fields: readonly WrittenField[];
  readonly optIn: boolean;
}

export function writtenOf(contact: Contact | null): WrittenContact {
  const { phone = '', name, email, tags = [], fields = {}, optIn = false } = contact ?? {};
  const rows = Object.entries(fields).map(([each, value], key) => ({ key, name: each, value }));
  return { phone, name: name ?? '', email: email ?? '', tags, fields: rows, optIn };
}

/** The tag that is still in its box counts too. */
export function withTag(tags: readonly string[], typed: string): readonly string[] {
  const tag = typed.trim();
  const isKnown = tags.some((each) => each.toLocaleLowerCase() === tag.toLocaleLowerCase());
  return tag === '' || isKnown ? tags : [...tags, tag];
}

export type FieldProblem = { readonly nameless: true } | { readonly double: string };

export function problemOf({ fields }: WrittenContact): FieldProblem | null {
  const names = fields.filter(isWritten).map(({ name }) => name.trim());
  if (names.includes('')) return { nameless: true };
  const double = names.find((name, index) => names.indexOf(name) !== index);
  return double === undefined ? null : { double };
}

function isWritten({ name, value }: WrittenField): boolean {
  return name.trim() !== '' || value.trim() !== '';
}

export type ContactChange = Readonly<Record<string, unknown>>;

/** Null: nothing has changed. A contact that is new has no `before`. */
export function changeOf(before: Contact | null, written: WrittenContact): ContactChange | null {
  const known = writtenOf(before);
  const name = written.name.trim();
  const email = written.email.trim();
  const change = {
    ...(before === null ? { phone: written.phone.trim() } : {}),
    ...(name === known.name ? {} : { name: name === '' ? null : name }),
    ...(email === known.email ? {} : { email }),
    ...listsOf(known, written),
    ...(written.optIn === known.optIn ? {} : { optIn: written.optIn }),
  };
  return Object.keys(change).length === 0 ? null : change;
}

function listsOf(known: WrittenContact, written: WrittenContact): ContactChange {
  const before = new Map(known.fields.map(({ name, value }) => [name, value]));
  const after = new Map(
    written.fields.filter(isWritten).map(({ name, value }) => [name.trim(), value.trim()]),
  );
  const set = [...after].filter(([name, value]) => before.get(name) !== value);
  const lists = {
    tags: written.tags.filter((tag) => !known.tags.includes(tag)),
    removeTags: known.tags.filter((tag) => !written.tags.includes(tag)),
    removeFields: [...before.keys()].filter((name) => !after.has(name)),
  };
  return {
    ...Object.fromEntries(Object.entries(lists).filter(([, list]) => list.length > 0)),
    ...(set.length === 0 ? {} : { fields: Object.fromEntries(set) }),
  };
}
