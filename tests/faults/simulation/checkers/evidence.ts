/** Evidence for the checkers: pure data, so that each of them can be shown a world gone wrong. */

import type { EntryDocument } from '../../../../actors/conversation/api.ts';
import type { DeliveryDocument } from '../../../../actors/subscription/api.ts';
import type { Asked } from '../history.ts';
import type { Probe } from '../outside/messaging-network.ts';
import type { Posted } from '../outside/subscribers.ts';
import type { Transmission } from '../outside/transmission.ts';
import type { RecordChange } from '../world/field-history.ts';
import type { WindowsEvidence } from '../world/rate-window-observer.ts';
import type { Mark } from '../world.ts';

/** A deal, a task or a contact as it is stored. */
export interface StoredRecord {
  readonly _id: string;
  readonly version: number;
  readonly state: Readonly<Record<string, unknown>>;
}

export interface StoredContact {
  readonly _id: string;
  readonly phone: string;
  readonly fields: Readonly<Record<string, string>>;
  readonly tags: readonly string[];
}

/** The part of a conversation that a list shows. */
export interface StoredConversation {
  readonly _id: string;
  readonly snapshot: { readonly seq: number };
}

export interface Evidence {
  /** The wall clock at the end, epoch milliseconds. */
  readonly now: number;
  /** Virtual milliseconds, as in the history: the last fault, and the end. */
  readonly healedAt: number;
  readonly endedAt: number;
  readonly history: readonly Asked[];
  /** The logs of all conversations. */
  readonly entries: readonly EntryDocument[];
  /** Entries in the order in which they took effect. */
  readonly appended: readonly Pick<EntryDocument, '_id' | 'conversationId' | 'seq'>[];
  /** By its id, the wall clock of the machine that appended an entry. */
  readonly appendedAt: ReadonlyMap<string, number>;
  /** Messages that were marked, before they were handed to the network. */
  readonly marks: readonly Mark[];
  readonly conversations: readonly StoredConversation[];
  readonly deliveries: readonly DeliveryDocument[];
  /** Subscriptions that the service has disabled: their deliveries wait for an operator. */
  readonly disabled: ReadonlySet<string>;
  readonly deals: readonly StoredRecord[];
  readonly tasks: readonly StoredRecord[];
  readonly contacts: readonly StoredContact[];
  /** Every value that fields of deals, tasks and contacts have had, in order. */
  readonly changes: readonly RecordChange[];
  /** Channels that are configured and enabled. */
  readonly channels: readonly string[];
  readonly probes: readonly Probe[];
  readonly transmissions: readonly Transmission[];
  readonly posts: readonly Posted[];
  /** The text of every file that is kept, by its id. */
  readonly media: ReadonlyMap<string, string>;
  /** Contacts' files that the network dropped before they were fetched. */
  readonly gone: ReadonlySet<string>;
  readonly windows: WindowsEvidence;
}

/** Sentences about faults; none where all is well. */
export type Checker = (evidence: Evidence) => readonly string[];

export function byText(entries: readonly EntryDocument[]): ReadonlyMap<string, EntryDocument[]> {
  return Map.groupBy(
    entries.filter(({ message }) => message?.direction === 'out'),
    ({ message }) => message?.text ?? '',
  );
}
