/**
 * The contacts of one organization in memory, as the store has them at the moment of each search.
 *
 * 1. What has changed is found by the marks and the steps of the tally (`actors/tally/ledger.ts`):
 *    first what is marked, then what a step has told since. A change is always in one of the two.
 * 2. Every search begins with a look that began after it was asked: what was answered before a
 *    search is found by it.
 * 3. Whose number is not what the tally says is read anew.
 */
import type { Clock, Document, Store } from '../../shared/ports.ts';
import type { ContactDocument } from '../contact/documents.ts';
import {
  type LedgerDocument,
  ledgerId,
  readLedger,
  STEPS,
  type StepDocument,
  stepId,
} from '../tally/ledger.ts';
import { OUTSIDE } from '../tally/places.ts';
import { CONTACT_TALLY } from '../tally/tallied.ts';
import type { Findings } from './findings.ts';
import { paceOf } from './pace.ts';
import { Texts } from './texts.ts';

/** So long nobody tries again to read an organization that is too large. */
const TOO_LARGE_MS = 10 * 60_000;

const READ_AT_ONCE = 2_000;
/** Marked at once: beyond it the store searches, until they have been counted. */
const MARKED_MAX = 20_000;
/** Steps are kept for an hour. */
const LOOK_VALID_MS = 30 * 60_000;
/** A number that stays wrong is not cured by reading again at once. */
const READ_ANEW_MS = 60_000;
const SHOWN = { search: 1, updatedAt: 1 } as const;
export const CONTACTS_INDEX = { orgId: 1, updatedAt: -1, _id: -1, search: 1 } as const;

export interface SearchRoom {
  readonly findings: Findings;
  /** Of one organization's texts: a larger one is searched by the store. */
  readonly maxBytes: number;
}

/** A reading of all contacts. */
interface Reading {
  readonly startedAt: number;
  readonly texts: Texts;
  /** As many as the tally knows of. */
  readonly expected: number;
}

type SearchedContact = Document & Pick<ContactDocument, 'search' | 'updatedAt'>;

export class SearchedContacts {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #orgId: string;
  readonly #room: SearchRoom;
  #texts: Texts;
  /** The steps up to this version of the ledger are in; null before the first reading. */
  #version: number | null = null;
  #lookedAt = 0;
  #readAt = 0;
  #looking: Promise<void> | null = null;
  #next: Promise<void> | null = null;
  #reading: Reading | null = null;
  /** Not read again before. */
  #tooLargeUntil = 0;

  constructor(
    { store, clock }: { readonly store: Store; readonly clock: Clock },
    orgId: string,
    room: SearchRoom,
  ) {
    this.#store = store;
    this.#clock = clock;
    this.#orgId = orgId;
    this.#room = room;
    this.#texts = new Texts(room.findings);
  }

  /** Of what is kept, and of what a reading under way has made. */
  get bytes(): number {
    return this.#texts.bytes + (this.#reading?.texts.bytes ?? 0);
  }

  /** Whether a search need not wait for a whole reading. */
  get isRead(): boolean {
    return this.#version !== null && this.#now() - this.#lookedAt < LOOK_VALID_MS;
  }

  /** How long the reading under way will still take, by its pace so far. Milliseconds. */
  get readingLeftMs(): number {
    if (!this.#reading) return 0;
    const { startedAt, texts, expected } = this.#reading;
    const left = Math.max(0, expected - texts.size);
    return ((this.#now() - startedAt) * left) / texts.size;
  }

  get texts(): Texts {
    return this.#texts;
  }

  /** One look serves all who ask while the one before it is under way. */
  look(): Promise<void> {
    if (!this.#looking) return this.#begin();
    this.#next ??= this.#looking.then(
      () => this.#begin(),
      () => this.#begin(),
    );
    return this.#next;
  }

  #begin(): Promise<void> {
    this.#next = null;
    const looking = (this.isRead ? this.#catchUp() : this.#readAll()).finally(() => {
      if (this.#looking === looking) this.#looking = null;
    });
    this.#looking = looking;
    return looking;
  }

  async #readAll(): Promise<void> {
    this.#version = null;
    if (this.#now() < this.#tooLargeUntil) throw new TooLarge(this.#orgId);
    const ledger = await this.#ledger();
    const texts = new Texts(this.#room.findings);
    const expected = countedBy(ledger);
    this.#reading = { startedAt: this.#now(), texts, expected };
    await this.#readInto(texts).finally(() => {
      this.#reading = null;
    });
    this.#texts = texts;
    this.#version = ledger.version;
    this.#lookedAt = this.#now();
    this.#readAt = this.#now();
    await this.#catchUp();
  }

  /** Newest first, from one to the next by the index alone. */
  async #readInto(texts: Texts): Promise<void> {
    for (let last: SearchedContact | undefined; ; ) {
      const equals = last
        ? await this.#some({ updatedAt: last.updatedAt, _id: { $lt: last._id } })
        : [];
      const some =
        equals.length > 0
          ? equals
          : await this.#some(last ? { updatedAt: { $lt: last.updatedAt } } : {});
      await this.#put(texts, some);
      if (texts.bytes > this.#room.maxBytes) {
        this.#tooLargeUntil = this.#now() + TOO_LARGE_MS;
        throw new TooLarge(this.#orgId);
      }
      last = some.at(-1);
      if (!last) return;
    }
  }

  #some(beyond: Readonly<Record<string, unknown>>): Promise<SearchedContact[]> {
    return this.#store.find<SearchedContact>(
      'contacts',
      { orgId: this.#orgId, ...beyond },
      {
        sort: { updatedAt: -1, _id: -1 },
        limit: READ_AT_ONCE,
        project: SHOWN,
        index: CONTACTS_INDEX,
      },
    );
  }

  async #catchUp(): Promise<void> {
    const lookedAt = this.#now();
    const marked = await this.#store.find<SearchedContact>(
      'contacts',
      { recount: this.#orgId },
      { project: SHOWN, limit: MARKED_MAX + 1 },
    );
    if (marked.length > MARKED_MAX) throw new NotCounted(ledgerId(CONTACT_TALLY, this.#orgId));
    const ledger = await this.#ledger();
    const told = await this.#toldSince(ledger);
    await this.#put(this.#texts, [...marked, ...told]);
    const isQuiet = marked.length === 0 && ledger.version === this.#version;
    this.#version = ledger.version;
    this.#lookedAt = lookedAt;
    if (this.#texts.worn || (isQuiet && this.#isDoubtful(ledger))) this.#version = null;
  }

  async #put(texts: Texts, contacts: readonly SearchedContact[]): Promise<void> {
    const pace = paceOf(this.#clock);
    for (const contact of contacts) {
      texts.put(textOf(contact));
      if (pace.due()) await pace.pause();
    }
  }

  #now(): number {
    return this.#clock.now();
  }

  /** Nothing is under way, and yet the tally has another number. */
  #isDoubtful(ledger: LedgerDocument): boolean {
    if (ledger.folding.length > 0 || this.#now() - this.#readAt < READ_ANEW_MS) return false;
    return countedBy(ledger) !== this.#texts.size;
  }

  /** What steps have told since the last look, as it is now. */
  async #toldSince(ledger: LedgerDocument): Promise<readonly SearchedContact[]> {
    if (ledger.version <= (this.#version ?? 0)) return [];
    const steps = await this.#store.find<StepDocument>(STEPS, {
      _id: {
        $gt: stepId(ledger._id, this.#version ?? 0),
        $lte: stepId(ledger._id, ledger.version),
      },
    });
    const ids = new Set(steps.flatMap((step) => step.ids));
    if (ids.size === 0) return [];
    return this.#store.find<SearchedContact>(
      'contacts',
      { _id: { $in: [...ids] } },
      { project: SHOWN },
    );
  }

  async #ledger(): Promise<LedgerDocument> {
    const ledger = await readLedger(this.#store, CONTACT_TALLY, this.#orgId);
    if (!ledger) throw new NotCounted(ledgerId(CONTACT_TALLY, this.#orgId));
    return ledger;
  }
}

/** The organization's contacts have not been counted yet, or too many of them have changed. */
export class NotCounted extends Error {
  constructor(ledger: string) {
    super(`${ledger} is not there yet, or far behind`);
    this.name = 'NotCounted';
  }
}

/** The organization's contacts take more memory than a process gives them. */
export class TooLarge extends Error {
  constructor(orgId: string) {
    super(`the contacts of ${orgId} are too many to be kept`);
    this.name = 'TooLarge';
  }
}

function countedBy({ counts }: LedgerDocument): number {
  return counts.reduce((sum, { of, n }) => (of === OUTSIDE ? sum : sum + n), 0);
}

function textOf({ _id, search, updatedAt }: SearchedContact) {
  return { id: _id, text: search ?? '', updatedAt };
}
