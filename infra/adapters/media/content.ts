/**
 * The bytes of files, as GridFS lays them out, written and read one chunk at a time.
 *
 * 1. The file's document comes first, as `begun`: the remains of a crash are found by its age.
 * 2. A writer ends a file only while no sweep has marked it, so a swept file is never recorded.
 * 3. At most two chunks of a file are in memory, however large it is.
 */
import { createHash } from 'node:crypto';
import { Binary, type Collection, type Db } from 'mongodb';
import { LIBRARY_BUCKET } from '../../../shared/provisioning/names.ts';
import { withinDeadline } from '../mongo/deadline.ts';

export const MEDIA_BUCKET = 'mediaContent';
/** As GridFS drivers cut files. */
const CHUNK_BYTES = 255 * 1024;
const UPSERT = { upsert: true } as const;
const SWEPT_AT_ONCE = 100;
const REMOVAL_MS = 30_000;

interface FileDocument {
  readonly _id: string;
  readonly length: number;
  readonly chunkSize: number;
  readonly uploadDate: Date;
  readonly filename: string;
  /** Epoch milliseconds; gone once a sweep has found the file on record. */
  readonly begun?: number;
  readonly swept?: true;
}

interface ChunkDocument {
  readonly files_id: string;
  readonly n: number;
  readonly data: Binary;
}

export interface Written {
  readonly sizeBytes: number;
  /** SHA-256, lower-case hex. */
  readonly digest: string;
}

/** Where a file's bytes are. */
export interface StoredFile {
  readonly bucket: string;
  readonly name: string;
  readonly chunkBytes: number;
}

/** @param now epoch milliseconds */
export class MediaContent {
  readonly #db: Db;
  readonly #now: () => number;

  constructor(db: Db, now: () => number) {
    this.#db = db;
    this.#now = now;
  }

  /**
   * Writes a whole body under a name that nothing else has; the file then counts as begun.
   * @throws what the body throws; then nothing is left but what the sweep removes
   */
  async write(name: string, body: AsyncIterable<Uint8Array>): Promise<Written> {
    const files = this.#files(MEDIA_BUCKET);
    const head = { chunkSize: CHUNK_BYTES, uploadDate: new Date(this.#now()), filename: name };
    const file = { _id: name, length: 0, ...head, begun: this.#now() };
    await withinDeadline(files.insertOne(file), 'begin a file');
    const written = await this.#writeChunks(name, body);
    await this.end(name, written.sizeBytes);
    return written;
  }

  /**
   * Writes a part of a file, which begins with its first part: whole chunks but for the last one.
   * A repeat writes the same.
   */
  async putPart(name: string, start: number, bytes: Uint8Array): Promise<void> {
    const file = { length: 0, chunkSize: CHUNK_BYTES, uploadDate: new Date(this.#now()) };
    const begin = { $setOnInsert: { ...file, filename: name, begun: this.#now() } };
    const files = this.#files(MEDIA_BUCKET);
    const beginning = files.updateOne({ _id: name }, begin, UPSERT);
    await withinDeadline(beginning, 'begin a file');
    await this.putChunks({ bucket: MEDIA_BUCKET, name }, start, bytes);
  }

  /** Writes chunks of a file, each at its place. */
  async putChunks(
    { bucket, name }: Pick<StoredFile, 'bucket' | 'name'>,
    start: number,
    bytes: Uint8Array,
  ): Promise<void> {
    if (start % CHUNK_BYTES !== 0) throw new Error('a part begins within a chunk');
    for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
      const data = new Binary(bytes.subarray(at, at + CHUNK_BYTES));
      const place = { files_id: name, n: (start + at) / CHUNK_BYTES };
      const writing = this.#chunks(bucket).updateOne(place, { $set: { data } }, UPSERT);
      await withinDeadline(writing, 'write a chunk');
    }
  }

  /** Whole from then on; as a provisioning file's content is stored, which no sweep removes. */
  async endLibraryFile(name: string, sizeBytes: number): Promise<void> {
    const head = { length: sizeBytes, chunkSize: CHUNK_BYTES, filename: name };
    const file = { ...head, uploadDate: new Date(this.#now()) };
    const files = this.#files(LIBRARY_BUCKET);
    const ending = files.updateOne({ _id: name }, { $setOnInsert: file }, UPSERT);
    await withinDeadline(ending, 'end a file of the library');
  }

  /** @throws where a sweep has taken the file for a remain */
  async end(name: string, sizeBytes: number): Promise<void> {
    const change = { $set: { length: sizeBytes, begun: this.#now() } };
    const unswept = { _id: name, swept: { $exists: false } };
    const ending = this.#files(MEDIA_BUCKET).updateOne(unswept, change);
    const { matchedCount } = await withinDeadline(ending, 'end a file');
    if (matchedCount > 0) return;
    await this.remove(name);
    throw new Error('a file was swept while it was being written');
  }

  async find(bucket: string, name: string): Promise<StoredFile | null> {
    const file = await withinDeadline(this.#files(bucket).findOne({ _id: name }), 'find a file');
    return file && { bucket, name, chunkBytes: file.chunkSize };
  }

  /** Its bytes in order, at the pace of the reader. Throws when one of its chunks is gone. */
  async *read(
    { bucket, name, chunkBytes }: StoredFile,
    { start, end }: { readonly start: number; readonly end: number },
  ): AsyncGenerator<Uint8Array> {
    const chunks = this.#chunks(bucket);
    for (let n = Math.floor(start / chunkBytes); n * chunkBytes < end; n++) {
      const chunk = await withinDeadline(chunks.findOne({ files_id: name, n }), 'read a chunk');
      if (!chunk) throw new Error(`chunk ${n} of a file is gone`);
      const bytes = chunk.data.buffer.subarray(0, chunk.data.position);
      const from = Math.max(start - n * chunkBytes, 0);
      yield bytes.subarray(from, Math.min(end - n * chunkBytes, bytes.length));
    }
  }

  /**
   * The chunks are removed first: after a crash the remaining ones are still found by their
   * document.
   */
  async remove(name: string): Promise<void> {
    const chunks = this.#chunks(MEDIA_BUCKET).deleteMany({ files_id: name });
    await withinDeadline(chunks, 'remove chunks', REMOVAL_MS);
    const file = this.#files(MEDIA_BUCKET).deleteOne({ _id: name });
    await withinDeadline(file, 'remove a file');
  }

  /** Removes the files that were begun before `before` and are not on record. */
  async sweep(before: number, isOnRecord: (name: string) => Promise<boolean>): Promise<void> {
    const files = this.#files(MEDIA_BUCKET);
    for (;;) {
      const old = files.find({ begun: { $lt: before } }, { projection: { begun: 1 } });
      const reading = old.limit(SWEPT_AT_ONCE).toArray();
      const begun = await withinDeadline(reading, 'find begun files');
      const stored = await Promise.all(begun.map(({ _id }) => isOnRecord(_id)));
      // Of what is removed one file at a time: it is all of its chunks in one write.
      for (const [index, { _id, begun: seen = 0 }] of begun.entries()) {
        if (stored[index] === true) await this.#clearBegun(_id);
        else if (await this.#markSwept(_id, seen)) await this.remove(_id);
      }
      if (begun.length < SWEPT_AT_ONCE) return;
    }
  }

  async #clearBegun(name: string): Promise<void> {
    const settling = this.#files(MEDIA_BUCKET).updateOne({ _id: name }, { $unset: { begun: '' } });
    await withinDeadline(settling, 'settle a file');
  }

  /** False when its writer has gone on meanwhile. */
  async #markSwept(name: string, seen: number): Promise<boolean> {
    const change = { $set: { swept: true as const } };
    const marking = this.#files(MEDIA_BUCKET).updateOne({ _id: name, begun: seen }, change);
    return (await withinDeadline(marking, 'mark a file')).matchedCount > 0;
  }

  async #writeChunks(name: string, body: AsyncIterable<Uint8Array>): Promise<Written> {
    const chunks = this.#chunks(MEDIA_BUCKET);
    const hash = createHash('sha256');
    let sizeBytes = 0;
    let n = 0;
    for await (const bytes of inChunks(body)) {
      hash.update(bytes);
      sizeBytes += bytes.length;
      const writing = chunks.insertOne({ files_id: name, n: n++, data: new Binary(bytes) });
      await withinDeadline(writing, 'write a chunk');
    }
    return { sizeBytes, digest: hash.digest('hex') };
  }

  #files(bucket: string): Collection<FileDocument> {
    return this.#db.collection<FileDocument>(`${bucket}.files`);
  }

  #chunks(bucket: string): Collection<ChunkDocument> {
    return this.#db.collection<ChunkDocument>(`${bucket}.chunks`);
  }
}

/** Each part is valid until the next is asked for. */
async function* inChunks(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  let filled = 0;
  for await (const part of body) {
    for (let at = 0; at < part.length; ) {
      const taken = Math.min(part.length - at, CHUNK_BYTES - filled);
      chunk.set(part.subarray(at, at + taken), filled);
      at += taken;
      filled += taken;
      if (filled < CHUNK_BYTES) continue;
      yield chunk;
      filled = 0;
    }
  }
  if (filled > 0) yield chunk.subarray(0, filled);
}
