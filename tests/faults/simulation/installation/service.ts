/** Which partitions are served, as asks would find it: the pauses without an owner. */
import { ACTOR_KINDS } from '../../../../shared/vocabulary.ts';
import {
  EVERY_PARTITION,
  type Partition,
  partitionName,
} from '../../../../shared/wire/subjects.ts';

interface Pause {
  /** Milliseconds. */
  readonly from: number;
  readonly ms: number;
}

export class Service {
  readonly #now: () => number;
  readonly #owners = new Map<string, number>();
  readonly #since = new Map<string, number>();
  readonly #pauses: Pause[] = [];
  /** Partitions that two processes served at one moment: there must be none. */
  overlaps = 0;

  constructor(now: () => number) {
    this.#now = now;
    for (const kind of ACTOR_KINDS) {
      for (const number of EVERY_PARTITION) this.#since.set(partitionName({ kind, number }), now());
    }
  }

  get unserved(): number {
    return this.#since.size;
  }

  begin(partition: Partition): void {
    const name = partitionName(partition);
    const owners = (this.#owners.get(name) ?? 0) + 1;
    this.#owners.set(name, owners);
    if (owners > 1) this.overlaps++;
    const from = this.#since.get(name);
    if (from !== undefined) this.#pauses.push({ from, ms: this.#now() - from });
    this.#since.delete(name);
  }

  end(partition: Partition): void {
    const name = partitionName(partition);
    const owners = (this.#owners.get(name) ?? 0) - 1;
    this.#owners.set(name, owners);
    if (owners === 0) this.#since.set(name, this.#now());
  }

  /** Milliseconds of those that began since, the shortest first. */
  pausesSince(from: number): readonly number[] {
    return this.#pauses
      .filter((pause) => pause.from >= from)
      .map(({ ms }) => ms)
      .toSorted((one, other) => one - other);
  }
}
