/** Builds histories for the checkers' own tests, step by step. */
import { createHmac } from 'node:crypto';
import type { Recorded } from '../history.ts';

export const SECRET = 'whsec_of-a-story';

export interface Ended {
  readonly ok?: unknown;
  readonly refused?: unknown;
  /** No answer. */
  readonly info?: true;
}

export class HistoryBuilder {
  readonly history: Recorded[] = [];
  #t = 1_000_000;
  #processes = 0;
  #answered = 200;

  /** Time passes. */
  wait(ms: number): this {
    this.#t += ms;
    return this;
  }

  /** A call by a process of its own, ended before anything else. */
  call(op: string, request: unknown, ended: Ended): this {
    this.begin(op, request)(ended);
    return this;
  }

  /** A call that ends when the returned function is called. */
  begin(op: string, request: unknown): (ended: Ended) => void {
    this.#processes += 1;
    const process = `p${this.#processes}`;
    this.#add(process, op, { type: 'invoke', body: request });
    return ({ ok, refused }) => {
      if (ok !== undefined) this.#add(process, op, { type: 'ok', body: ok });
      else if (refused !== undefined) this.#add(process, op, { type: 'refused', body: refused });
      else this.#add(process, op, { type: 'info', body: {} });
    };
  }

  seen(op: string, body: unknown): this {
    this.#add('observer', op, { type: 'ok', body });
    return this;
  }

  /** The subscriber's answer from now on. */
  answering(status: number): this {
    this.#answered = status;
    return this;
  }

  /** A delivery as it comes to the subscriber. */
  received(delivery: string, event: string, data: unknown): this {
    const bytes = Buffer.from(JSON.stringify({ event, data }));
    const hex = createHmac('sha256', SECRET).update(bytes).digest('hex');
    const signature = `sha256=${hex}`;
    const base64 = bytes.toString('base64');
    const answered = this.#answered;
    return this.seen('received', { delivery, event, bytes: base64, signature, answered });
  }

  #add(process: string, op: string, { type, body }: Pick<Recorded, 'type' | 'body'>): void {
    this.#t += 1;
    this.history.push({ process, op, type, t: this.#t, body });
  }
}
