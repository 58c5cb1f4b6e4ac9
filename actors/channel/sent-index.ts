/** Which message a name of the network belongs to, of those sent lately: saves reads per status. */
import { Remembered } from './remembered.ts';

/** Of a process. */
const KEPT_MAX = 100_000;

export interface SentMessage {
  readonly conversationId: string;
  readonly messageId: string;
}

export type SentNames = Remembered<SentMessage>;

export const sentNames = (): SentNames => new Remembered(KEPT_MAX);

export class SentIndex {
  readonly #channelId: string;
  readonly #names: SentNames;

  constructor(channelId: string, names: SentNames = sentNames()) {
    this.#channelId = channelId;
    this.#names = names;
  }

  /** `name` is our message id or the network's. */
  keep(name: string, { conversationId, messageId }: SentMessage): void {
    this.#names.keep(`${this.#channelId}/${name}`, { conversationId, messageId });
  }

  find(name: string): SentMessage | undefined {
    return this.#names.find(`${this.#channelId}/${name}`);
  }
}
