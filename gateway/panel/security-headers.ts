/**
 * Headers of every answer of the panel: its page runs and shows nothing that it did not send.
 *
 * 1. A file has a stricter policy of its own, which stays.
 * 2. A file that is saved has no type that a page could run, even if a contact has named one.
 */
import { PAGE_HEADERS } from '../http/page-headers.ts';
import type { Reply } from '../http/respond.ts';

const POLICY = [
  "default-src 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'self'",
  "object-src 'none'",
].join('; ');

const HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': POLICY,
  ...PAGE_HEADERS,
};

export function withSecurityHeaders(reply: Reply): Reply {
  const cached = reply.headers?.['cache-control'] ? {} : { 'cache-control': 'no-store' };
  const isSaved = reply.headers?.['content-disposition']?.startsWith('attachment') === true;
  return {
    ...reply,
    ...(isSaved ? { contentType: 'application/octet-stream' } : {}),
    headers: { ...HEADERS, ...cached, ...reply.headers },
  };
}
