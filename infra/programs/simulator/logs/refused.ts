/**
 * Requests that the simulated Graph refused by its documentation, in order; a full log drops the
 * oldest. Refusals that a fault injected are not among them: nothing was wrong with those requests.
 */

export interface RefusedRequest {
  readonly phoneNumberId: string;
  readonly code: number;
  readonly details: string;
  /** The body as it came. */
  readonly body: string;
  /** Epoch milliseconds. */
  readonly at: number;
}

const RETAINED_REQUESTS = 1_000;
const BODY_MAX = 4_000;

export class RefusedLog {
  #requests: RefusedRequest[] = [];

  add(request: RefusedRequest): void {
    this.#requests.push({ ...request, body: request.body.slice(0, BODY_MAX) });
    if (this.#requests.length > RETAINED_REQUESTS) this.#requests.shift();
  }

  /** Oldest first. */
  list(): readonly RefusedRequest[] {
    return this.#requests;
  }

  clear(): void {
    this.#requests = [];
  }
}
