/**
 * The networks' table of file types. A file's kind follows from its MIME type and size by the
 * network's own table; a type outside the table is sent as a document.
 */

import { MEDIA_DOCUMENT_MAX_BYTES, MEDIA_MAX_BYTES } from './limits.ts';
import type { StoredMedia } from './message.ts';
import type { MediaRecord } from './ports/media.ts';
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

/** Lower case and without parameters; a text that is no MIME type becomes the unknown one. */
export function plainMime(mimeType: string | null | undefined): string {
  const plain = (mimeType ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  return MIME.test(plain) ? plain : UNKNOWN_MIME;
}

/** The kind as which a file is sent to the network; a sticker would lose a caption. */
export function mediaKindOf(
  provider: Provider,
  file: Pick<StoredMedia, 'mimeType'> & { readonly sizeBytes: number },
  captioned: boolean,
): MediaKind {
  const row = TABLES[provider].find(({ mimeTypes }) => mimeTypes.includes(file.mimeType));
  if (!row || file.sizeBytes > row.maxBytes) return 'document';
  return row.kind === 'sticker' && captioned ? 'document' : row.kind;
}

/** The largest download from a caller's URL (D15). */
export function downloadMaxBytes(provider: Provider, mimeType: string): number {
  const listed = TABLES[provider].some(({ mimeTypes }) => mimeTypes.includes(mimeType));
  return provider === 'cloud' && !listed ? MEDIA_DOCUMENT_MAX_BYTES : MEDIA_MAX_BYTES;
}

/** A record as it appears in a message. */
export function mediaOf({ id, mimeType, fileName, sizeBytes }: MediaRecord): StoredMedia {
  return { id, mimeType, fileName, sizeBytes };
}
