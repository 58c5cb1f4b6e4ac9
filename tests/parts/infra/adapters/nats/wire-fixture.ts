/** The connection of an asker, under the test's hand. */
import assert from 'node:assert/strict';
import type { NatsConnection } from 'nats';
import { type AskItem, pack, Unpacker } from '../../../../../infra/adapters/nats/envelope.ts';

interface Message {
  readonly data: Uint8Array;
  readonly subject: string;
  readonly headers?: { readonly code: number };
}
type Heard = (error: null, message: Message) => void;

interface Published {
  readonly items: readonly AskItem[];
  readonly reply: string;
}

/** A connection that keeps published asks, and answers when the test says so. */
export class Wire {
  readonly published: Published[] = [];
  readonly #unpacker = new Unpacker();
  #heard: Heard = () => undefined;

  connection(): NatsConnection {
    const part = {
      subscribe: (_: string, { callback }: { readonly callback: Heard }) => {
        this.#heard = callback;
      },
      publish: (_: string, payload: Uint8Array, { reply }: { readonly reply: string }) => {
        const items = this.#unpacker.unpack(payload, reply) as readonly AskItem[];
        this.published.push({ items, reply });
      },
    };
    return part as unknown as NatsConnection;
  }

  /** @param status 0: not the owner */
  answer(n: number, status = 200): void {
    const [data] = pack({ process: 'owner', items: [{ n, status, body: '' }] });
    assert.ok(data);
    this.#heard(null, { data, subject: 'owner' });
  }

  /** The last message found no subscriber. */
  refuse(): void {
    const { reply } = this.published.at(-1) ?? assert.fail('nothing was published');
    this.#heard(null, { data: new Uint8Array(), subject: reply, headers: { code: 503 } });
  }
}

export const nextTurn = (): Promise<void> => new Promise((go) => setImmediate(go));
