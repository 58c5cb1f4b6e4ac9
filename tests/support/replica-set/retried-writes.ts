/**
 * Sessions and retryable writes, which the engine does not take. A driver sends a write whose
 * outcome it did not learn once more, under the same session and number. A replica set answers the
 * second with the outcome of the first. Without this a retried `$inc` would count twice, which no
 * replica set does.
 *
 * A write that the engine never answered (it was killed) is applied anew: whether the first one
 * was is known to nobody.
 */
import { BSON } from 'mongodb';
import { bodyOf, type WireCommand, withCommand } from '../mongo-wire.ts';

/** A session has one write under way, and its driver retries it once. */
const REMEMBERED_MAX = 1_000;

export class RetriedWrites {
  /** Null: the engine's connection ended first. */
  readonly #answers = new Map<string, Promise<Buffer | null>>();

  /** Asks the engine, unless the write was asked for before. */
  async once(
    message: Buffer,
    command: WireCommand,
    ask: (message: Buffer) => Promise<Buffer | null>,
  ): Promise<Buffer | null> {
    const key = numberOf(command);
    if (key === null) return await ask(withoutSession(message, command));
    const known = this.#answers.get(key);
    if (known) return await known;
    const answer = ask(withoutSession(message, command));
    this.#answers.set(key, answer);
    const [oldest] = this.#answers.keys();
    if (this.#answers.size > REMEMBERED_MAX && oldest !== undefined) this.#answers.delete(oldest);
    if ((await answer) === null) this.#answers.delete(key);
    return await answer;
  }
}

function withoutSession(message: Buffer, command: WireCommand): Buffer {
  if (!command.document.includes('lsid')) return message;
  return withCommand(message, ({ lsid: _lsid, txnNumber: _number, ...bare }) => bare);
}

/** Null of a write that is not to be retried. */
export function numberOf(command: WireCommand): string | null {
  if (!command.document.includes('txnNumber')) return null;
  const { lsid, txnNumber } = bodyOf(command);
  return txnNumber === undefined ? null : BSON.EJSON.stringify({ lsid, txnNumber });
}
