/**
 * Where media are: bytes in GridFS, one record per file in `media` (design: Slow work never sits
 * in a mailbox).
 *
 * 1. Bytes are stored under a name that nothing else has, then the record names them: whoever finds
 *    a record finds all of its bytes.
 * 2. Of several that keep the same id one record stays; the others' bytes are taken away again.
 * 3. A record is loose until a sweep finds it named by an entry. A loose record that is asked for
 *    becomes young again in the same write, and a sweep removes only what it has seen as old.
 */
import type { Db } from 'mongodb';
import {
  ARRIVALS_HELD_BYTES,
  MEDIA_UNDER_WAY_BYTES,
  UPLOADS_HELD_BYTES,
  UPLOADS_HELD_BYTES_PER_ORGANIZATION,
} from '../../shared/limits.ts';
import type { IncomingFile, Media, NamedPlace } from '../../shared/media.ts';
import type { Clock, Log } from '../../shared/ports.ts';
import { LIBRARY_BUCKET } from '../../shared/provisioning/names.ts';
import { ByteBudget, type Usage } from './budget.ts';
import { MEDIA_BUCKET, MediaContent } from './content.ts';
import { createDownloader } from './download.ts';
import { freshContentId, MediaRecords, type RecordDocument, recordOf } from './records.ts';

const ARRIVALS = { bytes: ARRIVALS_HELD_BYTES, perHolder: ARRIVALS_HELD_BYTES };
const UPLOADS = { bytes: UPLOADS_HELD_BYTES, perHolder: UPLOADS_HELD_BYTES_PER_ORGANIZATION };

export interface MediaOptions {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
  /** `host:port` entries (PRIVATE_NETWORK_ALLOW). */
  readonly allow: readonly string[];
}

/** What is under way in this process, by way. */
export interface MediaUsage {
  readonly budgets: Readonly<Record<'downloads' | 'arrivals' | 'uploads', Usage>>;
  /** Files that were read for networks since the start. */
  readonly lent: number;
}

export interface ClosableMedia extends Media {
  usage(): MediaUsage;
  close(): Promise<void>;
}

/** Throws on an `allow` entry that is not `host:port`. */
export function createMedia({ db, clock, log, allow }: MediaOptions): ClosableMedia {
  const downloader = createDownloader({ allow, clock });
  const content = new MediaContent(db, () => clock.now());
  const records = new MediaRecords(db, () => clock.now());
  const writer = { content, records, log, clock };
  const arrivals = new ByteBudget(ARRIVALS);
  const uploads = new ByteBudget(UPLOADS);
  let lent = 0;
  return {
    refuse: (url) => downloader.refuse(url),
    async fetch(id, place, { url, maxBytes, accepts }) {
      const known = await records.rejuvenate(id);
      if (known) return { downloaded: true, media: recordOf(known) };
      const done = await downloader.download({
        url,
        orgId: place.orgId,
        maxBytes,
        wants: ({ mimeType, sizeBytes }) => sizeBytes === null || accepts({ mimeType, sizeBytes }),
        store: (file) => write(writer, [id, place], { ...file, accepts }),
      });
      if (!done.downloaded) return done;
      const { stored } = done;
      if (!stored) return { downloaded: false, reason: null };
      return { downloaded: true, media: recordOf(stored) };
    },
    find: async (id) => {
      const known = await records.find(id);
      return known && recordOf(known);
    },
    async keep(id, place, file) {
      const known = await records.rejuvenate(id);
      if (known) return recordOf(known);
      const claim = { bytes: MEDIA_UNDER_WAY_BYTES };
      const kept = await arrivals.holding(place.orgId, claim, () =>
        write(writer, [id, place], { ...file, accepts: () => true }),
      );
      if (!kept) throw new Error('a file that nobody turned away was not kept');
      return recordOf(kept);
    },
    async adopt(id, { orgId, channelId }, library) {
      const known = await records.find(id);
      if (known) return recordOf(known);
      const bucket = LIBRARY_BUCKET;
      const document = { _id: id, orgId, channelId, bucket, ...library, createdAt: clock.now() };
      return recordOf(await records.put(document));
    },
    async lend(id, use) {
      const known = await records.find(id);
      if (!known) return null;
      const { orgId, bucket, contentId, mimeType, fileName, sizeBytes } = known;
      const claim = { bytes: Math.min(sizeBytes, MEDIA_UNDER_WAY_BYTES) };
      return uploads.holding(orgId, claim, async () => {
        const stored = await content.find(bucket, contentId);
        if (!stored) return null;
        lent += 1;
        const read = () => content.read(stored, { start: 0, end: sizeBytes });
        return use({ mimeType, fileName, sizeBytes, read });
      });
    },
    async part(id, range) {
      const known = await records.find(id);
      const stored = known && (await content.find(known.bucket, known.contentId));
      if (!stored) return null;
      const parts: Uint8Array[] = [];
      for await (const part of content.read(stored, range)) parts.push(part);
      return Buffer.concat(parts);
    },
    async sweep(before, namingOf) {
      const removed = await records.sweep(before, namingOf);
      await content.sweep(before, (name) => records.names(name));
      return removed;
    },
    usage: () => ({
      budgets: {
        downloads: downloader.usage(),
        arrivals: arrivals.usage,
        uploads: uploads.usage,
      },
      lent,
    }),
    close: () => downloader.close(),
  };
}

interface Writer {
  readonly content: MediaContent;
  readonly records: MediaRecords;
  readonly log: Log;
  readonly clock: Clock;
}

interface Judged extends IncomingFile {
  readonly accepts: (file: { mimeType: string; sizeBytes: number }) => boolean;
}

/** Null when it was turned away. */
async function write(
  { content, records, log, clock }: Writer,
  [id, place]: readonly [string, NamedPlace],
  { mimeType, fileName, body, accepts }: Judged,
): Promise<RecordDocument | null> {
  const contentId = freshContentId(id);
  const undo = (): Promise<void> =>
    content.remove(contentId).catch((cause: unknown) => {
      // The sweep removes it.
      log.warn({ error: String(cause) }, 'a file that was not kept could not be removed');
    });
  const watched = new WatchedBody(body);
  const written = await content.write(contentId, watched.parts()).catch(async (cause: unknown) => {
    // A write of the store that fails may land later: the sweep removes it with the rest.
    if (watched.failed) await undo();
    throw cause;
  });
  if (!accepts({ mimeType, sizeBytes: written.sizeBytes })) {
    await undo();
    return null;
  }
  const { orgId, channelId, entryId } = place;
  const now = clock.now();
  const file = { bucket: MEDIA_BUCKET, contentId, mimeType, fileName, ...written };
  const dates = { createdAt: now, loose: { since: now, entryId } };
  // A put that fails may have landed: then the bytes must stay.
  const kept = await records.put({ _id: id, orgId, channelId, ...file, ...dates });
  if (kept.contentId !== contentId) await undo();
  return kept;
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
