/** Cache of the latest entries: their receipts are expected next, and each hit saves a read. */
import type { EntryDocument } from './documents.ts';

const RECENT_MAX = 8;

export class RecentEntries {
  readonly #entries = new Map<string, EntryDocument>();

  keep(entry: EntryDocument): void {
    this.#entries.delete(entry._id);
    this.#entries.set(entry._id, entry);
    if (this.#entries.size <= RECENT_MAX) return;
    const oldest = this.#entries.keys().next().value;
    if (oldest !== undefined) this.#entries.delete(oldest);
  }

  has(entryId: string): boolean {
    return this.#entries.has(entryId);
  }

  find(messageId: string | null, externalId: string | undefined): EntryDocument | undefined {
    if (messageId !== null) return this.#entries.get(messageId);
    if (externalId === undefined) return undefined;
    for (const entry of this.#entries.values()) {
      const { message } = entry;
      if (message?.direction === 'out' && message.externalId === externalId) return entry;
    }
    return undefined;
  }
}
