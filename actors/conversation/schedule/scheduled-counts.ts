/**
 * Number of each organization's scheduled messages, as exact as its limit needs (D295).
 *
 * 1. A count of the index costs half a microsecond for each message. A process keeps its last
 *    count, and adds the messages that it has accepted since.
 * 2. It counts again after a twentieth of the remaining capacity, and after a minute. Other
 *    processes have meanwhile added as much each, at most.
 * 3. A refusal rests on a count of the last second.
 */
import { GenerationalCache } from '../../../shared/generational-cache.ts';
import { SCHEDULED_MAX_PER_ORGANIZATION } from '../../../shared/limits.ts';
import type { Environment } from '../../environment.ts';

const VALID_MS = 60_000;
const REFUSED_MS = 1_000;
const SHARE = 20;
const ORGANIZATIONS_MAX = 1_000;

interface Count {
  readonly counted: number;
  /** Monotonic milliseconds. */
  readonly at: number;
  accepted: number;
}

type CountsEnvironment = Pick<Environment, 'store' | 'clock'>;

export class ScheduledCounts {
  readonly #environment: CountsEnvironment;
  readonly #counts = new GenerationalCache<string, Count>(ORGANIZATIONS_MAX);
  readonly #counting = new Map<string, Promise<Count>>();

  constructor(environment: CountsEnvironment) {
    this.#environment = environment;
  }

  /** Reserves capacity for one message; false where the organization has none. */
  async tryReserve(orgId: string): Promise<boolean> {
    const known = this.#counts.get(orgId);
    const count = known && this.#isExactEnough(known) ? known : await this.#count(orgId);
    if (capacityOf(count) <= count.accepted) return false;
    count.accepted++;
    return true;
  }

  #isExactEnough(count: Count): boolean {
    const ageMs = this.#environment.clock.monotonic() - count.at;
    const capacity = capacityOf(count);
    if (capacity <= count.accepted) return ageMs < REFUSED_MS;
    return ageMs < VALID_MS && count.accepted * SHARE < capacity;
  }

  #count(orgId: string): Promise<Count> {
    const counting = this.#counting.get(orgId) ?? this.#read(orgId);
    this.#counting.set(orgId, counting);
    return counting;
  }

  async #read(orgId: string): Promise<Count> {
    const { store, clock } = this.#environment;
    try {
      const at = clock.monotonic();
      const counted = await store.count('entries', { 'due.orgId': orgId }, { 'due.orgId': 1 });
      const count = { counted, at, accepted: 0 };
      this.#counts.set(orgId, count);
      return count;
    } finally {
      this.#counting.delete(orgId);
    }
  }
}

function capacityOf({ counted }: Count): number {
  return SCHEDULED_MAX_PER_ORGANIZATION - counted;
}
