/** Outcomes of forwarded events, recorded with the service in batches. */
import { RecadoError } from '../errors.ts';
import { PacedPost } from '../paced.ts';
import type { Transport } from '../transport.ts';

const PATH = '/api/v1/events/ack';
const RESULTS_MAX = 1_000;
const NOT_FOUND = 404;

export interface Result {
  readonly id: string;
  readonly status: number | null;
  readonly ms: number;
}

export class Recorder {
  readonly #transport: Transport;
  readonly #name: string;
  readonly #onRecorded: (ids: readonly string[]) => void;
  readonly #posting: PacedPost;
  #results: Result[] = [];

  constructor(transport: Transport, name: string, onRecorded: (ids: readonly string[]) => void) {
    this.#transport = transport;
    this.#name = name;
    this.#onRecorded = onRecorded;
    this.#posting = new PacedPost(transport.platform, {
      isDue: () => this.#results.length > 0,
      post: (signal) => this.#post(signal),
    });
  }

  add(result: Result): void {
    this.#results.push(result);
    this.#posting.poke();
  }

  flush(): Promise<void> {
    return this.#posting.flush();
  }

  /** For the last time. */
  close(): Promise<void> {
    return this.#posting.close();
  }

  async #post(signal: AbortSignal): Promise<void> {
    const results = this.#results.slice(0, RESULTS_MAX);
    const body = { name: this.#name, results };
    try {
      await this.#transport.call({ method: 'POST', path: PATH, body, signal });
    } catch (error) {
      // A stream that is no more has nothing to record.
      if (!(error instanceof RecadoError) || error.status !== NOT_FOUND) throw error;
    }
    this.#results = this.#results.slice(results.length);
    this.#onRecorded(results.map(({ id }) => id));
  }
}
