/** The messages of one session of the simulated bridge that a look-up finds. */
import type { BridgeMessage } from './message.ts';

const RETAINED_MESSAGES = 20_000;

export class SessionMessages {
  /** The number's own chat. */
  readonly #me: () => string;
  readonly #messages = new Map<string, BridgeMessage>();

  constructor(me: () => string) {
    this.#me = me;
  }

  /** Under an id that is known it takes the other's place. */
  keep(message: BridgeMessage): void {
    this.#messages.set(message.id, message);
    dropOldest(this.#messages, RETAINED_MESSAGES);
  }

  find(id: string): BridgeMessage | undefined {
    return this.#messages.get(id);
  }

  /** Oldest first. */
  list(): readonly BridgeMessage[] {
    return [...this.#messages.values()];
  }

  remove(id: string): void {
    this.#messages.delete(id);
  }

  /** The answered message as its answer contains it. */
  quoted(id: string): { id: string; text: string | null; by: string } {
    const known = this.#messages.get(id);
    const by = known === undefined || known.fromMe ? this.#me() : (known.participant ?? known.chat);
    return { id, text: known?.text ?? null, by };
  }
}

export function dropOldest(
  retained: { readonly size: number; keys(): Iterator<string>; delete(name: string): boolean },
  most: number,
): void {
  if (retained.size <= most) return;
  const { value, done } = retained.keys().next();
  if (done !== true) retained.delete(value);
}
