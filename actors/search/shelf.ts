/** The contacts of the organizations that search, as many as a process can bear. */

import { describe } from '../runtime/mailbox.ts';
import type { World } from '../world.ts';
import { NotCounted, SearchedContacts, TooLarge } from './contacts.ts';
import { Findings } from './findings.ts';
import { paceOf } from './pace.ts';
import type { FoundPage, Wanted } from './texts.ts';

/** Of all organizations; the one that has just searched stays in any case, within its own bound. */
const SHELF_MAX_BYTES = 768 * 1024 * 1024;
const KEPT_MS = 60 * 60_000;
/**
 * A first search waits for the reading while it promises to be done by then; the store searches in
 * its place as soon as it does not.
 */
const PATIENCE_MS = 6_000;
const LOOK_AGAIN_MS = 1_000;

interface Shelved {
  readonly contacts: SearchedContacts;
  usedAt: number;
}

export class SearchShelf {
  readonly #world: Pick<World, 'store' | 'clock' | 'log'>;
  /** The longest unused first. */
  readonly #shelf = new Map<string, Shelved>();
  readonly #room = { findings: new Findings(), maxBytes: SHELF_MAX_BYTES };

  constructor(world: Pick<World, 'store' | 'clock' | 'log'>) {
    this.#world = world;
  }

  /** What a search finds now; null while its contacts are not in memory. */
  async search(orgId: string, text: string, wanted: Wanted): Promise<FoundPage | null> {
    const contacts = await this.#current(orgId);
    return contacts ? contacts.texts.search(text, wanted, paceOf(this.#world.clock)) : null;
  }

  /** The contacts as they are now; null while that takes too long. */
  async #current(orgId: string): Promise<SearchedContacts | null> {
    const { log } = this.#world;
    const contacts = this.#of(orgId);
    const wasRead = contacts.isRead;
    const looking = contacts.look();
    try {
      if (wasRead) await looking;
      else if (!(await this.#inTime(contacts, looking))) return null;
      return contacts.isRead ? contacts : null;
    } catch (cause) {
      if (!(cause instanceof NotCounted || cause instanceof TooLarge)) {
        log.warn({ orgId, error: describe(cause) }, 'could not read contacts for a search');
      }
      return null;
    }
  }

  async #inTime(contacts: SearchedContacts, looking: Promise<void>): Promise<boolean> {
    const { clock, log } = this.#world;
    const done = looking.then(() => true);
    done.catch((cause: unknown) => log.debug({ error: describe(cause) }, 'a reading failed'));
    for (let waitedMs = LOOK_AGAIN_MS; waitedMs <= PATIENCE_MS; waitedMs += LOOK_AGAIN_MS) {
      const { promise: later, resolve } = Promise.withResolvers<boolean>();
      const cancel = clock.after(LOOK_AGAIN_MS, () => resolve(false));
      if (await Promise.race([done, later]).finally(cancel)) return true;
      if (waitedMs + contacts.readingLeftMs > PATIENCE_MS) return false;
    }
    return false;
  }

  #of(orgId: string): SearchedContacts {
    const { store, clock } = this.#world;
    const now = clock.now();
    const contacts =
      this.#shelf.get(orgId)?.contacts ?? new SearchedContacts({ store, clock }, orgId, this.#room);
    this.#shelf.delete(orgId);
    this.#shelf.set(orgId, { contacts, usedAt: now });
    let kept = 0;
    for (const [each, { contacts: theirs, usedAt }] of [...this.#shelf].reverse()) {
      kept += theirs.bytes;
      const tooMany = kept > SHELF_MAX_BYTES || now - usedAt > KEPT_MS;
      if (each !== orgId && tooMany) this.#shelf.delete(each);
    }
    return contacts;
  }
}
