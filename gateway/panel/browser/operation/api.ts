/** Answers that the operator's screen reads. */
import type { DoctorRow } from '../../../../shared/panel/operation.ts';

/** Neighbours under one epoch, `to` included. */
export interface HeldRange {
  readonly from: number;
  readonly to: number;
  readonly epoch: number;
}

export interface RunningProcess {
  readonly id: string;
  readonly pid: number;
  readonly kinds: readonly string[];
  /** Held partitions by kind. */
  readonly partitions: Readonly<Record<string, readonly HeldRange[]>>;
  readonly mailboxes: number;
  readonly depth: number;
  readonly turnsPerSecond: number;
}

export interface Breaker {
  readonly subscriptionId: string;
  readonly organization: { readonly name: string } | null;
  readonly url: string | null;
  readonly openSince: string | null;
  readonly probeAt: string | null;
  readonly failingSince: string | null;
}

export interface OperationState {
  readonly processes: readonly RunningProcess[];
  /** Processes that own no partition. */
  readonly others: readonly { readonly id: string; readonly role: string }[];
  readonly agendas: readonly { readonly agenda: string; readonly oldestDueMs: number }[];
  readonly breakers: readonly Breaker[];
  readonly doctor: readonly DoctorRow[];
}

export interface RatePoint {
  readonly at: string;
  readonly accepted: number;
  readonly sent: number;
  readonly delivered: number;
  readonly refused: number;
  readonly p50: number | null;
  readonly p99: number | null;
  readonly backlog: number;
  readonly oldestDueMs: number;
}

export interface RateList {
  readonly since: string | null;
  readonly points: readonly RatePoint[];
}
