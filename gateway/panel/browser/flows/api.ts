/** Flows and runs as the panel reads them. */

export interface Step {
  readonly id: string;
  readonly do: string;
  readonly [property: string]: unknown;
}

export interface PanelFlow {
  readonly id: string;
  readonly ref: string;
  readonly name: string;
  readonly enabled: boolean;
  readonly isMain: boolean;
  readonly channel: { readonly id: string; readonly label: string } | null;
  readonly steps: readonly Step[];
  /** Conversations in this flow. */
  readonly running: number;
  /** Of them, by the step at which they wait. */
  readonly waiting: Readonly<Record<string, number>>;
  readonly updatedAt: string;
}

export interface FlowList {
  readonly data: readonly PanelFlow[];
  /** False: there are more running conversations than were counted. */
  readonly countedWhole: boolean;
}

export interface FlowWithText {
  readonly data: PanelFlow & { readonly yaml: string; readonly version: string };
}

export interface RunPosition {
  readonly step: string;
  readonly dueAt: string | null;
}

export interface RunEntry {
  readonly entryId: string;
  readonly at: string;
  /** Null where the entry begins the run. */
  readonly step: string | null;
  readonly do: string | null;
  readonly said: {
    readonly direction: string;
    readonly kind: string;
    readonly text: string | null;
    readonly author: string;
  } | null;
  /** `next`, `onTimeout`, `else`, `cases.0`. */
  readonly chosen: readonly string[];
  /** Null where the run has ended. */
  readonly next: RunPosition | null;
}

export interface FlowRun {
  readonly flowId: string;
  readonly flowName: string;
  readonly running: boolean;
  readonly startedAt: string;
  readonly endedAt: string | null;
  /** Why it was stopped, by the server's names. */
  readonly reason: string | null;
  readonly waiting: RunPosition | null;
  readonly entries: readonly RunEntry[];
  /** False where the beginning was not read. */
  readonly isWhole: boolean;
}

/** A run in the list of a flow. */
export interface FlowRunRow {
  readonly id: string;
  readonly conversationId: string;
  readonly contact: { readonly name: string | null; readonly phone: string };
  readonly state: 'running' | 'finished' | 'stopped';
  readonly reason: string | null;
  /** Where it waits; null of an ended one. */
  readonly step: string | null;
  readonly dueAt: string | null;
  readonly startedAt: string;
  readonly endedAt: string | null;
  /** Of the entry that has ended it. */
  readonly endedSeq: number | null;
}

export const FLOWS_PATH = '/panel/api/flows';

export function flowPath(id: string): string {
  return `${FLOWS_PATH}/${encodeURIComponent(id)}`;
}
