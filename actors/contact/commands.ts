/** Commands to a contact from other actors; the gateway's own are in `shared/commands`. */
import type { Command } from '../../shared/ports.ts';
import type { ContactSource, Origin } from '../../shared/vocabulary.ts';

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
