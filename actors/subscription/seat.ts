/**
 * The slot of one attempt, from its claim until the subscriber has answered. One that lasts steps
 * aside, so that its slot goes to subscribers who answer.
 */
import { DELIVERY_LASTS_MS } from '../../shared/limits.ts';
import type { Clock } from '../../shared/ports.ts';
import type { Slots } from './slots.ts';

export class Seat {
  readonly #slots: Slots;
  readonly #orgId: string;
  readonly #onLeave: () => void;
  #aside = false;
  #left = false;
  #cancel: () => void = () => undefined;

  constructor(slots: Slots, orgId: string, onLeave: () => void) {
    this.#slots = slots;
    this.#orgId = orgId;
    this.#onLeave = onLeave;
  }

  /** From now on it is the subscriber that takes its time, and not the store. */
  posting(clock: Pick<Clock, 'after'>): void {
    this.#cancel = clock.after(DELIVERY_LASTS_MS, () => {
      this.#aside = !this.#left && this.#slots.stepAside(this.#orgId);
    });
  }

  /** Once; again does nothing. */
  leave(): void {
    if (this.#left) return;
    this.#left = true;
    this.#cancel();
    this.#onLeave();
    if (this.#aside) this.#slots.releaseAside(this.#orgId);
    else this.#slots.release(this.#orgId);
  }
}
