/**
 * Commands and queries of the gateway and the command line about media (see `commands` for the
 * rest).
 */
import type { SendMessage } from './commands.ts';

/** A caller's URL: no file is downloaded for a message whose conversation would refuse it. */
export interface FromUrl {
  readonly url: string;
  /** The caller's field with it, `template.header.mediaUrl` for example. */
  readonly path: string;
  /** The entry that is to name the file. */
  readonly messageId: string;
  /** The conversation of the message; null for one that no owner refuses, such as a file alone. */
  readonly target: { readonly conversationId: string; readonly check: CheckSend } | null;
}

/** A file of the library, or one that a member has uploaded for this message. */
export interface FromLibrary {
  readonly fileId: string;
  /** The entry that is to name the file; without it, the library's only. */
  readonly messageId?: string;
}

/**
 * To `conversation`: 200 when it would accept the send, else its refusal. Files are not known yet.
 */
export interface CheckSend
  extends Pick<
    SendMessage,
    | 'orgId'
    | 'channelId'
    | 'channelScope'
    | 'byConversation'
    | 'phone'
    | 'content'
    | 'replyToId'
    | 'outsideWindow'
    | 'fallbackTemplate'
    | 'schedule'
    | 'onlyIf'
  > {
  readonly id: string;
  readonly type: 'check-send';
  /** Of the send: one that was accepted before would be accepted again. */
  readonly messageId: string;
}

/**
 * To `channel`, key = channel id: prepares a message's file, before the message is accepted.
 * Answers 200 FetchedMedia, 404 for a file that the library does not have, 422, or the
 * conversation's refusal.
 */
export interface FetchMedia {
  readonly id: string;
  readonly type: 'fetch-media';
  readonly orgId: string;
  /** The downloaded file gets this id; a repeated command finds it on record. */
  readonly mediaId: string;
  readonly from: FromUrl | FromLibrary;
  /** The field with the caption: audio, which has none, is refused there. */
  readonly captionedBy: 'text' | 'caption' | null;
}

/** `recado.query.media`: 200 MediaPart, 404, or 403 for another channel's with a channel key. */
export interface ReadMedia {
  readonly orgId: string;
  readonly mediaId: string;
  /** The channel of a channel key, else null. */
  readonly channelScope: string | null;
  /** The first byte wanted. */
  readonly start: number;
}

export interface MediaPart {
  readonly mimeType: string;
  readonly fileName: string | null;
  readonly sizeBytes: number;
  /** Base64. */
  readonly data: string;
}

/** `recado.query.library`: the organization's files. */
export interface ListLibrary {
  readonly orgId: string;
}

/** `recado.query.upload-part`: writes a part of a file that a member uploads. */
export interface UploadPart {
  readonly mediaId: string;
  /** The first byte; parts have `UPLOAD_PART_BYTES`, but for the last. */
  readonly start: number;
  /** Base64. */
  readonly data: string;
}

/** `recado.query.upload-end`: puts the written file on record. */
export interface EndUpload {
  readonly mediaId: string;
  readonly orgId: string;
  readonly mimeType: string;
  readonly fileName: string | null;
  readonly sizeBytes: number;
  /** SHA-256, lower-case hex. */
  readonly digest: string;
}

/** `recado.query.library-page`: by name. */
export interface PageLibrary {
  readonly orgId: string;
  readonly page: number;
  readonly limit: number;
}

/** The content of a library file, by which its parts are named. */
interface LibraryFileContent {
  readonly fileId: string;
  /** SHA-256, lower-case hex. */
  readonly contentDigest: string;
}

/** `recado.query.library-part`: writes a part of a file of the library. */
export interface LibraryPart extends LibraryFileContent {
  /** The first byte; parts have `UPLOAD_PART_BYTES`, but for the last. */
  readonly start: number;
  /** Base64. */
  readonly data: string;
}

/** `recado.query.library-end`: the parts are all there. */
export interface EndLibraryFile extends LibraryFileContent {
  readonly sizeBytes: number;
}
