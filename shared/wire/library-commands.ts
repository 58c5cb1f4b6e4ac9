/** Commands about the library of files to `organization`, key = organization id. */

/** The content is stored before. */
export interface AddFile {
  readonly id: string;
  readonly type: 'add-file';
  readonly fileId: string;
  readonly name: string;
  readonly mimeType: string;
  readonly sizeBytes: number;
  /** SHA-256, lower-case hex. */
  readonly contentDigest: string;
  /** Only decides: no content is stored for a file that would be refused. */
  readonly check?: true;
}

export interface RemoveFile {
  readonly id: string;
  readonly type: 'remove-file';
  readonly fileId: string;
}

export interface RemovedFile {
  readonly id: string;
  readonly removed: true;
}
