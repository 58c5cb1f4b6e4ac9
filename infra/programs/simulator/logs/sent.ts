/** Log of the messages that the network accepted, in order; a full log drops the oldest. */
import type { ShownInteractive } from '../cloud/schema/interactive.ts';
import type { SentCard } from '../cloud/schema/message.ts';
import type { ShownTemplate } from '../cloud/templates/judge.ts';

export interface SentMedia {
  readonly mimeType: string;
  readonly fileName: string | null;
  readonly sizeBytes: number;
  /** Lower-case hex. */
  readonly sha256: string;
}

/** The parts of a message that are neither text nor file, as the contact sees them. */
export interface SentDetails {
  readonly template?: Omit<ShownTemplate, 'text' | 'category' | 'mediaId'>;
  readonly interactive?: ShownInteractive;
  readonly reaction?: { readonly messageId: string; readonly emoji: string };
  readonly location?: {
    readonly latitude: number;
    readonly longitude: number;
    readonly name?: string | undefined;
    readonly address?: string | undefined;
  };
  readonly contacts?: readonly SentCard[];
  /** The network's id of the message that this one quotes. */
  readonly replyTo?: string;
}

export interface SentMessage extends SentDetails {
  /** Bare digits, or an opaque id. */
  readonly to: string;
  readonly text: string | null;
  readonly kind: string;
  /** `web`: the third segment of the bridge's serialized id, which `fullId` is. */
  readonly externalId: string;
  readonly fullId?: string;
  /** How many more sends named the same id: the contact got one message. */
  readonly repeats?: number;
  /** The network's code: accepted, and never delivered. */
  readonly failed?: number;
  /** The channel's id. */
  readonly channel: string;
  /** The message's file. */
  readonly media?: SentMedia;
  /** Epoch milliseconds. */
  readonly at: number;
}

const RETAINED_MESSAGES = 200_000;

export class SentLog {
  readonly #retained: number;
  #messages: SentMessage[] = [];
  /** Where the oldest is once the log is full. */
  #oldest = 0;

  constructor(retained: number = RETAINED_MESSAGES) {
    this.#retained = retained;
  }

  add(message: SentMessage): void {
    if (this.#messages.length < this.#retained) {
      this.#messages.push(message);
      return;
    }
    this.#messages[this.#oldest] = message;
    this.#oldest = (this.#oldest + 1) % this.#retained;
  }

  /** A send under an id that was accepted before. */
  repeat(externalId: string): void {
    const at = this.#messages.findLastIndex((message) => message.externalId === externalId);
    const message = this.#messages[at];
    if (message === undefined) return;
    this.#messages[at] = { ...message, repeats: (message.repeats ?? 0) + 1 };
  }

  find(externalId: string): SentMessage | undefined {
    return this.#messages.findLast((message) => message.externalId === externalId);
  }

  /** Oldest first; all of them, or those to one contact. */
  list(to?: string): SentMessage[] {
    const { length } = this.#messages;
    const found: SentMessage[] = [];
    for (let i = 0; i < length; i++) {
      const message = this.#messages[(this.#oldest + i) % length];
      if (message !== undefined && (to === undefined || message.to === to)) found.push(message);
    }
    return found;
  }

  clear(): void {
    this.#messages = [];
    this.#oldest = 0;
  }
}
