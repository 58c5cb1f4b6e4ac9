/** A planned fault of a run: its kind, its targets and its time. */
import type { Engine } from '../../../../infra/programs/simulator/bridge/engines.ts';
import type { LinkFault } from './link.ts';

export type Deed =
  /** SIGKILL. */
  | { readonly deed: 'kill'; readonly noticed: boolean }
  /** SIGSTOP, and SIGCONT later. */
  | { readonly deed: 'stop' }
  /** SIGTERM to one after the other. */
  | { readonly deed: 'restart' }
  | { readonly deed: 'spoil'; readonly trouble: LinkFault }
  | BridgeDeed
  | SetDeed;

export interface PlannedFault {
  /** `kill`, `stall`, … as `--only` takes it. */
  readonly kind: string;
  /** After the faults have begun. */
  readonly atMs: number;
  /** Until it is healed. */
  readonly forMs: number;
  /** Names of processes, or of links for `spoil`. */
  readonly targets: readonly string[];
  readonly what: Deed;
}

export interface ScheduleOptions {
  readonly seed: number;
  readonly lengthMs: number;
  readonly processes: readonly string[];
  readonly links: readonly string[];
  /** Whether MongoDB is a replica set that is played. */
  readonly hasSet?: boolean;
  /** `kind` or `kind:part`; empty for everything. */
  readonly only: readonly string[];
}

export interface BridgeDeed {
  readonly deed: 'bridge';
  readonly engine: Engine;
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
  /** Until a restriction is over by itself. */
  readonly forMs: number | null;
}

/** Of a replica set; what it is, the fault's kind says. */
export interface SetDeed {
  readonly deed: 'set';
  /** Of the chances within. */
  readonly seed: number;
  /** Where its clock is after it, in ms. */
  readonly aheadMs: number;
}

/** The kinds that are asked for, and of each the parts that it is asked for; none for any. */
export function askedFor<Kind extends string>(kinds: readonly Kind[], only: readonly string[]) {
  const wanted = only.map((each) => each.split(':'));
  const partsOf = (kind: Kind): readonly string[] =>
    wanted.flatMap(([name, part]) => (name === kind && part ? [part] : []));
  const isAsked = (kind: Kind): boolean =>
    only.length === 0 || wanted.some(([name]) => name === kind);
  return { kinds: kinds.filter(isAsked), partsOf };
}
