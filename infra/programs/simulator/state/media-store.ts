/** Media that were uploaded to the network or that a contact sent; bounded, the oldest goes. */
import { createHash, randomInt } from 'node:crypto';
import type { SentMedia } from '../logs/sent.ts';

export interface StoredMedia {
  readonly id: string;
  readonly mimeType: string;
  readonly fileName?: string;
  readonly bytes: Buffer;
  readonly sha256: string;
}

/** As the log of sends shows it. */
export function sentMedia({
  mimeType,
  fileName,
  bytes,
  sha256,
}: Omit<StoredMedia, 'id'>): SentMedia {
  return { mimeType, fileName: fileName ?? null, sizeBytes: bytes.length, sha256 };
}

const RETAINED_BYTES = 128 * 1024 * 1024;

export function digestOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function freshId(): string {
  return `${Date.now()}${randomInt(100_000, 999_999)}`;
}

const EXTENSIONS: ReadonlyMap<string, string> = new Map([
  ['image/jpeg', 'jpeg'],
  ['image/png', 'png'],
  ['image/webp', 'webp'],
  ['audio/ogg', 'oga'],
  ['audio/mpeg', 'mp3'],
  ['video/mp4', 'mp4'],
  ['application/pdf', 'pdf'],
  ['text/plain', 'txt'],
]);

/** Of a file of this type, without the dot. */
export function extensionOf(mimeType: string): string {
  return EXTENSIONS.get(mimeType.split(';')[0]?.trim() ?? '') ?? 'bin';
}

export class MediaStore {
  #media = new Map<string, StoredMedia>();
  #bytes = 0;

  add(
    bytes: Buffer,
    mimeType: string,
    { fileName, id = freshId() }: { fileName?: string | undefined; id?: string },
  ): StoredMedia {
    const sha256 = digestOf(bytes);
    const named = fileName === undefined ? {} : { fileName };
    const media: StoredMedia = { id, mimeType, bytes, sha256, ...named };
    this.remove(id);
    this.#media.set(id, media);
    this.#bytes += bytes.length;
    for (const oldest of this.#media.keys()) {
      if (this.#bytes <= RETAINED_BYTES || oldest === id) break;
      this.remove(oldest);
    }
    return media;
  }

  get(id: string): StoredMedia | undefined {
    return this.#media.get(id);
  }

  remove(id: string): boolean {
    this.#bytes -= this.#media.get(id)?.bytes.length ?? 0;
    return this.#media.delete(id);
  }

  clear(): void {
    this.#media.clear();
    this.#bytes = 0;
  }
}
