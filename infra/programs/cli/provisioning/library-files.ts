/**
 * Content of a provisioning file's files. It is read from beside the file, and stored in GridFS
 * under a content-derived name, before the organization refers to it.
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Binary, type Db, MongoServerError } from 'mongodb';
import type { Problem, ProblemAt } from '../../../../shared/problems/provisioning.ts';
import type { OrganizationInFile } from '../../../../shared/provisioning/file.ts';
import { contentId, LIBRARY_BUCKET } from '../../../../shared/provisioning/names.ts';
import { LIBRARY_FILE_MAX_BYTES } from '../../../../shared/provisioning/values.ts';

export interface Content {
  /** The organization's and the entry's ref: together they name the file. */
  readonly orgRef: string;
  readonly ref: string;
  /** Absolute. */
  readonly path: string;
  /** SHA-256, lower-case hex. */
  readonly digest: string;
  readonly sizeBytes: number;
}

interface Measured {
  readonly digest: string;
  readonly sizeBytes: number;
}

async function measure(path: string): Promise<Measured> {
  const hash = createHash('sha256');
  let sizeBytes = 0;
  for await (const chunk of createReadStream(path)) {
    hash.update(chunk);
    sizeBytes += chunk.length;
    if (sizeBytes > LIBRARY_FILE_MAX_BYTES) break;
  }
  return { digest: hash.digest('hex'), sizeBytes };
}

function isTree(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The organization as written, its files named by content instead of by path. */
function named(raw: unknown, contents: ReadonlyMap<number, Measured>): unknown {
  if (!isTree(raw) || !Array.isArray(raw.files)) return raw;
  const files = raw.files.map((entry: unknown, index) => {
    const content = contents.get(index);
    if (!content || !isTree(entry)) return entry;
    const { path: _path, ...rest } = entry;
    return { ...rest, contentDigest: content.digest, sizeBytes: content.sizeBytes };
  });
  return { ...raw, files };
}

/** Reads every file that `organization` names by path; paths are relative to `folder`. */
export async function readContents(
  { path: at, raw, organization }: OrganizationInFile,
  folder: string,
): Promise<{ raw: unknown; contents: readonly Content[]; issues: readonly ProblemAt[] }> {
  const contents = new Map<number, Measured & Content>();
  const issues: ProblemAt[] = [];
  for (const { path: entryPath, entry } of organization?.files ?? []) {
    if (entry.path === undefined || entry.remove === true) continue;
    const path = resolve(folder, entry.path);
    const add = (problem: Problem) => issues.push({ path: `${at}.${entryPath}.path`, problem });
    try {
      const content = await measure(path);
      const orgRef = organization?.head.ref ?? '';
      contents.set(Number(entryPath.split('.')[1]), { ...content, orgRef, ref: entry.ref, path });
      if (content.sizeBytes > LIBRARY_FILE_MAX_BYTES) {
        add({ code: 'fileTooLarge', params: { maxBytes: LIBRARY_FILE_MAX_BYTES } });
      }
    } catch (cause) {
      const reason = cause instanceof Error && 'code' in cause ? String(cause.code) : null;
      add({ code: 'fileUnreadable', params: { reason } });
    }
  }
  return { raw: named(raw, contents), contents: [...contents.values()], issues };
}

/** As a file of GridFS is written; chunks of the size that its drivers use. */
const CHUNK_BYTES = 255 * 1024;
const DUPLICATE_KEY = 11_000;

interface StoredFile {
  readonly _id: string;
  readonly length: number;
  readonly chunkSize: number;
  readonly uploadDate: Date;
  readonly filename: string;
  readonly metadata: Readonly<Record<string, string>>;
}

interface StoredChunk {
  readonly files_id: string;
  readonly n: number;
  readonly data: Binary;
}

/**
 * Stores `content` as file `fileId`. It is idempotent, also after a partial store and with
 * concurrent ones. A chunk's name is derived from its content, and no chunk is ever removed. A file
 * that is found has all of its chunks.
 * @throws {Error} when the file changed since it was measured
 */
export async function storeContent(db: Db, fileId: string, content: Content): Promise<void> {
  const _id = contentId(fileId, content.digest);
  const files = db.collection<StoredFile>(`${LIBRARY_BUCKET}.files`);
  if (await files.findOne({ _id }, { projection: { _id: 1 } })) return;
  const bytes = await readFile(content.path);
  if (createHash('sha256').update(bytes).digest('hex') !== content.digest) {
    throw new Error(`${content.path} was changed while it was being read`);
  }
  const chunks = db.collection<StoredChunk>(`${LIBRARY_BUCKET}.chunks`);
  await chunks.createIndex({ files_id: 1, n: 1 }, { unique: true });
  for (let n = 0; n * CHUNK_BYTES < bytes.length; n++) {
    const data = new Binary(bytes.subarray(n * CHUNK_BYTES, (n + 1) * CHUNK_BYTES));
    await unlessThere(chunks.updateOne({ files_id: _id, n }, { $set: { data } }, { upsert: true }));
  }
  const file = {
    length: bytes.length,
    chunkSize: CHUNK_BYTES,
    uploadDate: new Date(),
    filename: content.ref,
    metadata: { fileId, contentDigest: content.digest },
  };
  await unlessThere(files.updateOne({ _id }, { $setOnInsert: file }, { upsert: true }));
}

/** Two that write the very same at the same moment may meet. */
async function unlessThere(writing: Promise<unknown>): Promise<void> {
  try {
    await writing;
  } catch (cause) {
    if (!(cause instanceof MongoServerError) || cause.code !== DUPLICATE_KEY) throw cause;
  }
}
