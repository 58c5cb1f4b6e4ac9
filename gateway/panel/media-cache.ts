/**
 * Files in a browser's cache. A file never changes, but its reader's session ends: the browser
 * keeps the bytes, and asks before each use whether it still may show them.
 */
import type { Reply } from '../http/respond.ts';

/** @param known the tag that the browser sent, of the file that it keeps */
export function revalidated(reply: Reply, mediaId: string, known: string | undefined): Reply {
  if (reply.status !== 200) return reply;
  const etag = `"${mediaId}"`;
  const headers = { ...reply.headers, 'cache-control': 'private, no-cache', etag };
  if (known !== etag) return { ...reply, headers };
  const { stream, ...rest } = reply;
  stream?.end();
  return { ...rest, status: 304, headers };
}
