/**
 * Media of messages: what the networks take as what, and the port to where bytes are kept.
 *
 * 1. A file's kind follows from its MIME type and size by the network's own table; what the table
 *    does not list goes as a document.
 * 2. Bytes are written once under a name of their own, and never changed.
 * 3. A caller's URL is only ever reached through the address guard (I10).
 * 4. A file passes through in parts, whole in no process; what is under way is bounded in bytes.
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

const STICKER: KindRow = { kind: 'sticker', mimeTypes: ['image/webp'], maxBytes: 500 * 1024 };

/** A bridge that has no call for stickers is sent a file. */
const TABLES: Readonly<Record<Provider, readonly KindRow[]>> = {
  cloud: [...COMMON, STICKER],
  web: [...COMMON, STICKER],
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

/** The most that a caller's URL may bring (D15). */
export function downloadMaxBytes(provider: Provider, mimeType: string): number {
  const listed = TABLES[provider].some(({ mimeTypes }) => mimeTypes.includes(mimeType));
  return provider === 'cloud' && !listed ? MEDIA_DOCUMENT_MAX_BYTES : MEDIA_MAX_BYTES;
}

/** Whose it is: the organization's, seen by the channel's key. */
export interface MediaPlace {
  readonly orgId: string;
  readonly channelId: string;
}

/** The entry that is to name the file: what no entry names is swept. */
export interface NamedPlace extends MediaPlace {
  readonly entryId: string;
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

/** A file on its way into the store; `body` is read once, as fast as it is written. */
export interface IncomingFile {
  readonly mimeType: string;
  readonly fileName: string | null;
  readonly body: AsyncIterable<Uint8Array>;
}

/** A file that is lent: `read` gives its bytes from the start, as fast as they are taken. */
export interface ReadableFile {
  readonly mimeType: string;
  readonly fileName: string | null;
  readonly sizeBytes: number;
  read(): AsyncIterable<Uint8Array>;
}

/** `reason` is Portuguese; none where `accepts` has turned the file away. */
export type Download =
  | { readonly downloaded: true; readonly media: MediaRecord }
  | { readonly downloaded: false; readonly reason: string | null };

/** A file of the organization's library, by its content's name. */
export interface LibraryContent {
  readonly contentId: string;
  readonly mimeType: string;
  readonly fileName: string;
  readonly sizeBytes: number;
  readonly digest: string;
}

/** A caller's URL, and what may come from it. */
export interface DownloadRequest {
  readonly url: string;
  /** Told the MIME type before the body is read. */
  readonly maxBytes: (mimeType: string) => number;
  /** Told what has come; a file that it turns away is not kept. */
  readonly accepts: (file: { readonly mimeType: string; readonly sizeBytes: number }) => boolean;
}

/** A file on record that no entry is known to name. */
export interface UnreferencedMedia {
  readonly id: string;
  readonly entryId: string;
}

/** `waiting`: its entry does not name it yet, and may. */
export type ReferenceState = 'named' | 'waiting' | 'unnamed';

export interface Media {
  /** Why a caller's URL is refused without a packet to it (Portuguese), or null. */
  refuse(url: string): string | null;
  /**
   * Downloads a caller's URL into the store under `id`: guarded, at most 3 redirects, 30 s in all,
   * part by part within the budgets. An id that is on record is answered at once. A failure
   * leaves nothing. Rejects only when the store does.
   */
  fetch(id: string, place: NamedPlace, request: DownloadRequest): Promise<Download>;
  /** Keeps a file under `id`; whoever keeps the same id again gets what is on record. */
  keep(id: string, place: NamedPlace, file: IncomingFile): Promise<MediaRecord>;
  /** Puts a library file's present content on record under `id`, without a copy. */
  adopt(id: string, place: MediaPlace, content: LibraryContent): Promise<MediaRecord>;
  find(id: string): Promise<MediaRecord | null>;
  /**
   * Lends a file to a network within the budget of bytes; waits its turn. Null when it is gone.
   * Rejects with what `use` rejects with.
   */
  withFile<T>(id: string, use: (file: ReadableFile) => Promise<T>): Promise<T | null>;
  /** The bytes from `start` to before `end`. Null when they are gone. */
  part(
    id: string,
    range: { readonly start: number; readonly end: number },
  ): Promise<Uint8Array | null>;
  /**
   * Removes the files that were kept or begun before `before` (epoch milliseconds) and that no
   * entry names. A file that is asked for meanwhile stays. Answers how many were removed.
   */
  sweep(
    before: number,
    namingOf: (media: UnreferencedMedia) => Promise<ReferenceState>,
  ): Promise<number>;
}

/** A record as a message carries it. */
export function mediaOf({ id, mimeType, fileName, sizeBytes }: MediaRecord): StoredMedia {
  return { id, mimeType, fileName, sizeBytes };
}
