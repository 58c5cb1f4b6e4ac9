/** The running processes, as the operator's screen reads them. Types only. */

/** Metrics of one process, in Prometheus' text format. */
export interface ProcessExposition {
  readonly processId: string;
  /** `actors`, `gateway`, `panel`. */
  readonly role: string;
  readonly text: string;
}

/** A row of `recado doctor`. */
export interface DoctorRow {
  readonly name: string;
  readonly ok: boolean;
  readonly detail: string;
  readonly remedy: string | null;
}

export interface RunningProcesses {
  /** The actors processes, as `recado actors` has them. */
  actors(): Promise<readonly object[]>;
  /** Rows of `recado doctor` that need neither the store nor a process of their own. */
  doctor(): Promise<readonly DoctorRow[]>;
  metrics(): Promise<readonly ProcessExposition[]>;
}
