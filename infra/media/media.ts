/**
 * Where media are: bytes in GridFS, one record per file in `media` (design: Slow work never sits
 * in a mailbox).
 *
 * 1. Bytes are stored under a name that nothing else has, then the record names them: whoever finds
 *    a record finds all of its bytes.
 * 2. Of several that keep the same id one record stays; the others' bytes are taken away again.
 */
import { createHash, randomUUID } from 'node:crypto';
import { type Db, GridFSBucket, MongoServerError, type ObjectId } from 'mongodb';
import type {
  LibraryContent,
  Media,
  MediaFile,
  MediaPlace,
  MediaRecord,
} from '../../shared/media.ts';
import type { Clock } from '../../shared/ports.ts';
import { LIBRARY_BUCKET } from '../../shared/provisioning/names.ts';
import { withinDeadline } from '../mongo/deadline.ts';
import { createDownloader } from './download.ts';

const RECORDS = 'media';
const MEDIA_BUCKET = 'mediaContent';
const BYTES_MS = 30_000;
const DUPLICATE_KEY = 11_000;

interface RecordDocument extends Omit<MediaRecord, 'id'> {
  readonly _id: string;
  readonly bucket: string;
  readonly contentId: string;
  readonly createdAt: number;
}

export interface MediaOptions {
  readonly db: Db;
  readonly clock: Clock;
  /** `host:port` entries (PRIVATE_NETWORK_ALLOW). */
  readonly allow: readonly string[];
}

export interface ClosableMedia extends Media {
  close(): Promise<void>;
}

/** Throws on an `allow` entry that is not `host:port`. */
export function createMedia({ db, clock, allow }: MediaOptions): ClosableMedia {
  const downloader = createDownloader({ allow, clock });
  const records = db.collection<RecordDocument>(RECORDS);
  const byId = (id: string) => withinDeadline(records.findOne({ _id: id }), 'find media');
  const bucketNamed = (bucketName: string) => new GridFSBucket(db, { bucketName });
  const put = async (document: RecordDocument): Promise<RecordDocument> => {
    try {
      await withinDeadline(records.insertOne(document), 'insert media');
      return document;
    } catch (cause) {
      const known = isDuplicate(cause) ? await byId(document._id) : null;
      if (!known) throw cause;
      return known;
    }
  };
  return {
    fetch: (url, asker) => downloader.download(url, asker),
    find: async (id) => {
      const known = await byId(id);
      return known && recordOf(known);
    },
    async keep(id, place, file) {
      const known = await byId(id);
      if (known) return recordOf(known);
      const bucket = bucketNamed(MEDIA_BUCKET);
      const contentId = `${id}:${randomUUID()}`;
      await withinDeadline(upload(bucket, contentId, file.bytes), 'store media', BYTES_MS);
      const kept = await put(documentOf(id, place, { file, contentId, at: clock.now() }));
      if (kept.contentId !== contentId) await bucket.delete(gridId(contentId));
      return recordOf(kept);
    },
    async adopt(id, { orgId, channelId }, content) {
      const known = await byId(id);
      if (known) return recordOf(known);
      return recordOf(await put(adopted(id, { orgId, channelId }, [content, clock.now()])));
    },
    async open(id, range) {
      const known = await byId(id);
      if (!known) return null;
      const bucket = bucketNamed(known.bucket);
      const reading = read(bucket, known.contentId, range);
      return withinDeadline(reading, 'read media', BYTES_MS);
    },
    close: () => downloader.close(),
  };
}

function recordOf({ _id, orgId, channelId, ...rest }: RecordDocument): MediaRecord {
  const { mimeType, fileName, sizeBytes, digest } = rest;
  return { id: _id, orgId, channelId, mimeType, fileName, sizeBytes, digest };
}

function documentOf(
  id: string,
  { orgId, channelId }: MediaPlace,
  { file, contentId, at }: { file: MediaFile; contentId: string; at: number },
): RecordDocument {
  return {
    _id: id,
    orgId,
    channelId,
    bucket: MEDIA_BUCKET,
    contentId,
    mimeType: file.mimeType,
    fileName: file.fileName,
    sizeBytes: file.bytes.length,
    digest: createHash('sha256').update(file.bytes).digest('hex'),
    createdAt: at,
  };
}

function adopted(
  id: string,
  place: MediaPlace,
  [content, createdAt]: readonly [LibraryContent, number],
): RecordDocument {
  return { _id: id, ...place, bucket: LIBRARY_BUCKET, ...content, createdAt };
}

/** GridFS takes any `_id`, its types only the driver's own. */
function gridId(id: string): ObjectId {
  return id as unknown as ObjectId;
}

async function upload(bucket: GridFSBucket, name: string, bytes: Uint8Array): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const stream = bucket.openUploadStreamWithId(gridId(name), name);
  stream.once('finish', () => resolve()).once('error', reject);
  stream.end(bytes);
  await promise;
}

async function read(
  bucket: GridFSBucket,
  name: string,
  range: { readonly start: number; readonly end: number } | undefined,
): Promise<Uint8Array | null> {
  const chunks: Uint8Array[] = [];
  try {
    const stream = bucket.openDownloadStream(gridId(name), range ?? {});
    for await (const chunk of stream) chunks.push(chunk);
  } catch (cause) {
    if (isAbsent(cause)) return null;
    throw cause;
  }
  return Buffer.concat(chunks);
}

function isAbsent(cause: unknown): boolean {
  return cause instanceof Error && 'code' in cause && cause.code === 'ENOENT';
}

function isDuplicate(cause: unknown): boolean {
  return cause instanceof MongoServerError && cause.code === DUPLICATE_KEY;
}
