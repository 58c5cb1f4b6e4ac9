/**
 * The organization's library of files, as calls change it; `apply` has rules of its own.
 *
 * 1. The id of a file that a call adds is its ref too: no provisioning file names it.
 * 2. It is forgotten when it is removed. One of a provisioning file stays as removed, so that its
 *    ref keeps its id.
 * 3. A file that a flow sends is not removed, as by `apply`.
 */
import type { LibraryFile } from '../../../shared/api/file.ts';
import { type Failure, failure } from '../../../shared/failures.ts';
import {
  LIBRARY_BYTES_MAX_PER_ORGANIZATION,
  LIBRARY_FILES_MAX_PER_ORGANIZATION,
} from '../../../shared/limits.ts';
import type { AddFile, RemoveFile } from '../../../shared/wire/library-commands.ts';
import { timestamp } from '../../../shared/wire/outbox.ts';
import { referencesOf } from '../flow/references.ts';
import { type FileEntry, type OrganizationState, present } from '../organization.ts';

type Library = Pick<OrganizationState, 'files' | 'createdAt'>;

/** The list after it; the same one where nothing changes. */
type Changed = { readonly files: readonly FileEntry[] } | { readonly refusal: Failure };

export function addFile({ files }: Library, command: AddFile, now: number): Changed {
  const { fileId: id, sizeBytes } = command;
  if (files.some((file) => file.id === id)) return { files };
  const known = present(files);
  if (known.length >= LIBRARY_FILES_MAX_PER_ORGANIZATION) {
    return { refusal: failure('too_many_files') };
  }
  const bytes = known.reduce((sum, file) => sum + file.sizeBytes, sizeBytes);
  if (bytes > LIBRARY_BYTES_MAX_PER_ORGANIZATION) return { refusal: failure('library_full') };
  return { files: [...files, newFile(command, now)] };
}

export function newFile(
  { fileId: id, name, mimeType, sizeBytes, contentDigest }: AddFile,
  now: number,
): FileEntry {
  return { id, ref: id, name, mimeType, sizeBytes, contentDigest, createdAt: now };
}

export function removeFile(
  { files, flows }: Pick<OrganizationState, 'files' | 'flows'>,
  { fileId }: RemoveFile,
): Changed {
  const file = present(files).find(({ id }) => id === fileId);
  if (!file) return { refusal: failure('file_not_found') };
  const isSent = present(flows).some((flow) =>
    referencesOf(flow).some(
      ({ kind, name }) => kind === 'file' && (name === file.ref || name === file.id),
    ),
  );
  if (isSent) return { refusal: failure('file_in_use') };
  const isOfCalls = file.ref === file.id;
  const rest = files.filter((each) => each !== file);
  return { files: isOfCalls ? rest : [...rest, { ...file, removed: true }] };
}

/** A file of an earlier version tells no time: it is as old as its organization. */
export function shownFile(file: FileEntry, organization: Pick<Library, 'createdAt'>): LibraryFile {
  const { id, name, mimeType, sizeBytes, createdAt = organization.createdAt } = file;
  return { id, name, mimeType, sizeBytes, createdAt: timestamp(createdAt) };
}
