/**
 * Completion records of one entity (RIFL): ids of committed commands, without the bodies of their
 * answers. A repeated command is answered and not decided anew (I19, D132, D133).
 *
 * 1. A committed command is found until its `until`: in `recent`, or in a record that it was
 *    evicted to.
 * 2. `recent` holds at most COMPLETED_COMMANDS_MAX; the oldest are evicted, some hundred at once.
 * 3. Records of evicted commands are written before the document without them.
 * 4. `leftUntil` only rises. After it no record of the entity counts, so none is read.
 */
import {
  COMPLETED_COMMANDS_MAX,
  LASTING_COMMAND_RETENTION_MS,
  PLAIN_COMMAND_RETENTION_MS,
} from '../../shared/limits.ts';

export interface CompletedCommand {
  readonly id: string;
  /** Epoch milliseconds after which no repeat arrives. */
  readonly until: number;
  /** Status of its answer. */
  readonly status: number;
}

export interface CompletedCommands {
  /** In the order of their commits. */
  readonly recent: readonly CompletedCommand[];
  /** Latest `until` of the evicted commands, epoch milliseconds; 0 before the first eviction. */
  readonly leftUntil: number;
}

export const NONE_COMPLETED: CompletedCommands = { recent: [], leftUntil: 0 };

/** How a command may be repeated. */
export interface Repeatable {
  /** For a day: by a caller with an `Idempotency-Key`, or by an outbox. */
  readonly lasting: boolean;
  /** The command was asked before. */
  readonly repeat: boolean;
}

export interface Recorded {
  readonly completed: CompletedCommands;
  /** In the order of their commits. */
  readonly evicted: readonly CompletedCommand[];
}

/** @param now epoch milliseconds of the commit */
export function withCompleted(
  { recent, leftUntil }: CompletedCommands,
  { id, status, lasting }: Pick<CompletedCommand, 'id' | 'status'> & Pick<Repeatable, 'lasting'>,
  now: number,
): Recorded {
  const until = now + (lasting ? LASTING_COMMAND_RETENTION_MS : PLAIN_COMMAND_RETENTION_MS);
  const counting = recent.filter((each) => each.until > now);
  const all = [...counting, { id, until, status }];
  if (all.length <= COMPLETED_COMMANDS_MAX)
    return { completed: { recent: all, leftUntil }, evicted: [] };
  const retainedMax = COMPLETED_COMMANDS_MAX / 2;
  const evicted = all.slice(0, -retainedMax);
  const latest = Math.max(leftUntil, ...evicted.map((each) => each.until));
  return { completed: { recent: all.slice(-retainedMax), leftUntil: latest }, evicted };
}

/** The command in `recent`, even after its `until`. */
export function findCompleted({ recent }: CompletedCommands, id: string): CompletedCommand | null {
  return recent.find((each) => each.id === id) ?? null;
}

/** Whether a command that is not in `recent` may have been evicted. */
export function mayBeEvicted(
  { leftUntil }: CompletedCommands,
  { lasting, repeat }: Repeatable,
  now: number,
): boolean {
  return (lasting || repeat) && leftUntil > now;
}
