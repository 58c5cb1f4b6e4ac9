/**
 * A full disk ends no supervisor: a failed write is reported, and repeated later. The sentence goes
 * to the terminal, because a log on that disk has no room either.
 */
import { statfsSync } from 'node:fs';

const AGAIN_MS = 1_000;
const SCARCE_BYTES = 64 * 1024 ** 2;
const MIB = 1024 ** 2;

/** ` (… MiB are free on the disk of DATA_DIR)` where that may be the cause of a failure. */
export function describeFreeSpace(dataDir: string): string {
  try {
    const { bavail, bsize } = statfsSync(dataDir);
    const freeBytes = bavail * bsize;
    if (freeBytes >= SCARCE_BYTES) return '';
    return ` (the disk of DATA_DIR ${dataDir} is full: ${Math.floor(freeBytes / MIB)} MiB are free)`;
  } catch (cause) {
    return ` (DATA_DIR ${dataDir} cannot be looked at: ${messageOf(cause)})`;
  }
}

interface PersistentValueOptions<T> {
  /** Throws where it cannot be written. */
  readonly write: (value: T) => void;
  readonly report: (sentence: string) => void;
  /** The name of the value, for the sentence. */
  readonly what: string;
}

/** The newest value of something that is kept in a file. */
export class PersistentValue<T> {
  readonly #written: PersistentValueOptions<T>;
  #timer: NodeJS.Timeout | undefined;

  constructor(written: PersistentValueOptions<T>) {
    this.#written = written;
  }

  set(value: T): void {
    const failing = this.#timer !== undefined;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const { write, report, what } = this.#written;
    try {
      write(value);
      if (failing) report(`${what} is written again`);
    } catch (cause) {
      if (!failing)
        report(`${what} cannot be written: ${messageOf(cause)}; it is tried every second`);
      this.#timer = setTimeout(() => this.set(value), AGAIN_MS);
    }
  }

  close(): void {
    clearTimeout(this.#timer);
  }
}

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
