/** Tells the service up to where a stream's events are done with: at most twice a second. */
import { RecadoError } from './errors.ts';
import { PacedPost } from './paced.ts';
import type { Transport } from './transport.ts';

const ACKNOWLEDGE_PATH = '/api/v1/events/ack';
const NOT_FOUND = 404;

export class Acknowledgements {
  readonly #transport: Transport;
  readonly #name: string;
  readonly #post: PacedPost;
  #doneId: string | null = null;
  /** The last one that the service knows of. */
  #acknowledgedId: string | null = null;

  constructor(transport: Transport, name: string) {
    this.#transport = transport;
    this.#name = name;
    this.#post = new PacedPost(transport.platform, {
      isDue: () => this.#doneId !== this.#acknowledgedId,
      post: (until) => this.#acknowledge(until),
    });
  }

  /** The place of the last event that is done with. */
  get doneId(): string | null {
    return this.#doneId;
  }

  /** The event at this place is done with, and all before it. */
  add(place: string): void {
    this.#doneId = place;
    this.#post.poke();
  }

  /** Resolves when the service knows of all, or does not answer. */
  close(): Promise<void> {
    return this.#post.close();
  }

  async #acknowledge(signal: AbortSignal): Promise<void> {
    const id = this.#doneId;
    const body = { name: this.#name, id };
    try {
      await this.#transport.call({ method: 'POST', path: ACKNOWLEDGE_PATH, body, signal });
    } catch (error) {
      // A stream that is no more has nothing to acknowledge.
      if (!(error instanceof RecadoError) || error.status !== NOT_FOUND) throw error;
    }
    this.#acknowledgedId = id;
  }
}
