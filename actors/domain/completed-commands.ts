/**
 * Which commands of one entity have been committed: ids, without the bodies of their answers, so
 * that a repeated command is answered and not decided anew (I19).
 *
 * 1. A committed command is found until its `until`: in `recent`, or in a record that it left for.
 * 2. `recent` holds at most COMPLETED_COMMANDS_MAX; the oldest leave it, some hundred at once.
 * 3. What leaves is written down as records before the document without it is.
 * 4. `leftUntil` only rises. After it no record of the entity counts, so none is looked up.
 * D132, D133.
 */
import {
  COMPLETED_COMMANDS_MAX,
  LASTING_COMMAND_KEPT_MS,
  PLAIN_COMMAND_KEPT_MS,
} from '../../shared/limits.ts';

export interface CompletedCommand {
  readonly id: string;
  /** Epoch milliseconds: no repeat of it comes later. */
  readonly until: number;
  /** Of its answer. */
  readonly status: number;
}

export interface CompletedCommands {
  /** In the order of their commits. */
  readonly recent: readonly CompletedCommand[];
  /** Epoch milliseconds; 0 before any has left. */
  readonly leftUntil: number;
}

export const NONE_COMPLETED: CompletedCommands = { recent: [], leftUntil: 0 };

/** How a command may be repeated. */
export interface Repeatable {
  /** For a day: by the holder of an `Idempotency-Key`, or by an outbox. */
  readonly lasting: boolean;
  /** It was asked before. */
  readonly repeat: boolean;
}

interface Committed extends Pick<Repeatable, 'lasting'> {
  readonly id: string;
  readonly status: number;
}

export interface Recorded {
  readonly kept: CompletedCommands;
  /** In the order of their commits. */
  readonly evicted: readonly CompletedCommand[];
}

/** @param now epoch milliseconds of the commit */
export function withCompleted(
  { recent, leftUntil }: CompletedCommands,
  { id, status, lasting }: Committed,
  now: number,
): Recorded {
  const until = now + (lasting ? LASTING_COMMAND_KEPT_MS : PLAIN_COMMAND_KEPT_MS);
  const counting = recent.filter((each) => each.until > now);
  const all = [...counting, { id, until, status }];
  if (all.length <= COMPLETED_COMMANDS_MAX) {
    return { kept: { recent: all, leftUntil }, evicted: [] };
  }
  const keptMax = COMPLETED_COMMANDS_MAX / 2;
  const evicted = all.slice(0, -keptMax);
  const latest = Math.max(leftUntil, ...evicted.map((each) => each.until));
  return { kept: { recent: all.slice(-keptMax), leftUntil: latest }, evicted };
}

/** The command in `recent`; also one that counts no more. */
export function findCompleted(
  { recent }: CompletedCommands,
  commandId: string,
): CompletedCommand | null {
  return recent.find(({ id }) => id === commandId) ?? null;
}

/** Whether a command that is not in `recent` may have left it. */
export function mayBeEvicted(
  { leftUntil }: CompletedCommands,
  { lasting, repeat }: Repeatable,
  now: number,
): boolean {
  return (lasting || repeat) && leftUntil > now;
}
