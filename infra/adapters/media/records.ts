/** The records of files, one document each, and which of them no entry is known to name. */
import { randomUUID } from 'node:crypto';
import { type Collection, type Db, MongoServerError, type UpdateFilter } from 'mongodb';
import type {
  MediaRecord,
  NamedPlace,
  ReferenceState,
  UnreferencedMedia,
} from '../../../shared/ports/media.ts';
import { withinDeadline } from '../mongo/deadline.ts';

const RECORDS = 'media';
const DUPLICATE_KEY = 11_000;
const SWEPT_AT_ONCE = 100;

export interface RecordDocument extends Omit<MediaRecord, 'id'> {
  readonly _id: string;
  readonly bucket: string;
  readonly contentId: string;
  readonly createdAt: number;
  /** A member's, whose message claims it. */
  readonly uploaded?: true;
  /** Until it is found named by its entry: when it was last asked for, epoch milliseconds. */
  readonly loose?: { readonly since: number; readonly entryId: string };
}

/** Name of an uploaded file's content; every part of it finds the name by the file's id. */
export function uploadedContentId(id: string): string {
  return `${id}:upload`;
}

/** A unique name, which begins with the id of the record that it is written for. */
export function freshContentId(id: string): string {
  return `${id}:${randomUUID()}`;
}

export function recordOf({ _id, orgId, channelId, ...rest }: RecordDocument): MediaRecord {
  const { mimeType, fileName, sizeBytes, digest } = rest;
  return { id: _id, orgId, channelId, mimeType, fileName, sizeBytes, digest };
}

/** @param now epoch milliseconds */
export class MediaRecords {
  readonly #records: Collection<RecordDocument>;
  readonly #now: () => number;

  constructor(db: Db, now: () => number) {
    this.#records = db.collection<RecordDocument>(RECORDS);
    this.#now = now;
  }

  find(id: string): Promise<RecordDocument | null> {
    return withinDeadline(this.#records.findOne({ _id: id }), 'find media');
  }

  /** The stored record; a loose one is renewed, so that no sweep removes it. */
  async touch(id: string): Promise<RecordDocument | null> {
    const known = await this.find(id);
    if (!known?.loose) return known;
    const filter = { _id: id, loose: { $exists: true } };
    const change = { $max: { 'loose.since': this.#now() } };
    await withinDeadline(this.#records.updateOne(filter, change), 'rejuvenate media');
    return this.find(id);
  }

  /** Answers the record under its id: this document, or one that was there before. */
  async put(document: RecordDocument): Promise<RecordDocument> {
    try {
      await withinDeadline(this.#records.insertOne(document), 'insert media');
      return document;
    } catch (cause) {
      const known = isDuplicate(cause) ? await this.touch(document._id) : null;
      if (!known) throw cause;
      return known;
    }
  }

  /**
   * The uploaded file of the organization, now of this channel. One that a second message claims
   * stays for good: either of the two may name it.
   */
  async claim(
    id: string,
    { orgId, channelId, entryId }: NamedPlace,
  ): Promise<RecordDocument | null> {
    const mine = { _id: id, orgId, uploaded: true, channelId: { $in: ['', channelId] } } as const;
    const first = { ...mine, 'loose.entryId': { $in: ['', entryId] } };
    const loose = { since: this.#now(), entryId };
    const claiming = this.#records.updateOne(first, { $set: { channelId, loose } });
    const { matchedCount } = await withinDeadline(claiming, 'claim media');
    if (matchedCount === 0) {
      const keeping = this.#records.updateOne(mine, { $set: { channelId }, $unset: { loose: '' } });
      await withinDeadline(keeping, 'keep media');
    }
    const found = this.#records.findOne({ ...mine, channelId });
    return withinDeadline(found, 'find media');
  }

  /** Whether a record names this content. */
  async references(contentId: string): Promise<boolean> {
    const known = await this.find(contentId.slice(0, contentId.lastIndexOf(':')));
    return known?.contentId === contentId;
  }

  /** Removes records that were loose before `before` and that no entry names; how many. */
  async sweep(
    before: number,
    referenceStateOf: (media: UnreferencedMedia) => Promise<ReferenceState>,
  ): Promise<number> {
    let removed = 0;
    for (;;) {
      const old = this.#records.find({ 'loose.since': { $lt: before } });
      const loose = await withinDeadline(old.limit(SWEPT_AT_ONCE).toArray(), 'find loose media');
      const settled = loose.map(async ({ _id, loose: seen }) => {
        if (!seen) return 0;
        const referenceState = await referenceStateOf({ id: _id, entryId: seen.entryId });
        return this.#applyReference(_id, seen.since, referenceState);
      });
      for (const each of await Promise.all(settled)) removed += each;
      if (loose.length < SWEPT_AT_ONCE) return removed;
    }
  }

  /** 1 when it was removed. */
  async #applyReference(
    _id: string,
    since: number,
    referenceState: ReferenceState,
  ): Promise<number> {
    const seen = { _id, 'loose.since': since };
    if (referenceState === 'unnamed') {
      const removing = this.#records.deleteOne(seen);
      return (await withinDeadline(removing, 'remove media')).deletedCount;
    }
    const change: UpdateFilter<RecordDocument> =
      referenceState === 'named'
        ? { $unset: { loose: '' } }
        : { $set: { 'loose.since': this.#now() } };
    await withinDeadline(this.#records.updateOne(seen, change), 'settle media');
    return 0;
  }
}

function isDuplicate(cause: unknown): boolean {
  return cause instanceof MongoServerError && cause.code === DUPLICATE_KEY;
}
