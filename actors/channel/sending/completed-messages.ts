/** Watermark of each conversation: the messages up to that `seq` are known to be complete. */
import { GenerationalCache } from '../../../shared/generational-cache.ts';

/** Conversations per process whose watermark is kept. */
const WATERMARKS_MAX = 200_000;

/** The `seq` by conversation. It outlives a channel's sender. */
export type Watermarks = GenerationalCache<string, number>;

export const createWatermarks = (): Watermarks => new GenerationalCache(WATERMARKS_MAX);

export class CompletedMessages {
  readonly #watermarks: Watermarks;

  constructor(watermarks: Watermarks = createWatermarks()) {
    this.#watermarks = watermarks;
  }

  /** Whether the message of that `seq` and all before it are known to be complete. */
  covers(conversationId: string, seq: number): boolean {
    return seq <= (this.#watermarks.get(conversationId) ?? 0);
  }

  /** Records that every message up to that `seq` is complete. */
  raise(conversationId: string, seq: number): void {
    if (!this.covers(conversationId, seq)) this.#watermarks.set(conversationId, seq);
  }
}
