/** The headers that describe a body of raw bytes. */

export const FILE_NAME = 'X-File-Name';
/** As requests have it. */
export const FILE_NAME_HEADER = 'x-file-name';

/** How a file was sent. */
export interface FileHead {
  readonly contentType: string;
  /** Percent-encoded. */
  readonly name: string;
}

/** The text of the percent-encoded one; null for a broken one. */
export function decodedName(name: string): string | null {
  try {
    return decodeURIComponent(name);
  } catch (cause) {
    if (cause instanceof URIError) return null;
    throw cause;
  }
}
