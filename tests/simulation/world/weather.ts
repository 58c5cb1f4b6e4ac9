/**
 * The faults of one world. Each class is on with p = ½, so that some worlds have one hard fault
 * only (swarm testing); when the world heals all of them are off.
 */
import type { Coverage } from '../coverage.ts';
import { FAULT_CLASSES, type FaultClass } from './fault-classes.ts';
import type { Seeded } from './seeded.ts';

export class Weather {
  readonly chance: Seeded;
  readonly #on = new Map<FaultClass, number>();
  readonly #coverage: Coverage;
  /** Fair: nothing strikes. */
  #fair = false;

  constructor(chance: Seeded, coverage: Coverage) {
    this.chance = chance;
    this.#coverage = coverage;
    const calm = chance.happens(0.05);
    for (const fault of FAULT_CLASSES) {
      const on = chance.happens(0.5);
      // How hard: mostly rare, sometimes often.
      const strength = chance.happens(0.3) ? 1 : 0.3;
      if (on && !calm) this.#on.set(fault, strength);
    }
  }

  get fair(): boolean {
    return this.#fair;
  }

  has(fault: FaultClass): boolean {
    return !this.#fair && this.#on.has(fault);
  }

  /** Whether the fault strikes now; `share` is how often it does in the worst world. */
  strikes(fault: FaultClass, share: number): boolean {
    if (this.#fair) return false;
    const strength = this.#on.get(fault);
    if (strength === undefined || !this.chance.happens(share * strength)) return false;
    this.#coverage.fault(fault);
    return true;
  }

  /** Counts a fault that the nemesis brought about itself. */
  struck(fault: FaultClass): void {
    this.#coverage.fault(fault);
  }

  classes(): readonly FaultClass[] {
    return [...this.#on.keys()];
  }

  /** Fair weather until `release`, or for good. */
  hold(): void {
    this.#fair = true;
  }

  release(): void {
    this.#fair = false;
  }
}
