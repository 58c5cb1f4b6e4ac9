/** A benchmark suite: its interface, its context and its results. */
import type { ChildProcesses } from './child-processes.ts';

export interface Column {
  readonly name: string;
  /** Empty for a count or a name. */
  readonly unit: string;
}

export type Cell = number | string | null;

/** The part of the rows that a chart shows. */
export interface ChartPlan {
  readonly title: string;
  /** The column of the horizontal axis. */
  readonly x: string;
  /** The columns drawn; all of one unit. */
  readonly y: readonly string[];
}

export interface Table {
  readonly title: string;
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly Cell[])[];
  readonly chart?: ChartPlan;
}

export interface Result {
  readonly tables: readonly Table[];
  /** Sentences that a reader of the figures needs. */
  readonly notes: readonly string[];
}

export interface Options {
  readonly rounds: number;
  /** Of one round of one side. */
  readonly seconds: number;
  /** Null: the suite's own choice. */
  readonly connections: readonly number[] | null;
  /** Whether the peer's own packages may be installed and run. */
  readonly peer: boolean;
  /** Of the larger organization, where growth is measured. */
  readonly people: number;
  /** Root of the checkout that this one is compared with; null outside of `against`. */
  readonly against: string | null;
  /** The loads of `against`: names of suites; empty: all of them. */
  readonly loads: readonly string[];
}

export interface Context {
  readonly options: Options;
  /** Empty at first, gone at the end. */
  readonly folder: string;
  /** Processes of the suite; all are ended when it has run. */
  readonly children: ChildProcesses;
  /** Progress, for the terminal. */
  readonly logProgress: (sentence: string) => void;
}

export interface Suite {
  readonly name: string;
  /** One line for the list of suites. */
  readonly about: string;
  /** Throws when the measurement was invalid. */
  run(context: Context): Promise<Result>;
}
