/**
 * The place of one attempt: a slot from its claim on, and the gate to the subscriber from its POST
 * on, until the subscriber has answered. One that lasts steps aside, so that its slot goes to
 * subscribers who answer.
 */
import { DELIVERY_LASTS_MS } from '../../shared/limits.ts';
import type { Clock } from '../../shared/ports.ts';
import { Gate } from './gate.ts';
import type { Slots } from './slots.ts';

interface SeatPlan {
  readonly slots: Slots;
  readonly gate: Gate;
  readonly orgId: string;
  readonly clock: Pick<Clock, 'after'>;
  readonly onLeave: () => void;
}

export class Seat {
  readonly #plan: SeatPlan;
  #posting = false;
  #lasted = false;
  #aside = false;
  #left = false;
  #cancel: () => void = () => undefined;

  constructor(plan: SeatPlan) {
    this.#plan = plan;
  }

  /** True when the POST may be made; false: not now, the claim is to be given back. */
  async post(): Promise<boolean> {
    const { gate, clock, slots, orgId } = this.#plan;
    this.#posting = await gate.enter();
    if (!this.#posting) return false;
    this.#cancel = clock.after(DELIVERY_LASTS_MS, () => {
      if (this.#left) return;
      this.#lasted = true;
      this.#aside = slots.stepAside(orgId);
      gate.lasts();
    });
    return true;
  }

  /** Once; again does nothing. */
  leave(succeeded: boolean): void {
    if (this.#left) return;
    this.#left = true;
    this.#cancel();
    const { slots, gate, orgId, onLeave } = this.#plan;
    if (this.#posting) gate.leave({ lasted: this.#lasted, succeeded });
    onLeave();
    if (this.#aside) slots.releaseAside(orgId);
    else slots.release(orgId);
  }
}

/** The seats of one subscription's attempts. */
export class Seats {
  readonly #plan: Pick<SeatPlan, 'slots' | 'clock'>;
  readonly #onFree: () => void;
  readonly #gate = new Gate();
  #taken = 0;

  constructor({ onFree, ...plan }: Pick<SeatPlan, 'slots' | 'clock'> & { onFree: () => void }) {
    this.#plan = plan;
    this.#onFree = onFree;
  }

  get free(): boolean {
    return this.#taken < this.#gate.room;
  }

  /** For an attempt that has a slot. */
  take(orgId: string): Seat {
    this.#taken++;
    const onLeave = (): void => {
      this.#taken--;
      this.#onFree();
    };
    return new Seat({ ...this.#plan, gate: this.#gate, orgId, onLeave });
  }
}
