/**
 * Fault injector of one world. Each class is on with p = ½, so that some worlds have one hard fault
 * only (swarm testing). When the world heals all of them are off.
 */
import type { Coverage } from '../coverage.ts';
import { FAULT_CLASSES, type FaultClass } from './fault-classes.ts';
import type { SeededRandom } from './seeded-random.ts';

export class FaultInjector {
  readonly random: SeededRandom;
  readonly #strengths = new Map<FaultClass, number>();
  readonly #coverage: Coverage;
  /** Fair: nothing strikes. */
  #paused = false;

  constructor(random: SeededRandom, coverage: Coverage) {
    this.random = random;
    this.#coverage = coverage;
    const calm = random.happens(0.05);
    for (const fault of FAULT_CLASSES) {
      const on = random.happens(0.5);
      // How hard: mostly rare, sometimes often.
      const strength = random.happens(0.3) ? 1 : 0.3;
      if (on && !calm) this.#strengths.set(fault, strength);
    }
  }

  get isPaused(): boolean {
    return this.#paused;
  }

  isEnabled(fault: FaultClass): boolean {
    return !this.#paused && this.#strengths.has(fault);
  }

  /** Whether the fault strikes now; `share` is how often it does in the worst world. */
  injects(fault: FaultClass, share: number): boolean {
    if (this.#paused) return false;
    const strength = this.#strengths.get(fault);
    if (strength === undefined || !this.random.happens(share * strength)) return false;
    this.#coverage.fault(fault);
    return true;
  }

  /** Counts a fault that the nemesis brought about itself. */
  injected(fault: FaultClass): void {
    this.#coverage.fault(fault);
  }

  classes(): readonly FaultClass[] {
    return [...this.#strengths.keys()];
  }

  /** No faults until `resume`, or for good. */
  pause(): void {
    this.#paused = true;
  }

  resume(): void {
    this.#paused = false;
  }
}
