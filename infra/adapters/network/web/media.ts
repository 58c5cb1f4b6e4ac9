/**
 * Media through the QR bridge (WAHA). A file is sent inside the message's JSON, in base64, at the
 * socket's pace. A contact's file is downloaded from the bridge's own address, which is valid for
 * minutes only. Without a valid address, the file is requested by its message.
 */
import { MEDIA_DOCUMENT_MAX_BYTES } from '../../../../shared/limits.ts';
import type { MediaKind } from '../../../../shared/media.ts';
import type {
  MediaDownload,
  NetworkChannel,
  OutboundMedia,
  SendOutcome,
} from '../../../../shared/ports/network.ts';
import type { InboundMedia } from '../../../../shared/ports/network-event.ts';
import { parseRecord, recordAt, textAt } from '../webhook-body.ts';
import {
  type BridgeCaller,
  fileAt,
  isSuccess,
  missingSetting,
  readBridge,
  sessionOf,
  TRANSFER_TIMEOUT_MS,
} from './bridge-call.ts';
import { isSessionUnknown } from './errors.ts';
import { chatInId } from './message-id.ts';
import { isOwnSession } from './own-number.ts';
import { type BridgeSender, postMessage } from './send.ts';

const CALLS: Readonly<Record<MediaKind, string>> = {
  image: 'sendImage',
  video: 'sendVideo',
  audio: 'sendVoice',
  document: 'sendFile',
  sticker: 'sendFile',
};
const STICKER_CALL = 'sendSticker';
/** Type that the bridge converts a voice message to. */
const VOICE_MIME = 'audio/ogg; codecs=opus';
/** The calls for voice and video require a name. */
const NAMES: Readonly<Partial<Record<MediaKind, string>>> = {
  audio: 'voice.ogg',
  video: 'video.mp4',
};
const GONE: ReadonlySet<number> = new Set([400, 404, 410]);

/** Sends; resolves with the outcome and never rejects. */
export function sendMedia(
  sender: BridgeSender,
  channel: NetworkChannel,
  message: OutboundMedia,
): Promise<SendOutcome> {
  const { kind, caption, content } = message;
  // The network plays only its own codecs: the bridge converts every file to them.
  const converted = kind === 'audio' || kind === 'video' ? { convert: true } : {};
  const captioned = caption === null || kind === 'audio' ? {} : { caption };
  const sticker = kind === 'sticker' && sender.engines.has(channel, 'stickers');
  return postMessage(sender, channel, {
    to: message.to,
    ...(sticker ? { call: STICKER_CALL, otherwise: CALLS.sticker } : { call: CALLS[kind] }),
    replyTo: message.replyTo,
    quotesOwn: message.quotesOwn,
    part: { ...(sticker ? {} : captioned), ...converted, file: fileOf(message) },
    ...('file' in content ? { data: content.file } : {}),
    timeoutMs: TRANSFER_TIMEOUT_MS,
  });
}

function fileOf({ kind, mimeType, fileName }: OutboundMedia): Readonly<Record<string, string>> {
  const filename = fileName ?? NAMES[kind];
  return {
    mimetype: kind === 'audio' ? VOICE_MIME : mimeType,
    ...(filename === undefined ? {} : { filename }),
  };
}

/** Begins the download of a contact's file. It is gone where our own session says so. Never rejects. */
export async function download(
  caller: BridgeCaller,
  channel: NetworkChannel,
  media: InboundMedia,
): Promise<MediaDownload> {
  const first = media.url === undefined ? null : await fetchFile(caller, channel, media.url);
  if (first !== null && (first.downloaded || !first.final)) return first;
  const again = await requestDownload(caller, channel, media.networkMediaId);
  const found = 'url' in again ? await fetchFile(caller, channel, again.url) : again;
  if (found.downloaded || !found.final || (await isOwnSession(caller, channel))) return found;
  return notDownloaded('the session may work as another number', false);
}

async function fetchFile(
  caller: BridgeCaller,
  channel: NetworkChannel,
  url: string,
): Promise<MediaDownload> {
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

type NotDownloaded = Extract<MediaDownload, { downloaded: false }>;

/** Has the bridge download the file of a message; answers with where it lies now. */
async function requestDownload(
  caller: BridgeCaller,
  channel: NetworkChannel,
  id: string,
): Promise<{ readonly url: string } | NotDownloaded> {
  if (missingSetting(channel) !== null) return notDownloaded('the channel has no bridge', false);
  // A full id contains the chat; an engine with bare ids finds them in all chats.
  const chat = encodeURIComponent(chatInId(id) ?? 'all');
  const message = encodeURIComponent(id);
  const session = encodeURIComponent(sessionOf(channel));
  const path = `/api/${session}/chats/${chat}/messages/${message}?downloadMedia=true`;
  const answer = await readBridge(caller, channel, { path, timeoutMs: TRANSFER_TIMEOUT_MS });
  if (!answer.answered) return notDownloaded(answer.cause, false);
  const { status, body } = answer;
  if (!isSuccess(status)) {
    return notDownloaded(`status ${status}`, GONE.has(status) && !isSessionUnknown(body));
  }
  const reported = parseRecord(body);
  if (reported === null) return notDownloaded('no such message', true);
  const url = textAt(recordAt(reported, 'media'), 'url');
  return url === undefined ? notDownloaded('not downloaded by the bridge', false) : { url };
}

function notDownloaded(cause: string, final: boolean): NotDownloaded {
  return { downloaded: false, final, cause };
}
