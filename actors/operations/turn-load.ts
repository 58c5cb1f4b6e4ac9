/**
 * Turns of this process by partition and by organization, of the last 5 to 10 s, for `recado top`
 * (D360). They are no metrics: an organization is no label (D72).
 */
import type { Address, CommandOf } from '../../shared/ports/bus.ts';
import type { Clock } from '../../shared/ports/clock.ts';
import { HeavyHitters, together, type Weight } from './heavy-hitters.ts';

const WINDOW_MS = 5_000;
/** A key with 0.4 % of the process's turns is found. */
const CAPACITY = 256;
const SHOWN = 20;
const SECOND_MS = 1_000;

export interface Load {
  /** Name of a partition, or id of an organization. */
  readonly key: string;
  readonly turnsPerSecond: number;
  /** Turns under way on average: their durations, their commits included, by the time. */
  readonly busy: number;
}

/** At most 20 of each, those with most turns first. */
export interface BusiestOf {
  readonly partitions: readonly Load[];
  readonly organizations: readonly Load[];
}

interface Window {
  /** Monotonic milliseconds. */
  readonly since: number;
  readonly partitions: HeavyHitters;
  readonly organizations: HeavyHitters;
}

export class TurnLoad {
  readonly #clock: Pick<Clock, 'monotonic' | 'after'>;
  #before: Window | null = null;
  #current: Window;

  constructor(clock: Pick<Clock, 'monotonic' | 'after'>) {
    this.#clock = clock;
    this.#current = this.#open();
    clock.after(WINDOW_MS, () => this.#turnOver());
  }

  record(partition: string, orgId: string | null, ms: number): void {
    this.#current.partitions.count(partition, ms);
    if (orgId !== null) this.#current.organizations.count(orgId, ms);
  }

  busiest(): BusiestOf {
    const since = this.#before?.since ?? this.#current.since;
    const seconds = Math.max(1, this.#clock.monotonic() - since) / SECOND_MS;
    const of = (which: 'partitions' | 'organizations') =>
      loadsOf(
        together(this.#before?.[which].counters() ?? new Map(), this.#current[which].counters()),
      )
        .map(({ key, turns, ms }) => ({
          key,
          turnsPerSecond: rounded(turns / seconds),
          busy: rounded(ms / SECOND_MS / seconds),
        }))
        .filter(({ turnsPerSecond }) => turnsPerSecond > 0);
    return { partitions: of('partitions'), organizations: of('organizations') };
  }

  #open(): Window {
    return {
      since: this.#clock.monotonic(),
      partitions: new HeavyHitters(CAPACITY),
      organizations: new HeavyHitters(CAPACITY),
    };
  }

  #turnOver(): void {
    this.#before = this.#current;
    this.#current = this.#open();
    this.#clock.after(WINDOW_MS, () => this.#turnOver());
  }
}

function loadsOf(weights: ReadonlyMap<string, Weight>) {
  return [...weights]
    .map(([key, weight]) => ({ key, ...weight }))
    .toSorted((a, b) => b.turns - a.turns || (a.key < b.key ? -1 : 1))
    .slice(0, SHOWN);
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}

/**
 * The organization that a turn was for; null where neither the command nor the actor tells it.
 * @param known by the actor, from its state
 */
export function organizationOf(
  { kind, key }: Address,
  command: CommandOf,
  known: string | undefined,
): string | null {
  if (known !== undefined) return known;
  if (kind === 'organization') return key;
  return 'orgId' in command && typeof command.orgId === 'string' ? command.orgId : null;
}
