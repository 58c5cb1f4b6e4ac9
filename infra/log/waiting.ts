/**
 * Tells of a server that does not answer, for as long as that lasts.
 * 1. The first telling comes after a second of silence and one more every 10 s: a server that is
 *    there is never told of. The end of a wait that was told is told too.
 * 2. The address is told without credentials, and with the cause of the last failure. A cause that
 *    becomes known only after the first telling is told at once.
 */
import type { Clock } from '../../shared/ports.ts';
import { sentenceOf } from './sentence.ts';

const FIRST_MS = 1_000;
const EVERY_MS = 10_000;

/** As it is told: `MongoDB at db.internal:27017`. */
export interface Awaited {
  readonly name: string;
  /** Without credentials. */
  readonly where: string;
}

export interface WaitingSettings {
  readonly clock: Clock;
  readonly waiting: (sentence: string) => void;
  readonly over: (sentence: string) => void;
  /** The silence before the first telling, milliseconds. */
  readonly firstMs?: number;
}

export class Waiting {
  readonly #server: Awaited;
  readonly #settings: WaitingSettings;
  readonly #since: number;
  #cancel: () => void;
  #cause: unknown = null;
  #told = false;

  constructor(server: Awaited, settings: WaitingSettings) {
    const { clock, firstMs = FIRST_MS } = settings;
    this.#server = server;
    this.#settings = settings;
    this.#since = clock.monotonic();
    this.#cancel = clock.after(firstMs, () => this.#tell());
  }

  /** An attempt has failed; another one follows. */
  failed(cause: unknown): void {
    const isFirst = this.#cause === null;
    this.#cause = cause;
    if (!isFirst || !this.#told) return;
    this.#cancel();
    this.#tell();
  }

  /** The server answers. */
  answered(): void {
    this.stop();
    const { name, where } = this.#server;
    if (this.#told) this.#settings.over(`${name} answers at ${where}`);
    this.#told = false;
  }

  /** The wait is given up. */
  stop(): void {
    this.#cancel();
  }

  #tell(): void {
    const { clock, waiting } = this.#settings;
    const { name, where } = this.#server;
    const seconds = Math.round((clock.monotonic() - this.#since) / 1_000);
    const long = this.#told ? `, for ${seconds} s now` : '';
    const why = this.#cause === null ? '' : `: ${sentenceOf(this.#cause)}`;
    this.#told = true;
    this.#cancel = clock.after(EVERY_MS, () => this.#tell());
    waiting(`waiting for ${name} at ${where}${long}${why}`);
  }
}
