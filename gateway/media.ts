/**
 * Streams a stored file to the caller, part by part at the caller's pace. The process never holds a
 * whole file.
 */

import { failure } from '../shared/failures.ts';
import { ASK_DEADLINE_MS } from '../shared/limits.ts';
import { bodyOf, bodyOfSuccess } from '../shared/wire/answer.ts';
import type { MediaPart, ReadMedia } from '../shared/wire/media-commands.ts';
import type { Gateway } from './gateway.ts';
import { answerReply, type Reply, refusalReply } from './http/respond.ts';

/** Types that a browser may display; any other type is saved, never run. */
const SHOWN = /^(?:image\/(?:jpeg|png|gif|webp)|audio\/|video\/)/;

/** @throws when no answer arrives in time */
export async function readMedia(
  gateway: Gateway,
  wanted: Omit<ReadMedia, 'start'>,
  requestId: string,
): Promise<Reply> {
  const end = await gateway.streamLimiter.acquire(wanted.orgId, ASK_DEADLINE_MS);
  if (!end) return refusalReply(failure('overloaded'));
  let reply: Reply | null = null;
  try {
    reply = await streamed(gateway, { wanted, requestId, end });
    return reply;
  } finally {
    if (!reply?.stream) end();
  }
}

interface StreamRequest {
  readonly wanted: Omit<ReadMedia, 'start'>;
  readonly requestId: string;
  readonly end: () => void;
}

async function streamed(
  gateway: Gateway,
  { wanted, requestId, end }: StreamRequest,
): Promise<Reply> {
  const ask = (start: number) => {
    const payload: ReadMedia = { ...wanted, start };
    const deadline = gateway.clock.now() + ASK_DEADLINE_MS;
    return gateway.bus.query('media', payload, { deadline, requestId });
  };
  const answer = await ask(0);
  if (answer.status !== 200) return answerReply(answer);
  const first = bodyOf(answer);
  const { mimeType, fileName, sizeBytes } = first;
  const chunks = partsOf(first, async (start) => {
    return bodyOfSuccess(await ask(start), 'a part of a file was not answered');
  });
  return {
    status: 200,
    body: '',
    ...(sizeBytes > 0 ? { stream: { sizeBytes, chunks, end } } : {}),
    contentType: mimeType,
    headers: {
      'content-disposition': disposition(mimeType, fileName),
      'content-security-policy': "default-src 'none'; sandbox",
      'x-content-type-options': 'nosniff',
      'cache-control': 'private, max-age=31536000, immutable',
    },
  };
}

async function* partsOf(
  first: MediaPart,
  next: (start: number) => Promise<MediaPart>,
): AsyncGenerator<Uint8Array> {
  let bytes = Buffer.from(first.data, 'base64');
  let read = bytes.length;
  yield bytes;
  while (read < first.sizeBytes) {
    const part = await next(read);
    bytes = Buffer.from(part.data, 'base64');
    if (bytes.length === 0) throw new Error('a file is shorter than its record says');
    read += bytes.length;
    yield bytes;
  }
}

/**
 * Content disposition by RFC 6266, the name in RFC 8187's encoding, which allows every character.
 */
function disposition(mimeType: string, fileName: string | null): string {
  const type = SHOWN.test(mimeType) ? 'inline' : 'attachment';
  if (fileName === null) return type;
  const name = encodeURIComponent(fileName.toWellFormed()).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `${type}; filename*=UTF-8''${name}`;
}
