/**
 * Replies with the documentation's pages and files.
 *
 * 1. A page runs the scripts and shows the styles of its own origin, and calls nothing else.
 * 2. A file goes out as its reader accepts it, so that a reader who stops holds no copy of it.
 * 3. A browser keeps a file and asks before each use whether it is still the same.
 */
import { chooseCoding } from '../http/encoded-file.ts';
import { PAGE_HEADERS } from '../http/page-headers.ts';
import type { BodyStream, Reply } from '../http/respond.ts';
import type { TaggedFile } from './files.ts';

const NOTHING_ELSE = [
  "default-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "script-src 'self'",
  "style-src 'self'",
];

/** To read. */
export const PAGE_POLICY = [...NOTHING_ELSE, "img-src 'self'"].join('; ');

/** Swagger UI draws its arrows from `data:` and shows a received picture from `blob:`. */
export const TRY_POLICY = [
  ...NOTHING_ELSE,
  "img-src 'self' data: blob:",
  "connect-src 'self'",
].join('; ');

/** Of a file that is no page: it runs nothing, wherever it is opened. */
export const FILE_POLICY = "default-src 'none'";

/** @param asked the request's headers, lower-case names */
export function fileReply(
  file: TaggedFile,
  asked: Readonly<Record<string, string>>,
  policy: string,
): Reply {
  const { contentType, etag } = file;
  const { bytes, headers: coding } = chooseCoding(file, asked['accept-encoding'] ?? '');
  const headers = {
    ...{ ...PAGE_HEADERS, 'content-security-policy': policy, 'cache-control': 'no-cache', etag },
    vary: 'accept-encoding',
  };
  if (isKnown(asked['if-none-match'] ?? '', etag)) {
    return { status: 304, body: '', contentType, headers };
  }
  const stream = oneChunk(bytes);
  return { status: 200, body: '', stream, contentType, headers: { ...headers, ...coding } };
}

/** A package that is compressed already, for programs: none of them asks whether it has changed. */
export function packageReply(bytes: Uint8Array, contentType: string): Reply {
  return { status: 200, body: '', stream: oneChunk(bytes), contentType };
}

function isKnown(tags: string, etag: string): boolean {
  return tags.split(',').some((tag) => tag.trim() === etag);
}

function oneChunk(bytes: Uint8Array): BodyStream {
  return { sizeBytes: bytes.length, chunks: chunksOf(bytes), end: () => undefined };
}

async function* chunksOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
