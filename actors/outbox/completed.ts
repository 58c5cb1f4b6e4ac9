/**
 * Completed commands of an entity in one document. It keeps the answers for repeats, and records of
 * commands that have left the document (`domain/completed-commands.ts`).
 *
 * 1. Records are journaled before the document that no longer holds their ids is written.
 * 2. The first ask of a command that is not `lasting` costs no read.
 * 3. An answer that was found on record waits for the journal barrier (I1).
 */

import {
  PLAIN_COMMAND_RETENTION_MS,
  RETAINED_ANSWERS_MAX,
  RETAINED_ANSWERS_MAX_CHARS,
} from '../../shared/limits.ts';
import type { Answer, Command } from '../../shared/ports/bus.ts';
import type { Document } from '../../shared/ports/store.ts';
import {
  type CompletedCommand,
  findCompleted,
  mayBeEvicted,
  NONE_COMPLETED,
  withCompleted,
} from '../domain/completed-commands.ts';
import type { Environment } from '../environment.ts';
import type { Write } from '../model/collections.ts';
import type { CommandFields, CompletedDocument, StoredAnswer } from '../model/entity.ts';
import { journalBarrier } from '../runtime/journal-barrier.ts';
import type { TurnContext } from '../runtime/kind.ts';
import { purge } from '../runtime/purge.ts';

export const COMPLETED = 'completedCommands';

/** The answer of a committed command; a null answer is rendered from the present state. */
export interface CommandOutcome {
  readonly status: number;
  readonly answer: Answer | null;
}

type CompletedEnvironment = Pick<Environment, 'store' | 'clock'>;
type Known = (Document & CommandFields) | null | undefined;

export interface AskedCommand {
  readonly command: Pick<Command, 'id' | 'lasting'>;
  readonly context: Pick<TurnContext, 'repeat'>;
}

/** Null for a command that was not committed: the caller decides it. */
export async function outcomeOf(
  environment: CompletedEnvironment,
  known: Known,
  asked: AskedCommand,
): Promise<CommandOutcome | null> {
  if (!known) return null;
  const outcome = await findOutcome(environment, known, asked);
  // For a repeat, the mailbox itself waits for the journal before it answers.
  if (outcome && !asked.context.repeat) await journalBarrier(environment.store);
  return outcome;
}

async function findOutcome(
  { store, clock }: CompletedEnvironment,
  { _id, answers, completed }: NonNullable<Known>,
  { command, context }: AskedCommand,
): Promise<CommandOutcome | null> {
  const answer = answers.find(({ id }) => id === command.id)?.answer;
  if (answer) return { status: answer.status, answer };
  const recent = findCompleted(completed, command.id);
  if (recent) return { status: recent.status, answer: null };
  const repeatable = { lasting: command.lasting === true, repeat: context.repeat };
  if (!mayBeEvicted(completed, repeatable, clock.now())) return null;
  const record = await store.byId(COMPLETED, recordId(_id, command.id));
  return record && { status: record.status, answer: null };
}

/**
 * The fields with one more command. The commands that they no longer hold are on record when this
 * resolves: the document may be committed.
 */
export async function withCommand(
  { store, clock }: CompletedEnvironment,
  known: Known,
  { id, command, answer }: { id: string; command: AskedCommand['command']; answer: Answer },
): Promise<CommandFields> {
  const now = clock.now();
  const done = { id: command.id, status: answer.status, lasting: command.lasting === true };
  const { completed, evicted } = withCompleted(known?.completed ?? NONE_COMPLETED, done, now);
  if (evicted.length > 0) await writeRecords(store, id, evicted);
  const answers = [...answersAt(known, now), { id: command.id, at: now, answer }];
  return { answers: newestOf(answers), completed };
}

/** An older command is found by its id, and its answer rendered anew. */
function newestOf(answers: readonly StoredAnswer[]): readonly StoredAnswer[] {
  const newest: StoredAnswer[] = [];
  let chars = 0;
  for (const each of answers.slice(-RETAINED_ANSWERS_MAX).reverse()) {
    chars += each.answer.body.length;
    if (newest.length > 0 && chars > RETAINED_ANSWERS_MAX_CHARS) break;
    newest.unshift(each);
  }
  return newest;
}

/** The fields without expired answers. */
export function withoutOldAnswers(known: Known, now: number): CommandFields {
  return { answers: answersAt(known, now), completed: known?.completed ?? NONE_COMPLETED };
}

function answersAt(known: Known, now: number): readonly StoredAnswer[] {
  return (known?.answers ?? []).filter(({ at }) => at > now - PLAIN_COMMAND_RETENTION_MS);
}

async function writeRecords(
  store: CompletedEnvironment['store'],
  entityId: string,
  evicted: readonly CompletedCommand[],
): Promise<void> {
  const writes = evicted.map(({ id, ...fields }): Write => {
    const document: CompletedDocument = { _id: recordId(entityId, id), ...fields };
    return { insert: COMPLETED, document };
  });
  for (const outcome of await store.commit(writes)) {
    // A duplicate was written by a turn that did not commit its document.
    if (!outcome.ok && 'error' in outcome) throw outcome.error;
  }
}

export function recordId(entityId: string, commandId: string): string {
  return `${entityId} ${commandId}`;
}

/** Removes expired records. */
export async function purgeCompleted({ store, clock }: CompletedEnvironment): Promise<void> {
  await purge(store, { collection: COMPLETED, filter: { until: { $lte: clock.now() } } });
}
