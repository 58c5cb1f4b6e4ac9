/**
 * Reports a server that does not answer, for as long as that lasts.
 *
 * 1. The first report comes after a second of silence and one more every 10 s: a server that
 *    answers is never reported. The end of a reported wait is reported too.
 * 2. A report has the address without credentials, and the cause of the last failure. A cause that
 *    becomes known only after the first report is reported at once.
 */
import type { Clock } from '../../../shared/ports/clock.ts';
import { sentenceOf } from './sentence.ts';

const FIRST_MS = 1_000;
const EVERY_MS = 10_000;

/** As in a report: `MongoDB at db.internal:27017`. */
export interface AwaitedServer {
  readonly name: string;
  /** Without credentials. */
  readonly where: string;
}

export interface WaitReporterOptions {
  readonly clock: Clock;
  readonly onWait: (sentence: string) => void;
  readonly onAnswered: (sentence: string) => void;
  /** The silence before the first report, milliseconds. */
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

  /** The wait is cancelled. */
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
