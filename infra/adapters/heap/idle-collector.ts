/**
 * Garbage collection of an idle process. V8 collects only when a process allocates. So the garbage
 * of a burst would stay resident while no request arrives, for hours of a quiet night.
 *
 * 1. Only an idle process collects: its event loop was almost idle for a whole window.
 * 2. Only a heap that has grown is collected, so that an idle process does not collect repeatedly.
 */
import { type EventLoopUtilization, performance } from 'node:perf_hooks';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const MEBI = 2 ** 20;
const WINDOW_MS = 10_000;
/** Share of a window. */
const IDLE_UTILIZATION_MAX = 0.1;
/** Allocation of an idle process between two collections of V8's own. */
const WORTH_BYTES = 48 * MEBI;

export interface IdleWindow {
  /** Share of the window in which the event loop was busy, 0 to 1. */
  readonly utilization: number;
  /** Committed to the heap now. */
  readonly heapBytes: number;
  /** Committed to the heap after the last collection at rest. */
  readonly baselineBytes: number;
}

/** Whether a collection now delays no call and frees memory. */
export function isWorthCollecting({ utilization, heapBytes, baselineBytes }: IdleWindow): boolean {
  return utilization < IDLE_UTILIZATION_MAX && heapBytes - baselineBytes >= WORTH_BYTES;
}

interface Collected {
  readonly beforeBytes: number;
  readonly afterBytes: number;
  readonly ms: number;
}

interface IdleCollection {
  /** Milliseconds. */
  readonly windowMs?: number;
  readonly onCollected: (collected: Collected) => void;
}

/**
 * Starts the idle check of this process; its timer does not keep the process alive. A collection
 * pauses the process for about a millisecond per MiB of live objects.
 */
export function collectWhenIdle({ windowMs = WINDOW_MS, onCollected }: IdleCollection): void {
  const collect = exposedCollection();
  let baselineBytes = heapBytes();
  let since: EventLoopUtilization = performance.eventLoopUtilization();
  setInterval(() => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, since);
    since = now;
    const beforeBytes = heapBytes();
    baselineBytes = Math.min(baselineBytes, beforeBytes);
    if (!isWorthCollecting({ utilization, heapBytes: beforeBytes, baselineBytes })) return;
    const startedAt = performance.now();
    collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
    baselineBytes = heapBytes();
    const ms = Math.round(performance.now() - startedAt);
    onCollected({ beforeBytes, afterBytes: baselineBytes, ms });
  }, windowMs).unref();
}

function heapBytes(): number {
  return getHeapStatistics().total_heap_size;
}

type Collect = (options: Readonly<Record<'type' | 'execution' | 'flavor', string>>) => void;

/** V8 shows its collector to a context made after the flag is set, without a flag at the start. */
function exposedCollection(): Collect {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as Collect;
}
