/** Quoted messages that no page on screen has: each is read once. */
import { signal } from '@preact/signals';
import type { Message } from '../../../../../shared/api/message.ts';
import { call } from '../../base/call.ts';
import type { Data } from './api.ts';

export class QuotedMessages {
  readonly #found = signal<ReadonlyMap<string, Message | null>>(new Map());
  readonly #asked = new Set<string>();

  /** Null: it cannot be read; undefined: it is not known yet. */
  find(id: string): Message | null | undefined {
    return this.#found.value.get(id);
  }

  want(id: string): void {
    if (this.#asked.has(id)) return;
    this.#asked.add(id);
    const path = `/api/v1/messages/${encodeURIComponent(id)}`;
    void call<Data<Message>>('GET', path).then((outcome) => {
      const message = outcome.ok ? outcome.body.data : null;
      this.#found.value = new Map(this.#found.peek()).set(id, message);
    });
  }
}
