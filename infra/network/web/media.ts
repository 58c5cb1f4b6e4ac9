/**
 * Media through the QR bridge (WAHA): the file travels with the message, in base64 inside its JSON,
 * read as the socket takes it; what a contact sent is fetched from the bridge's own address, which
 * lives for minutes only.
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
  const file = { mimetype: mimeType, ...(fileName === null ? {} : { filename: fileName }) };
  // The network plays only its own codecs: the bridge makes them of whatever it is given.
  const converted = kind === 'audio' || kind === 'video' ? { convert: true } : {};
  const captioned = caption === null || kind === 'audio' ? {} : { caption };
  return postMessage(sender, channel, {
    to: message.to,
    call: CALLS[kind],
    replyTo: message.replyTo,
    part: { ...captioned, ...converted, file },
    ...('file' in content ? { data: content.file } : {}),
    timeoutMs: TRANSFER_TIMEOUT_MS,
  });
}

/** Begins to get what a contact sent. Never rejects. */
export async function download(
  caller: BridgeCaller,
  channel: NetworkChannel,
  media: InboundMedia,
): Promise<MediaDownload> {
  const { url } = media;
  if (url === undefined) return { downloaded: false, final: true, cause: 'no address was told' };
  const answer = await caller.http.download(
    { ...fileAt(caller, channel, url), timeoutMs: TRANSFER_TIMEOUT_MS },
    MEDIA_DOCUMENT_MAX_BYTES,
  );
  if (!answer.answered) return { downloaded: false, final: false, cause: answer.cause };
  const { body, contentType: mimeType, discard } = answer;
  if (answer.status !== 200) {
    discard();
    const cause = `status ${answer.status}`;
    return { downloaded: false, final: GONE.has(answer.status), cause };
  }
  return { downloaded: true, body, mimeType, discard };
}
