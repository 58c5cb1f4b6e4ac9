/**
 * Media through the QR bridge (WAHA): the bytes travel with the message, and what a contact sent is
 * fetched from the bridge's own address, which lives for minutes only.
 */
import { MEDIA_DOCUMENT_MAX_BYTES } from '../../../shared/limits.ts';
import type { MediaKind } from '../../../shared/media.ts';
import type {
  InboundMedia,
  MediaDownload,
  NetworkChannel,
  OutboundMedia,
  SendOutcome,
} from '../../../shared/network.ts';
import { type BridgeCaller, fileAt, TRANSFER_TIMEOUT_MS } from './bridge-call.ts';
import { type BridgeSender, postMessage } from './send.ts';

const CALLS: Readonly<Record<MediaKind, string>> = {
  image: 'sendImage',
  video: 'sendVideo',
  audio: 'sendVoice',
  document: 'sendFile',
  sticker: 'sendFile',
};
const GONE: ReadonlySet<number> = new Set([400, 404, 410]);

/** Sends; resolves with the outcome and never rejects. */
export function sendMedia(
  sender: BridgeSender,
  channel: NetworkChannel,
  message: OutboundMedia,
): Promise<SendOutcome> {
  const { kind, caption, mimeType, fileName, content } = message;
  const bytes = 'bytes' in content ? content.bytes : new Uint8Array();
  const file = {
    mimetype: mimeType,
    ...(fileName === null ? {} : { filename: fileName }),
    data: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64'),
  };
  // The network plays only its own codecs: the bridge makes them of whatever it is given.
  const converted = kind === 'audio' || kind === 'video' ? { convert: true } : {};
  const captioned = caption === null || kind === 'audio' ? {} : { caption };
  return postMessage(sender, channel, {
    to: message.to,
    call: CALLS[kind],
    replyTo: message.replyTo,
    part: { file, ...captioned, ...converted },
    timeoutMs: TRANSFER_TIMEOUT_MS,
  });
}

/** Gets what a contact sent. Never rejects. */
export async function download(
  caller: BridgeCaller,
  channel: NetworkChannel,
  media: InboundMedia,
): Promise<MediaDownload> {
  const { url } = media;
  if (url === undefined) return { downloaded: false, final: true, cause: 'no address was told' };
  const answer = await caller.http.fetch(
    { method: 'GET', ...fileAt(caller, channel, url), timeoutMs: TRANSFER_TIMEOUT_MS },
    MEDIA_DOCUMENT_MAX_BYTES,
  );
  if (!answer.answered) return { downloaded: false, final: false, cause: answer.cause };
  if (answer.status !== 200) {
    const cause = `status ${answer.status}`;
    return { downloaded: false, final: GONE.has(answer.status), cause };
  }
  return { downloaded: true, bytes: answer.bytes, mimeType: answer.contentType };
}
