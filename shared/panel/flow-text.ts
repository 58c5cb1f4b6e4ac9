/** The text of one flow in the panel's editor: its entry of a provisioning file, in YAML. */
import type { ProblemAt } from '../problems/provisioning.ts';

export interface FlowProblem extends ProblemAt {
  /** In the text, from 1 on; null for a problem outside of it. */
  readonly line: number | null;
  readonly column: number | null;
}

export interface ParsedFlow {
  readonly entry: unknown;
  /** @param issues of an `apply` with this entry alone, as its organization's only flow */
  readonly problems: (issues: readonly ProblemAt[]) => readonly FlowProblem[];
}

export interface FlowText {
  /** The problems of a text that is not YAML. */
  readonly parse: (written: string) => ParsedFlow | { readonly unreadable: readonly FlowProblem[] };
  readonly write: (entry: unknown) => string;
}
