/** Interface of the contact actor for its turns about identity. */

import type { Command } from '../../shared/ports/bus.ts';
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
  /** The number of the signpost that led here, where the command itself contains none. */
  readonly numberIfNew?: unknown;
}

export interface OpenContact {
  readonly id: string;
  readonly parts: ContactParts;
  /** The contact on record, or a new one under this number. */
  load(named: NamedContact): Promise<ContactState>;
  /** Commits the next version, then publishes `items`. */
  commit(state: ContactState, items: readonly OutboxItem[]): Promise<void>;
  /** Events and commands that follow a change, for subscribers and flows. */
  followUps(command: Command, changed: Changed, origin: string): readonly OutboxItem[];
}
