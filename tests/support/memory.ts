/**
 * Memory of a stack's processes, by their own metrics. A garbage collector frees memory at its own
 * time, and an idle one never. So the memory in use is the lowest that the heap reaches during
 * work.
 */
import { fetchPage, samplesOf } from './infra/programs/cli/pages.ts';
import type { Stack } from './stack.ts';

const MIB = 1024 * 1024;
const HEAP = 'nodejs_heap_size_used_bytes';
const BESIDE = 'nodejs_external_memory_bytes';
const RESIDENT = 'process_resident_memory_bytes';
const READ = [HEAP, BESIDE, RESIDENT];

/** Megabytes by role. */
export type Held = Readonly<Record<string, number>>;

export class MemoryWatch {
  readonly #url: string;
  readonly #floor: Record<string, number> = {};
  readonly #peak: Record<string, number> = {};

  constructor(stack: Stack) {
    this.#url = stack.runFile().metricsUrl;
  }

  /** One sample; many of them find the floor. */
  async sample(): Promise<void> {
    const held: Record<string, number> = {};
    const page = await fetchPage(this.#url);
    const lines = page.split('\n').filter((line) => READ.some((name) => line.startsWith(name)));
    for (const { name, labels, value } of samplesOf(lines.join('\n'))) {
      const role = labels.role ?? '';
      if (name === HEAP || name === BESIDE) held[role] = (held[role] ?? 0) + value;
      if (name === RESIDENT) this.#peak[role] = Math.max(this.#peak[role] ?? 0, mib(value));
    }
    for (const [role, bytes] of Object.entries(held)) {
      this.#floor[role] = Math.min(this.#floor[role] ?? Number.POSITIVE_INFINITY, mib(bytes));
    }
  }

  /** The least of heap and buffers together that was seen. */
  get floor(): Held {
    return this.#floor;
  }

  /** The most that was resident. */
  get peak(): Held {
    return this.#peak;
  }
}

function mib(bytes: number): number {
  return Math.round(bytes / MIB);
}
