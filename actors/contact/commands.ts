/** Commands to a contact from other actors; the gateway's own are in `shared/wire/commands`. */
import type { Command } from '../../shared/ports.ts';
import type { ContactSource, Origin } from '../../shared/vocabulary.ts';
import type { ContactState } from '../domain/contact.ts';
import type { MergeCandidate } from '../domain/identity.ts';

/** Creates the contact if it is missing; answers `{id, phone, name, optedOut}`. */
export interface EnsureContact extends Command {
  readonly type: 'ensure';
  readonly orgId: string;
  readonly phone: string;
  readonly profileName: string | null;
  readonly source: ContactSource;
}

export interface EnsuredContact {
  readonly id: string;
  readonly phone: string;
  readonly name: string | null;
}

/** A word of the contact, a flow's step, a member: opt-in or opt-out. */
export interface OptContact extends Command {
  readonly type: 'opt';
  readonly orgId: string;
  readonly phone: string;
  readonly optIn: boolean;
  readonly source: ContactSource;
  readonly origin: Origin;
}

/** Asked of an identity's own id first, then of where it has moved to. */
interface IdentityCommand extends Command {
  readonly orgId: string;
  /** The number that the contact is asked by; empty for an opaque id. */
  readonly phone: string;
}

/** Which contact an identity is; answers `LocatedContact` and changes nothing. */
export interface LocateContact extends IdentityCommand {
  readonly type: 'locate';
}

export interface MovedContact {
  readonly movedTo: string;
}

export type LocatedContact =
  | MovedContact
  | (MergeCandidate & { readonly phone: string; readonly aliases: readonly string[] });

/** The contact becomes part of another one; answers `MergedContact`, or 409: it has precedence. */
export interface MergeContact extends IdentityCommand {
  readonly type: 'merge-into';
  readonly into: MergeCandidate & { readonly phone: string };
}

/** As it was before, for the other one to absorb; null: there was no contact on record. */
export type MergedContact = MovedContact | { readonly merged: ContactState | null };

export interface AbsorbContact extends IdentityCommand {
  readonly type: 'absorb';
  readonly other: ContactState;
}

/** Ids, and the number where it is not empty, that the network tells of the contact. */
export interface LearnContact extends IdentityCommand {
  readonly type: 'learn';
  readonly aliases: readonly string[];
}

export type ContactIdentityCommand = LocateContact | MergeContact | AbsorbContact | LearnContact;

const IDENTITY: ReadonlySet<string> = new Set<ContactIdentityCommand['type']>([
  'locate',
  'merge-into',
  'absorb',
  'learn',
]);

export function isContactIdentity(command: Command): command is ContactIdentityCommand {
  return IDENTITY.has(command.type);
}
