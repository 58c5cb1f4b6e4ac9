/**
 * Virtual time: events in order of their moment, and of their making within one. Between two events
 * all promises are fulfilled or rejected, so that a seed replays identically. Each event is an
 * immediate of its own, and Node.js runs all ready promises before the next one.
 */

const macrotask = globalThis.setImmediate;
const STEPS_PER_TURN = 100;

interface Planned {
  readonly at: number;
  readonly order: number;
  run: (() => void) | null;
}

function before(left: Planned, right: Planned): boolean {
  return left.at < right.at || (left.at === right.at && left.order < right.order);
}

export class Scheduler {
  readonly #heap: Planned[] = [];
  #orders = 0;
  #now = 0;
  /** One step of the present run; null between runs. */
  #step: (() => void) | null = null;
  /** Immediates that Node.js has yet to run. */
  #immediates = 0;
  events = 0;

  /** Milliseconds since the world began. */
  get now(): number {
    return this.#now;
  }

  /** The returned function cancels it. */
  after(ms: number, run: () => void): () => void {
    const planned: Planned = { at: this.#now + Math.max(0, ms), order: this.#orders++, run };
    this.#push(planned);
    return () => {
      planned.run = null;
    };
  }

  pause(ms: number): Promise<void> {
    return new Promise((resume) => this.after(ms, resume));
  }

  /** Runs until `ended` says so or `untilMs` is reached. */
  run(untilMs: number, ended: () => boolean): Promise<void> {
    if (this.#step) throw new Error('two runs at once');
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#step = () => {
      try {
        if (!ended() && this.#next(untilMs)) return;
        resolve();
      } catch (fault) {
        reject(fault);
      }
      this.#step = null;
    };
    if (this.#immediates === 0) this.#turn();
    return promise;
  }

  /** Many events share the cost of a turn of the real event loop; so do runs after one another. */
  #turn(): void {
    this.#immediates = STEPS_PER_TURN;
    for (let steps = 0; steps < STEPS_PER_TURN; steps++) macrotask(this.#immediate);
  }

  readonly #immediate = (): void => {
    this.#immediates -= 1;
    this.#step?.();
    if (this.#step && this.#immediates === 0) this.#turn();
  };

  /** The next event; false when there is none until then. */
  #next(untilMs: number): boolean {
    for (;;) {
      const next = this.#heap[0];
      if (!next || next.at > untilMs) {
        this.#now = untilMs;
        return false;
      }
      this.#pop();
      if (!next.run) continue;
      this.#now = next.at;
      this.events++;
      next.run();
      return true;
    }
  }

  #push(planned: Planned): void {
    const heap = this.#heap;
    let at = heap.length;
    heap.push(planned);
    while (at > 0) {
      const above = (at - 1) >> 1;
      const parent = heap[above];
      if (!parent || !before(planned, parent)) break;
      heap[at] = parent;
      at = above;
    }
    heap[at] = planned;
  }

  #pop(): void {
    const heap = this.#heap;
    const last = heap.pop();
    if (!last || heap.length === 0) return;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      let least = heap[child];
      if (!least) break;
      const right = heap[child + 1];
      if (right && before(right, least)) {
        child += 1;
        least = right;
      }
      if (!before(least, last)) break;
      heap[at] = least;
      at = child;
    }
    heap[at] = last;
  }
}

/** `setImmediate` becomes an event, until the returned function is called. */
export function takeImmediates(scheduler: Scheduler): () => void {
  const real = globalThis.setImmediate;
  const planned = (run: (...given: unknown[]) => void, ...given: unknown[]) => {
    const cancel = scheduler.after(0, () => run(...given));
    return { [Symbol.dispose]: cancel };
  };
  Reflect.set(globalThis, 'setImmediate', planned);
  return () => void Reflect.set(globalThis, 'setImmediate', real);
}
