/**
 * Commands about the library of files: reads the facts of a decision, and commits it in the
 * organization's document (D436).
 *
 * 1. A removal leaves a mark under the file's id, journaled before its commit. A try of the call
 *    that added the file, late or under its `Idempotency-Key`, meets the mark and adds nothing
 *    (D493).
 * 2. A mark counts only where the file is not there: the commit after it may have failed.
 */
import type { LibraryFile } from '../../shared/api/file.ts';
import { failure, renderFailure } from '../../shared/failures.ts';
import { LASTING_COMMAND_RETENTION_MS } from '../../shared/limits.ts';
import type { AnswerOf, Command } from '../../shared/ports/bus.ts';
import { answerOf } from '../../shared/wire/answer.ts';
import type { AuditDetails } from '../../shared/wire/audit.ts';
import type { AddFile, RemovedFile, RemoveFile } from '../../shared/wire/library-commands.ts';
import { audited } from '../domain/organization/audited.ts';
import { addFile, newFile, removeFile, shownFile } from '../domain/organization/library.ts';
import type { FileEntry, OrganizationState } from '../domain/organization.ts';
import type { Environment } from '../environment.ts';
import { COMPLETED, recordId } from '../outbox/completed.ts';
import { assertCommitted } from '../runtime/turn.ts';

export type LibraryCommand = AddFile | RemoveFile;
type Asked<Sent extends LibraryCommand> = Sent & Pick<Command, 'by'>;
type Answered<Data> = AnswerOf<{ readonly data: Data }>;

export function isLibraryCommand(command: Pick<Command, 'type'>): command is LibraryCommand {
  return command.type === 'add-file' || command.type === 'remove-file';
}

export interface LibraryChanging {
  readonly environment: Environment;
  readonly state: OrganizationState;
  /** @throws {StaleState} */
  readonly commit: (next: OrganizationState) => Promise<unknown>;
}

/** @param repeat the command may have been executed before */
export function answerLibrary(
  changing: LibraryChanging,
  command: Asked<LibraryCommand>,
  repeat: boolean,
): Promise<Answered<LibraryFile | RemovedFile>> {
  return command.type === 'add-file' ? add(changing, command) : remove(changing, command, repeat);
}

async function add(
  changing: LibraryChanging,
  command: Asked<AddFile>,
): Promise<Answered<LibraryFile>> {
  const { environment, state } = changing;
  const now = environment.clock.now();
  const made = newFile(command, now);
  if (await wasRemoved(changing, command)) return added(state, made);
  const change = addFile(state, command, now);
  if ('refusal' in change) return renderFailure(change.refusal);
  const { files } = change;
  if (!command.check && files !== state.files) {
    const { name, sizeBytes } = command;
    await commitFiles(changing, files, command, { name, sizeBytes: String(sizeBytes) });
  }
  return added(state, files.find(({ id }) => id === made.id) ?? made);
}

function added(state: OrganizationState, file: FileEntry): Answered<LibraryFile> {
  return answerOf({ data: shownFile(file, state) }, 201);
}

async function remove(
  changing: LibraryChanging,
  command: Asked<RemoveFile>,
  repeat: boolean,
): Promise<Answered<RemovedFile>> {
  const { state } = changing;
  const { fileId: id } = command;
  const file = state.files.find((each) => each.id === id);
  const change = removeFile(state, command);
  if ('refusal' in change) {
    // Its first run may have removed the file, and its answer was lost: 404 would deny that (D480).
    const isInDoubt = repeat && change.refusal.kind === 'file_not_found';
    return renderFailure(isInDoubt ? failure('fault') : change.refusal);
  }
  await markRemoved(changing, command);
  // The entry of the audit log outlives the file.
  await commitFiles(changing, change.files, command, file ? { name: file.name } : {});
  return answerOf({ data: { id, removed: true } });
}

async function wasRemoved(
  { environment: { store }, state }: LibraryChanging,
  { fileId }: AddFile,
): Promise<boolean> {
  if (state.files.some(({ id }) => id === fileId)) return false;
  return (await store.byId(COMPLETED, recordId(state.id, fileId))) !== null;
}

/** Another try of a removal that has failed renews it. */
async function markRemoved(
  { environment: { store, clock }, state }: LibraryChanging,
  { fileId }: RemoveFile,
): Promise<void> {
  const fields = { until: clock.now() + LASTING_COMMAND_RETENTION_MS, status: 201 };
  const filter = { _id: recordId(state.id, fileId) };
  const change = { $set: fields };
  const [written] = await store.commit([{ update: COMPLETED, filter, change, upsert: true }]);
  assertCommitted(written, 'the mark of a removed file');
}

async function commitFiles(
  { environment: { ids, clock }, state, commit }: LibraryChanging,
  files: readonly FileEntry[],
  { by, ...command }: Asked<LibraryCommand>,
  details: AuditDetails,
): Promise<void> {
  const next = { ...state, files, version: state.version + 1 };
  const context = { ids, now: clock.now(), ...(by ? { by } : {}) };
  const subject = { kind: 'file', id: command.fileId };
  await commit(audited(next, command, { context, subject, details }));
}
