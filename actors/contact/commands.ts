/** Commands to a contact from other actors; the gateway's own are in `shared/wire/commands`. */
import type { Command } from '../../shared/ports/bus.ts';
import type { ContactSource, Origin } from '../../shared/vocabulary.ts';
import type { ContactState } from '../domain/contact.ts';
import type { MergeCandidate } from '../domain/identity.ts';

/** Creates the contact if it is missing; answers `EnsuredContact`. */
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

/** Opt-in or opt-out: by a message of the contact, a flow's step or a member. */
export interface OptContact extends Command {
  readonly type: 'opt';
  readonly orgId: string;
  readonly phone: string;
  readonly optIn: boolean;
  readonly source: ContactSource;
  readonly origin: Origin;
}

/** Command to the actor of an identity's own id, then to the contact that it has moved to. */
interface IdentityCommand extends Command {
  readonly orgId: string;
  /** The number by which the contact is addressed; empty for an opaque id. */
  readonly phone: string;
}

/** Asks which contact an identity is; answers `LocatedContact` and changes nothing. */
export interface LocateContact extends IdentityCommand {
  readonly type: 'locate';
}

export interface MovedContact {
  readonly movedTo: string;
}

export type LocatedContact =
  | MovedContact
  | (MergeCandidate & { readonly phone: string; readonly aliases: readonly string[] });

/**
 * Merges the contact into another; answers `MergedContact`, or 409 where this one has precedence.
 */
export interface MergeContact extends IdentityCommand {
  readonly type: 'merge-into';
  readonly into: MergeCandidate & { readonly phone: string };
}

/** The state before the merge, for the other contact to absorb; null: none was on record. */
export type MergedContact = MovedContact | { readonly merged: ContactState | null };

export interface AbsorbContact extends IdentityCommand {
  readonly type: 'absorb';
  readonly other: ContactState;
}

/** The ids, and the number where not empty, that the network reports of the contact. */
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
