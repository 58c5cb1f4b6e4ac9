/** What the gateway and the command line ask about media (see `commands` for the rest). */
import type { MediaKind } from './media.ts';
import type { StoredMedia } from './message.ts';

/**
 * To `channel`, key = channel id: gets ready what a message is to carry, before it is accepted.
 * Answers 200 FetchedMedia, 404 for a file that the library does not have, or 422.
 */
export interface FetchMedia {
  readonly id: string;
  readonly type: 'fetch-media';
  readonly orgId: string;
  /** What is downloaded gets this id; asked again, it is on record already. */
  readonly mediaId: string;
  readonly from: { readonly url: string } | { readonly fileId: string };
  /** The field that brought the caption: where audio, which carries none, is refused. */
  readonly captionedBy: 'text' | 'caption' | null;
  readonly [field: string]: unknown;
}

export interface FetchedMedia {
  readonly kind: MediaKind;
  readonly media: StoredMedia;
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
