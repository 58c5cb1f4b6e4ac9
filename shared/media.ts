/**
 * Media of messages: what the networks take as what, and the port to where bytes are kept.
 *
 * 1. A file's kind follows from its MIME type and size by the network's own table; what the table
 *    does not list goes as a document.
 * 2. Bytes are written once under a name of their own, and never changed.
 * 3. A caller's URL is only ever reached through the address guard (design: invariant 10).
 */
import { MEDIA_DOCUMENT_MAX_BYTES, MEDIA_MAX_BYTES } from './limits.ts';
import type { StoredMedia } from './message.ts';
import type { Provider } from './vocabulary.ts';

export const MEDIA_KINDS = ['image', 'video', 'audio', 'document', 'sticker'] as const;
export type MediaKind = (typeof MEDIA_KINDS)[number];

const MEGABYTE = 1024 * 1024;
export const UNKNOWN_MIME = 'application/octet-stream';
const MIME = /^[a-z0-9][a-z0-9!#$&^_.+-]{0,62}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,62}$/;

interface KindRow {
  readonly kind: MediaKind;
  readonly mimeTypes: readonly string[];
  readonly maxBytes: number;
}

const COMMON: readonly KindRow[] = [
  { kind: 'image', mimeTypes: ['image/jpeg', 'image/png'], maxBytes: 5 * MEGABYTE },
  { kind: 'video', mimeTypes: ['video/mp4', 'video/3gpp'], maxBytes: 16 * MEGABYTE },
  {
    kind: 'audio',
    mimeTypes: ['audio/aac', 'audio/amr', 'audio/mpeg', 'audio/mp4', 'audio/ogg'],
    maxBytes: 16 * MEGABYTE,
  },
];

/** The QR bridge has no call for stickers. */
const TABLES: Readonly<Record<Provider, readonly KindRow[]>> = {
  cloud: [...COMMON, { kind: 'sticker', mimeTypes: ['image/webp'], maxBytes: 500 * 1024 }],
  web: COMMON,
};

/** Lower case and without parameters; what is no MIME type is the unknown one. */
export function plainMime(mimeType: string | null | undefined): string {
  const plain = (mimeType ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  return MIME.test(plain) ? plain : UNKNOWN_MIME;
}

/** What the network is given the file as; a sticker would lose a caption. */
export function mediaKindOf(
  provider: Provider,
  file: Pick<StoredMedia, 'mimeType'> & { readonly sizeBytes: number },
  captioned: boolean,
): MediaKind {
  const row = TABLES[provider].find(({ mimeTypes }) => mimeTypes.includes(file.mimeType));
  if (!row || file.sizeBytes > row.maxBytes) return 'document';
  return row.kind === 'sticker' && captioned ? 'document' : row.kind;
}

/** The most that a caller's URL may bring (decisions: `mediaUrl`). */
export function downloadMaxBytes(provider: Provider, mimeType: string): number {
  const listed = TABLES[provider].some(({ mimeTypes }) => mimeTypes.includes(mimeType));
  return provider === 'cloud' && !listed ? MEDIA_DOCUMENT_MAX_BYTES : MEDIA_MAX_BYTES;
}

/** Whose it is: the organization's, seen by the channel's key. */
export interface MediaPlace {
  readonly orgId: string;
  readonly channelId: string;
}

/** A file that messages carry, as it is on record. */
export interface MediaRecord extends MediaPlace {
  readonly id: string;
  readonly mimeType: string;
  readonly fileName: string | null;
  readonly sizeBytes: number;
  /** SHA-256, lower-case hex. */
  readonly digest: string;
}

export interface MediaFile {
  readonly bytes: Uint8Array;
  readonly mimeType: string;
  readonly fileName: string | null;
}

/** `reason` is Portuguese. */
export type Download =
  | { readonly downloaded: true; readonly file: MediaFile }
  | { readonly downloaded: false; readonly reason: string };

/** A file of the organization's library, by its content's name. */
export interface LibraryContent {
  readonly contentId: string;
  readonly mimeType: string;
  readonly fileName: string;
  readonly sizeBytes: number;
  readonly digest: string;
}

/** For whom a URL is downloaded. */
export interface DownloadAsker {
  readonly orgId: string;
  /** Told the MIME type before the body is read. */
  readonly maxBytes: (mimeType: string) => number;
}

export interface Media {
  /**
   * Downloads a caller's URL: guarded, at most 3 redirects, 30 s in all. Stores nothing, never
   * rejects.
   */
  fetch(url: string, asker: DownloadAsker): Promise<Download>;
  /** Keeps bytes under `id`; whoever keeps the same id again gets what is on record. */
  keep(id: string, place: MediaPlace, file: MediaFile): Promise<MediaRecord>;
  /** Puts a library file's present content on record under `id`, without a copy. */
  adopt(id: string, place: MediaPlace, content: LibraryContent): Promise<MediaRecord>;
  find(id: string): Promise<MediaRecord | null>;
  /** The bytes from `start` to before `end`; all without them. Null when they are gone. */
  open(
    id: string,
    range?: { readonly start: number; readonly end: number },
  ): Promise<Uint8Array | null>;
}

/** A record as a message carries it. */
export function mediaOf({ id, mimeType, fileName, sizeBytes }: MediaRecord): StoredMedia {
  return { id, mimeType, fileName, sizeBytes };
}
