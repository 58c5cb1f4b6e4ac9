/** What the checkers look at: pure data, so that each of them can be shown a world gone wrong. */

import type { EntryDocument } from '../../../actors/conversation/documents.ts';
import type { DeliveryDocument } from '../../../actors/subscription/documents.ts';
import type { Asked } from '../history.ts';
import type { HandedOver } from '../outside/messaging-network.ts';
import type { Posted } from '../outside/subscribers.ts';
import type { WindowsEvidence } from '../world/window-notes.ts';

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

export interface Evidence {
  /** The wall clock at the end, epoch milliseconds. */
  readonly now: number;
  readonly history: readonly Asked[];
  /** The logs of all conversations. */
  readonly entries: readonly EntryDocument[];
  /** Entries in the order in which they took effect. */
  readonly appended: readonly Pick<EntryDocument, '_id' | 'conversationId' | 'seq'>[];
  readonly deliveries: readonly DeliveryDocument[];
  readonly deals: readonly StoredRecord[];
  readonly tasks: readonly StoredRecord[];
  readonly contacts: readonly StoredContact[];
  readonly handed: readonly HandedOver[];
  readonly posts: readonly Posted[];
  /** The text of every file that is kept, by its id. */
  readonly shelf: ReadonlyMap<string, string>;
  /** What contacts sent and the network let go before it was fetched. */
  readonly gone: ReadonlySet<string>;
  readonly windows: WindowsEvidence;
}

/** Sentences about what is wrong; none where all is well. */
export type Checker = (evidence: Evidence) => readonly string[];

export function byText(entries: readonly EntryDocument[]): ReadonlyMap<string, EntryDocument[]> {
  return Map.groupBy(
    entries.filter(({ message }) => message?.direction === 'out'),
    ({ message }) => message?.text ?? '',
  );
}
