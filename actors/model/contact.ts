/** Commands to contacts, and their documents. */
import type { Command } from '../../shared/ports/bus.ts';
import type { Document } from '../../shared/ports/store.ts';
import type { ContactSource, Origin } from '../../shared/vocabulary.ts';
import type { Acknowledged, Exchange } from '../../shared/wire/command-map.ts';
import type { OutboxItem } from '../../shared/wire/outbox.ts';
import type { ContactState } from '../domain/contact.ts';
import type { FirstAd } from '../domain/first-ad.ts';
import type { ChangeByFlow } from '../domain/flow/effects.ts';
import type { MergeCandidate } from '../domain/identity.ts';
import type { CounterFields } from './counter.ts';
import type { CommandFields } from './entity.ts';

export interface AskedOfContacts {
  readonly ensure: Exchange<EnsureContact, EnsuredContact>;
  readonly opt: Exchange<OptContact, Acknowledged>;
  readonly locate: Exchange<LocateContact, LocatedContact>;
  readonly 'merge-into': Exchange<MergeContact, MergedContact>;
  readonly absorb: Exchange<AbsorbContact, Acknowledged>;
  readonly learn: Exchange<LearnContact, Acknowledged>;
  readonly 'flow-change': Exchange<ChangeByFlow, Acknowledged>;
}

/** Creates the contact if it is missing. */
export interface EnsureContact extends Command {
  readonly type: 'ensure';
  readonly orgId: string;
  readonly phone: string;
  readonly profileName: string | null;
  /** The advertisement behind the contact's message. */
  readonly firstAd?: FirstAd;
  readonly source: ContactSource;
  readonly origin: Origin;
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
export interface IdentityCommand extends Command {
  readonly orgId: string;
  /** The number by which the contact is addressed; empty for an opaque id. */
  readonly phone: string;
}

/** Asks which contact an identity is; changes nothing. */
export interface LocateContact extends IdentityCommand {
  readonly type: 'locate';
}

export interface MovedContact {
  readonly movedTo: string;
}

export type LocatedContact =
  | MovedContact
  | (MergeCandidate & { readonly phone: string; readonly aliases: readonly string[] });

/** Merges the contact into another; answers 409 where this one has precedence. */
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
  /** Of a contact that is recorded now: its event has the name. */
  readonly profileName?: string;
  readonly origin: Origin;
}

/** The state of a contact as it is stored. */
export interface ContactDocument extends Document, Omit<ContactState, 'id'> {
  readonly search: string;
}

/** A contact as its actor writes it: with its completed commands, its outbox and its count. */
export interface StoredContact extends ContactDocument, CommandFields, CounterFields {
  readonly outbox?: readonly OutboxItem[];
  readonly pending?: number;
}
