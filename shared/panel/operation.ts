/** The running processes, as the operator's screen, `recado doctor` and `recado top` read them. */
import type { Finding } from '../problems/findings.ts';

/** Metrics of one process, in Prometheus' text format. */
export interface ProcessExposition {
  readonly processId: string;
  /** On its own machine, where it tells. */
  readonly pid?: number;
  /** `actors`, `gateway`, `panel`. */
  readonly role: string;
  readonly text: string;
}

/** Topic to which every panel process answers a `PanelReport`. */
export const PANELS_TOPIC = 'panels';

export interface PanelReport {
  readonly id: string;
  /** Name of its machine: processes of two machines may have one number. */
  readonly host: string;
  readonly pid: number;
  /** `PANEL_PUBLIC_URL`, else where the process listens. */
  readonly url: string;
  /** First peer whose `X-Forwarded-For` was not believed; null: none has sent one. */
  readonly untrustedProxy: string | null;
}

/** A row of `recado doctor`. */
export interface DoctorRow {
  readonly name: string;
  readonly ok: boolean;
  readonly detail: readonly Finding[];
  readonly remedy: Finding | null;
}

export interface RunningProcesses {
  /** The actors processes, as `recado actors` has them. */
  actors(): Promise<readonly object[]>;
  /** Rows of `recado doctor`; those that read the record are at most a minute old. */
  doctor(): Promise<readonly DoctorRow[]>;
  metrics(): Promise<readonly ProcessExposition[]>;
}
