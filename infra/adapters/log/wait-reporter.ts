/**
 * Tells of a server that does not answer, for as long as that lasts.
 * 1. The first telling comes after a second of silence and one more every 10 s: a server that is
 *    there is never told of. The end of a wait that was told is told too.
 * 2. The address is told without credentials, and with the cause of the last failure. A cause that
 *    becomes known only after the first telling is told at once.
 */
import type { Clock } from '../../../shared/ports.ts';
import { sentenceOf } from './sentence.ts';

const FIRST_MS = 1_000;
const EVERY_MS = 10_000;

/** As it is told: `MongoDB at db.internal:27017`. */
export interface AwaitedServer {
  readonly name: string;
  /** Without credentials. */
  readonly where: string;
}

export interface WaitReporterOptions {
  readonly clock: Clock;
  readonly onWait: (sentence: string) => void;
  readonly onAnswered: (sentence: string) => void;
  /** The silence before the first telling, milliseconds. */
  readonly firstMs?: number;
}

export class WaitReporter {
  readonly #server: AwaitedServer;
  readonly #settings: WaitReporterOptions;
  readonly #since: number;
  #cancel: () => void;
  #cause: unknown = null;
  #reported = false;

  constructor(server: AwaitedServer, settings: WaitReporterOptions) {
    const { clock, firstMs = FIRST_MS } = settings;
    this.#server = server;
    this.#settings = settings;
    this.#since = clock.monotonic();
    this.#cancel = clock.after(firstMs, () => this.#report());
  }

  /** An attempt has failed; another one follows. */
  failed(cause: unknown): void {
    const isFirst = this.#cause === null;
    this.#cause = cause;
    if (!isFirst || !this.#reported) return;
    this.#cancel();
    this.#report();
  }

  /** The server answers. */
  answered(): void {
    this.stop();
    const { name, where } = this.#server;
    if (this.#reported) this.#settings.onAnswered(`${name} answers at ${where}`);
    this.#reported = false;
  }

  /** The wait is given up. */
  stop(): void {
    this.#cancel();
  }

  #report(): void {
    const { clock, onWait } = this.#settings;
    const { name, where } = this.#server;
    const seconds = Math.round((clock.monotonic() - this.#since) / 1_000);
    const long = this.#reported ? `, for ${seconds} s now` : '';
    const why = this.#cause === null ? '' : `: ${sentenceOf(this.#cause)}`;
    this.#reported = true;
    this.#cancel = clock.after(EVERY_MS, () => this.#report());
    onWait(`waiting for ${name} at ${where}${long}${why}`);
  }
}
