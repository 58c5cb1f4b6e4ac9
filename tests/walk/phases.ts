/** Names that the probe in a process and the program that drives it agree on. */

/** The environment's name of the folder of marks and records. */
export const WALK_FOLDER = 'RECADO_WALK_FOLDER';

/** Nothing is asked; a message is sent; a contact writes. */
export const PHASES = ['idle', 'send', 'inbound'] as const;
export type Phase = (typeof PHASES)[number];

/** A function that ran in a phase. */
export interface Ran {
  readonly phase: Phase;
  /** The script's address, `file:`. */
  readonly file: string;
  /** Of the function, in characters from the file's beginning. */
  readonly at: number;
  readonly name: string;
  /** Epoch milliseconds of the sample that saw it first. */
  readonly atMs: number;
}
