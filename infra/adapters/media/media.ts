/**
 * Media store: bytes in GridFS, one record per file in `media` (I22: slow work never runs in a
 * mailbox).
 *
 * 1. Bytes are stored under a unique name before the record refers to them: a reader of a record
 *    finds all of its bytes.
 * 2. Of several writers that keep the same id one record stays; the others' bytes are removed.
 * 3. A record is loose until a sweep finds an entry that refers to it. A read of a loose record
 *    renews its age in the same write, and a sweep removes only records that it saw as old.
 */
import type { Db } from 'mongodb';
import {
  ARRIVALS_HELD_BYTES,
  MEDIA_UNDER_WAY_BYTES,
  UPLOADS_HELD_BYTES,
  UPLOADS_HELD_BYTES_PER_ORGANIZATION,
} from '../../../shared/limits.ts';
import type { Clock } from '../../../shared/ports/clock.ts';
import type { Log } from '../../../shared/ports/log.ts';
import type {
  Download,
  DownloadRequest,
  IncomingFile,
  LibraryContent,
  Media,
  MediaPlace,
  MediaRecord,
  NamedPlace,
  ReadableFile,
  Upload,
} from '../../../shared/ports/media.ts';
import { LIBRARY_BUCKET } from '../../../shared/provisioning/names.ts';
import { ByteBudget, type Usage } from './budget.ts';
import { MEDIA_BUCKET, MediaContent } from './content.ts';
import { createDownloader, type Downloader } from './download.ts';
import {
  freshContentId,
  MediaRecords,
  type RecordDocument,
  recordOf,
  uploadedContentId,
} from './records.ts';

const ARRIVALS = { bytes: ARRIVALS_HELD_BYTES, perHolder: ARRIVALS_HELD_BYTES };
const UPLOADS = { bytes: UPLOADS_HELD_BYTES, perHolder: UPLOADS_HELD_BYTES_PER_ORGANIZATION };

export interface MediaOptions {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
  /** `host:port` entries (PRIVATE_NETWORK_ALLOW). */
  readonly allow: readonly string[];
}

/** The files in transit in this process, by kind of transfer. */
export interface MediaUsage {
  readonly budgets: Readonly<Record<'downloads' | 'arrivals' | 'uploads', Usage>>;
  /** Files that were read for networks since the start. */
  readonly filesRead: number;
}

export interface ClosableMedia extends Media {
  usage(): MediaUsage;
  close(): Promise<void>;
}

/** Throws on an `allow` entry that is not `host:port`. */
export function createMedia(options: MediaOptions): ClosableMedia {
  return new StoredMedia(options);
}

class StoredMedia implements ClosableMedia {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #downloader: Downloader;
  readonly #content: MediaContent;
  readonly #records: MediaRecords;
  readonly #arrivals = new ByteBudget(ARRIVALS);
  readonly #uploads = new ByteBudget(UPLOADS);
  #filesRead = 0;

  constructor({ db, clock, log, allow }: MediaOptions) {
    this.#clock = clock;
    this.#log = log;
    this.#downloader = createDownloader({ allow, clock });
    this.#content = new MediaContent(db, () => clock.now());
    this.#records = new MediaRecords(db, () => clock.now());
  }

  refuse(url: string): string | null {
    return this.#downloader.refuse(url);
  }

  async fetch(id: string, place: NamedPlace, request: DownloadRequest): Promise<Download> {
    const known = await this.#records.touch(id);
    if (known) return { downloaded: true, media: recordOf(known) };
    const { url, maxBytes, accepts } = request;
    const done = await this.#downloader.download({
      url,
      orgId: place.orgId,
      maxBytes,
      wants: ({ mimeType, sizeBytes }) => sizeBytes === null || accepts({ mimeType, sizeBytes }),
      store: (file) => this.#write([id, place], { ...file, accepts }),
    });
    if (!done.downloaded) return done;
    const { stored } = done;
    if (!stored) return { downloaded: false, reason: null };
    return { downloaded: true, media: recordOf(stored) };
  }

  async find(id: string): Promise<MediaRecord | null> {
    const known = await this.#records.find(id);
    return known && recordOf(known);
  }

  async keep(id: string, place: NamedPlace, file: IncomingFile): Promise<MediaRecord> {
    const known = await this.#records.touch(id);
    if (known) return recordOf(known);
    const reservation = { bytes: MEDIA_UNDER_WAY_BYTES };
    const stored = await this.#arrivals.withReserved(place.orgId, reservation, () =>
      this.#write([id, place], { ...file, accepts: () => true }),
    );
    if (!stored) throw new Error('a file that nobody turned away was not kept');
    return recordOf(stored);
  }

  async adopt(id: string, place: MediaPlace, library: LibraryContent): Promise<MediaRecord> {
    const known = await this.#records.find(id);
    if (known) return recordOf(known);
    const { orgId, channelId } = place;
    const named = { _id: id, orgId, channelId, bucket: LIBRARY_BUCKET };
    return recordOf(
      await this.#records.put({ ...named, ...library, createdAt: this.#clock.now() }),
    );
  }

  putPart(id: string, start: number, bytes: Uint8Array): Promise<void> {
    return this.#content.putPart(uploadedContentId(id), start, bytes);
  }

  async endUpload(id: string, upload: Upload): Promise<MediaRecord> {
    const contentId = uploadedContentId(id);
    await this.#content.end(contentId, upload.sizeBytes);
    const now = this.#clock.now();
    const place = { channelId: '', bucket: MEDIA_BUCKET, contentId };
    const unnamed = { createdAt: now, loose: { since: now, entryId: '' } };
    const document = { _id: id, ...upload, ...place, ...unnamed, uploaded: true } as const;
    return recordOf(await this.#records.put(document));
  }

  putLibraryPart(contentId: string, start: number, bytes: Uint8Array): Promise<void> {
    return this.#content.putChunks({ bucket: LIBRARY_BUCKET, name: contentId }, start, bytes);
  }

  endLibraryFile(contentId: string, sizeBytes: number): Promise<void> {
    return this.#content.endLibraryFile(contentId, sizeBytes);
  }

  async claim(id: string, place: NamedPlace): Promise<MediaRecord | null> {
    const claimed = await this.#records.claim(id, place);
    return claimed && recordOf(claimed);
  }

  async withFile<T>(id: string, use: (file: ReadableFile) => Promise<T>): Promise<T | null> {
    const known = await this.#records.find(id);
    if (!known) return null;
    const { orgId, bucket, contentId, mimeType, fileName, sizeBytes } = known;
    const reservation = { bytes: Math.min(sizeBytes, MEDIA_UNDER_WAY_BYTES) };
    return this.#uploads.withReserved(orgId, reservation, async () => {
      const stored = await this.#content.find(bucket, contentId);
      if (!stored) return null;
      this.#filesRead += 1;
      const read = () => this.#content.read(stored, { start: 0, end: sizeBytes });
      return use({ mimeType, fileName, sizeBytes, read });
    });
  }

  async part(id: string, range: Parameters<Media['part']>[1]): Promise<Uint8Array | null> {
    const known = await this.#records.find(id);
    const stored = known && (await this.#content.find(known.bucket, known.contentId));
    if (!stored) return null;
    const parts: Uint8Array[] = [];
    for await (const part of this.#content.read(stored, range)) parts.push(part);
    return Buffer.concat(parts);
  }

  async sweep(before: number, namingOf: Parameters<Media['sweep']>[1]): Promise<number> {
    const removed = await this.#records.sweep(before, namingOf);
    await this.#content.sweep(before, (name) => this.#records.references(name));
    return removed;
  }

  usage(): MediaUsage {
    const { usage: arrivals } = this.#arrivals;
    const { usage: uploads } = this.#uploads;
    return {
      budgets: { downloads: this.#downloader.usage(), arrivals, uploads },
      filesRead: this.#filesRead,
    };
  }

  close(): Promise<void> {
    return this.#downloader.close();
  }

  /** Null when it was turned away. */
  async #write(
    [id, place]: readonly [string, NamedPlace],
    { mimeType, fileName, body, accepts }: FileToStore,
  ): Promise<RecordDocument | null> {
    const contentId = freshContentId(id);
    const watched = new WatchedBody(body);
    const writing = this.#content.write(contentId, watched.parts());
    const written = await writing.catch(async (cause: unknown) => {
      // A failed write of the store may take effect later: the sweep removes it with the rest.
      if (watched.failed) await this.#undo(contentId);
      throw cause;
    });
    if (!accepts({ mimeType, sizeBytes: written.sizeBytes })) {
      await this.#undo(contentId);
      return null;
    }
    const { orgId, channelId, entryId } = place;
    const now = this.#clock.now();
    const file = { bucket: MEDIA_BUCKET, contentId, mimeType, fileName, ...written };
    const dates = { createdAt: now, loose: { since: now, entryId } };
    // A failed put may have taken effect: then the bytes must stay.
    const stored = await this.#records.put({ _id: id, orgId, channelId, ...file, ...dates });
    if (stored.contentId !== contentId) await this.#undo(contentId);
    return stored;
  }

  /** Never rejects: the sweep removes the remains. */
  async #undo(contentId: string): Promise<void> {
    try {
      await this.#content.remove(contentId);
    } catch (cause) {
      this.#log.warn({ error: String(cause) }, 'a file that was not kept could not be removed');
    }
  }
}

interface FileToStore extends IncomingFile {
  readonly accepts: (file: { mimeType: string; sizeBytes: number }) => boolean;
}

class WatchedBody {
  readonly #body: AsyncIterable<Uint8Array>;
  failed = false;

  constructor(body: AsyncIterable<Uint8Array>) {
    this.#body = body;
  }

  async *parts(): AsyncGenerator<Uint8Array> {
    try {
      yield* this.#body;
    } catch (cause) {
      this.failed = true;
      throw cause;
    }
  }
}
