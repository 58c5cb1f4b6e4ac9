/** When a desk looks again without being told: at the last time that it was set to. */
import type { Clock } from '../../shared/ports.ts';
import type { Bench } from './bench.ts';

export const AGAIN_MS = 1_000;

export class Alarm {
  readonly #clock: Pick<Clock, 'after'>;
  readonly #ring: () => void;
  #cancel: () => void = () => undefined;
  #ended = false;

  constructor(clock: Pick<Clock, 'after'>, ring: () => void) {
    this.#clock = clock;
    this.#ring = ring;
  }

  set(ms: number): void {
    this.#cancel();
    if (!this.#ended) this.#cancel = this.#clock.after(ms, this.#ring);
  }

  end(): void {
    this.#ended = true;
    this.#cancel();
  }
}

/** How long nothing is to be done: a retry, a probe; null when nothing waits for its time. */
export function idleMs({ world, tray, breaker }: Bench, enabled: boolean): number | null {
  const now = world.clock.now();
  // What could not be taken up just now is looked at again.
  const again = breaker.series !== null && !breaker.open ? now + AGAIN_MS : null;
  const times = [tray.nextAt(), enabled ? (breaker.probeAt ?? again) : null]
    .filter((at) => at !== null)
    .filter((at) => at > now);
  return times.length > 0 ? Math.min(...times) - now : null;
}
