/** One contact as its turns see it: what the turns about its identity need of the actor. */

import type { Command } from '../../shared/ports.ts';
import type { OutboxItem } from '../../shared/wire/outbox.ts';
import type { ContactState } from '../domain/contact.ts';
import type { Environment } from '../environment.ts';
import type { Changed } from '../flow/contact.ts';
import type { Relay } from '../outbox/relay.ts';

export interface ContactParts {
  readonly environment: Environment;
  readonly relay: Relay;
}

/** How a command names the contact. */
export interface NamedContact {
  readonly orgId: string;
  readonly phone: string;
  /** Of the id that has led here, where the command itself shows none. */
  readonly numberIfNew?: unknown;
}

export interface OpenContact {
  readonly id: string;
  readonly parts: ContactParts;
  /** As it is on record, or new under this number. */
  load(named: NamedContact): Promise<ContactState>;
  /** Commits the next version, then publishes what must follow. */
  commit(state: ContactState, items: readonly OutboxItem[]): Promise<void>;
  /** Events and commands that follow a change, for subscribers and flows. */
  followUps(command: Command, changed: Changed, origin: string): readonly OutboxItem[];
}
