/** Names of a provisioning file's entries and their content in the record. */
import { entryId } from '../entity-ids.ts';
import type { Ids } from '../ports/ids.ts';

/** The GridFS bucket of the file library. */
export const LIBRARY_BUCKET = 'files';

/** How the ids of each list's entries begin. */
export const ENTRY_PREFIXES = {
  members: 'mbr',
  keys: 'key',
  flows: 'flw',
  files: 'fil',
  subscriptions: 'sub',
} as const;

/** A library file's content in GridFS: another content is another name, so none is overwritten. */
export function contentId(fileId: string, contentDigest: string): string {
  return `${fileId}:${contentDigest}`;
}

export function libraryFileId(ids: Ids, entry: { orgId: string; ref: string }): string {
  return entryId(ids, ENTRY_PREFIXES.files, entry);
}
