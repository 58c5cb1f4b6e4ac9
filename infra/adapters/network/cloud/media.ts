/**
 * Media through the Cloud API: a file is uploaded first, then sent by the upload's id. A contact's
 * file is looked up by its id, and downloaded from the address in that answer (valid for 5
 * minutes).
 */
import { MEDIA_DOCUMENT_MAX_BYTES } from '../../../../shared/limits.ts';
import type { ReadableFile } from '../../../../shared/ports/media.ts';
import type {
  MediaDownload,
  NetworkChannel,
  OutboundMedia,
  SendOutcome,
  UploadOutcome,
} from '../../../../shared/ports/network.ts';
import type { InboundMedia } from '../../../../shared/ports/network-event.ts';
import { multipart } from '../multipart.ts';
import { parseRecord, textAt } from '../webhook-body.ts';
import {
  authorization,
  type CloudSender,
  isGone,
  misconfigured,
  missingSetting,
  numberUrl,
  objectUrl,
  outcomeOfAnswered,
  parseGraphError,
  postMessage,
  recipient,
  STATUS_TIMEOUT_MS,
  TRANSFER_TIMEOUT_MS,
} from './send.ts';

/** Without a user agent the network's file servers are reported to refuse. */
const USER_AGENT = 'Recado';
const CONNECT_WAIT_MS = 2_000;
/** Codes that may mean that the network no longer has an upload. */
const MEDIA_CODES: ReadonlySet<string> = new Set(['100', '131008', '131009', '131052', '131053']);
const UPLOAD_FAILED = 'A rede não aceitou a mídia enviada.';

/** Sends; resolves with the outcome and never rejects. */
export async function sendMedia(
  sender: CloudSender,
  channel: NetworkChannel,
  message: OutboundMedia,
): Promise<SendOutcome> {
  return blameMedia(await postMessage(sender, channel, mediaBody(message)));
}

/** The outcome of a message with a file: its refusal may be about an upload that is gone. */
export function blameMedia(outcome: SendOutcome): SendOutcome {
  const blamed = outcome.outcome === 'refused' && MEDIA_CODES.has(outcome.code);
  return blamed ? { ...outcome, aboutMedia: true } : outcome;
}

function mediaBody(message: OutboundMedia): Record<string, unknown> {
  const { kind, caption, fileName, content, replyTo } = message;
  const captioned = caption !== null && kind !== 'audio' && kind !== 'sticker';
  return {
    messaging_product: 'whatsapp',
    recipient_type: 'individual',
    ...recipient(message.to),
    type: kind,
    [kind]: {
      id: 'uploadId' in content ? content.uploadId : '',
      ...(captioned ? { caption } : {}),
      ...(kind === 'document' && fileName !== null ? { filename: fileName } : {}),
    },
    ...(replyTo === undefined ? {} : { context: { message_id: replyTo } }),
    biz_opaque_callback_data: message.messageId,
  };
}

/** Resolves with the outcome and never rejects; a lost upload is repeated. */
export async function upload(
  sender: CloudSender,
  channel: NetworkChannel,
  file: ReadableFile,
): Promise<UploadOutcome> {
  const missing = missingSetting(channel);
  if (missing !== null) return misconfigured(missing);
  const form = multipart({ messaging_product: 'whatsapp', type: file.mimeType }, file);
  const answer = await sender.http.call({
    method: 'POST',
    url: `${numberUrl(channel, sender.resolveBaseUrl)}/media`,
    headers: { ...authorization(channel), 'content-type': form.contentType },
    body: form.body,
    timeoutMs: TRANSFER_TIMEOUT_MS,
  });
  if (!answer.answered) return { ...notNow(), cause: answer.cause, fault: answer.fault };
  const error = parseGraphError(answer.body);
  const success = answer.status >= 200 && answer.status < 300;
  if (!success || error !== null) {
    const outcome = outcomeOfAnswered(answer.status, error);
    return outcome.outcome === 'refused' || outcome.outcome === 'later' ? outcome : notNow();
  }
  const uploadId = textAt(parseRecord(answer.body) ?? {}, 'id');
  return uploadId === undefined ? notNow() : { outcome: 'uploaded', uploadId };
}

function notNow(): Extract<UploadOutcome, { outcome: 'later' }> {
  const failure = { code: 'upload', reason: UPLOAD_FAILED };
  return { outcome: 'later', scope: 'pair', waitMs: CONNECT_WAIT_MS, failure };
}

/** Begins the download of a contact's file. Never rejects. */
export async function download(
  sender: CloudSender,
  channel: NetworkChannel,
  media: InboundMedia,
): Promise<MediaDownload> {
  const headers = { ...authorization(channel), 'user-agent': USER_AGENT };
  const lookup = await sender.http.call({
    method: 'GET',
    url: objectUrl(channel, media.networkMediaId, sender.resolveBaseUrl),
    headers,
    timeoutMs: STATUS_TIMEOUT_MS,
  });
  if (!lookup.answered) return { downloaded: false, final: false, cause: lookup.cause };
  const described = parseRecord(lookup.body) ?? {};
  const url = textAt(described, 'url');
  if (lookup.status !== 200 || url === undefined) {
    const final = lookup.status === 404 || isGone(parseGraphError(lookup.body));
    return { downloaded: false, final, cause: `status ${lookup.status} of its id` };
  }
  const answer = await sender.http.download(
    { url, headers, timeoutMs: TRANSFER_TIMEOUT_MS },
    MEDIA_DOCUMENT_MAX_BYTES,
  );
  if (!answer.answered) return { downloaded: false, final: false, cause: answer.cause };
  const { body, discard } = answer;
  if (answer.status !== 200) {
    discard();
    const final = answer.status === 404;
    return { downloaded: false, final, cause: `status ${answer.status} of its address` };
  }
  const mimeType = textAt(described, 'mime_type') ?? answer.contentType;
  return { downloaded: true, body, mimeType, discard };
}
