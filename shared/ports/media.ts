/**
 * The stored files of messages.
 *
 * 1. Bytes are written once under a name of their own, and never changed.
 * 2. A caller's URL is only ever reached through the address guard (I10).
 * 3. A file is streamed in parts, and no process holds a whole one; the bytes in transit are
 *    bounded.
 */

/** Owner of a file: an organization; the key of its channel sees it. */
export interface MediaPlace {
  readonly orgId: string;
  readonly channelId: string;
}

/** The entry that is to name the file: a file that no entry names is swept. */
export interface NamedPlace extends MediaPlace {
  readonly entryId: string;
}

/** The stored record of a file in messages. */
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

/** A file on loan: `read` gives its bytes from the start, at the reader's pace. */
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

/** A file that a member has uploaded: it is its organization's, and no channel's yet. */
export type Upload = Omit<MediaRecord, 'id' | 'channelId'>;

/** A caller's URL, and the bounds of its content. */
export interface DownloadRequest {
  readonly url: string;
  /** Gets the MIME type before the body is read. */
  readonly maxBytes: (mimeType: string) => number;
  /** Gets the received file's type and size; a file that it refuses is not kept. */
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
  /** Keeps a file under `id`; a repeat with the same id returns the stored record. */
  keep(id: string, place: NamedPlace, file: IncomingFile): Promise<MediaRecord>;
  /** Puts a library file's present content on record under `id`, without a copy. */
  adopt(id: string, place: MediaPlace, content: LibraryContent): Promise<MediaRecord>;
  /**
   * Writes a part of a file that a member uploads, whole chunks but for the last part's. A repeat
   * writes the same.
   */
  putPart(id: string, start: number, bytes: Uint8Array): Promise<void>;
  /** Puts a file whose parts were written on record; no message names it yet. */
  endUpload(id: string, upload: Upload): Promise<MediaRecord>;
  /** Writes a part of a library file's content, under the content's name; as `putPart`. */
  putLibraryPart(contentId: string, start: number, bytes: Uint8Array): Promise<void>;
  /** The content is whole. One of that name is never written anew, and never removed. */
  endLibraryFile(contentId: string, sizeBytes: number): Promise<void>;
  /**
   * Gives an uploaded file to the message that is to name it, and so to its channel. Null where the
   * organization has no such file, or another channel has it.
   */
  claim(id: string, place: NamedPlace): Promise<MediaRecord | null>;
  find(id: string): Promise<MediaRecord | null>;
  /**
   * Lends a file to a network within the budget of bytes; waits its turn. Null when it is gone.
   * Rejects with the rejection of `use`.
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
