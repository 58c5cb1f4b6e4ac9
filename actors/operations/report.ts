/** Report of an actors process to the operator (`recado actors`). */
import type { Clock } from '../../shared/ports/clock.ts';
import type { ActorKind } from '../../shared/vocabulary.ts';
import { parsePartition } from '../../shared/wire/subjects.ts';
import type { Host } from '../runtime/host.ts';
import type { Kind, LateWebhooks, RefusedWebhooks } from '../runtime/kind.ts';
import type { Membership } from '../runtime/membership.ts';
import type { BusiestOf, TurnLoad } from './turn-load.ts';

const REFUSED_MAX = 100;

export interface Reporting {
  readonly membership: Pick<Membership, 'memberId'>;
  readonly host: Pick<Host, 'names' | 'epochOf' | 'mailboxes'>;
  readonly rate: Pick<TurnRate, 'perSecond'>;
  readonly load: Pick<TurnLoad, 'busiest'>;
  readonly kinds: readonly ActorKind[];
  readonly actors: readonly Pick<Kind, 'refusedWebhooks' | 'lateWebhooks'>[];
  readonly pid: number;
  readonly clock: Pick<Clock, 'now'>;
}

/** Neighbours under one epoch: `from` to `to`, both included. */
export interface OwnedRange {
  readonly from: number;
  readonly to: number;
  readonly epoch: number;
}

export interface ProcessReport {
  /** Id of the member; a process that lost its lease has a new one. */
  readonly id: string;
  readonly kinds: readonly ActorKind[];
  readonly pid: number;
  /** By kind, ascending. */
  readonly partitions: Readonly<Record<string, readonly OwnedRange[]>>;
  readonly mailboxes: number;
  /** Asks that wait in mailboxes or are in progress. */
  readonly depth: number;
  readonly turnsPerSecond: number;
  readonly busiest: BusiestOf;
  /** The process's clock, epoch milliseconds. */
  readonly now: number;
  /** At most `REFUSED_MAX` channels. */
  readonly refusedWebhooks: readonly RefusedWebhooks[];
  /** At most `REFUSED_MAX` channels. */
  readonly lateWebhooks: readonly LateWebhooks[];
}

export function reportOf(reporting: Reporting): ProcessReport {
  const { membership, host, rate, load, kinds, actors, pid, clock } = reporting;
  const { count, depth } = host.mailboxes();
  return {
    id: membership.memberId,
    kinds,
    pid,
    partitions: Object.fromEntries(
      [...partitionsOf(host)].map(([kind, owned]) => [kind, ranges(owned)]),
    ),
    mailboxes: count,
    depth,
    turnsPerSecond: rate.perSecond(),
    busiest: load.busiest(),
    now: clock.now(),
    refusedWebhooks: actors.flatMap((kind) => kind.refusedWebhooks?.() ?? []).slice(0, REFUSED_MAX),
    lateWebhooks: actors.flatMap((kind) => kind.lateWebhooks?.() ?? []).slice(0, REFUSED_MAX),
  };
}

/** Number of partitions held, by kind. */
export function partitionCounts(host: Pick<Host, 'names' | 'epochOf'>) {
  return new Map([...partitionsOf(host)].map(([kind, owned]) => [kind, owned.length] as const));
}

interface OwnedPartition {
  readonly number: number;
  readonly epoch: number;
}

/** @param held ascending */
function ranges(owned: readonly OwnedPartition[]): readonly OwnedRange[] {
  const found: { from: number; to: number; epoch: number }[] = [];
  for (const { number, epoch } of owned) {
    const last = found.at(-1);
    if (last?.epoch === epoch && last.to === number - 1) last.to = number;
    else found.push({ from: number, to: number, epoch });
  }
  return found;
}

/** The numbers of a kind's partitions that the process holds. */
export function numbersOwned(host: Pick<Host, 'names'>, kind: ActorKind): readonly number[] {
  return host.names().flatMap((name) => {
    const partition = parsePartition(name);
    return partition?.kind === kind ? [partition.number] : [];
  });
}

function partitionsOf(
  host: Pick<Host, 'names' | 'epochOf'>,
): ReadonlyMap<ActorKind, readonly OwnedPartition[]> {
  const owned = host.names().flatMap((name) => {
    const partition = parsePartition(name);
    const epoch = host.epochOf(name);
    return partition && epoch !== null ? [{ ...partition, epoch }] : [];
  });
  owned.sort((a, b) => a.number - b.number);
  return Map.groupBy(owned, ({ kind }) => kind);
}

const SAMPLE_MS = 5_000;
const SAMPLES = 2;

export class TurnRate {
  readonly #clock: Clock;
  readonly #turns: () => number;
  /** `at` in monotonic milliseconds. */
  readonly #samples: { readonly at: number; readonly turns: number }[] = [];

  constructor(clock: Clock, turns: () => number) {
    this.#clock = clock;
    this.#turns = turns;
    this.#sample();
  }

  perSecond(): number {
    const [first] = this.#samples;
    if (!first) return 0;
    const ms = Math.max(1, this.#clock.monotonic() - first.at);
    return Math.round(((this.#turns() - first.turns) / ms) * 10_000) / 10;
  }

  #sample(): void {
    this.#samples.push({ at: this.#clock.monotonic(), turns: this.#turns() });
    if (this.#samples.length > SAMPLES) this.#samples.shift();
    this.#clock.after(SAMPLE_MS, () => this.#sample());
  }
}
