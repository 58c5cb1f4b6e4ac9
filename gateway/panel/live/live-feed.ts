/**
 * Hints of one organization for all of its streams in this process: coalesced and encoded once,
 * however many pages are open.
 *
 * 1. The first hint after a silence goes at once; what follows within `COALESCE_MS` waits for it.
 * 2. Hints of one entity are one while they wait: the page reads its present state anyway.
 */
import type { Clock } from '../../../shared/ports/clock.ts';
import type { Hint, HintKind } from '../../../shared/ports/live.ts';

/** Hints of this time travel together. */
const COALESCE_MS = 100;
/** Hints; beyond them every page gets one `resync` in their place. */
const WAITING_MAX = 500;

export interface EncodedHints {
  /** Number of hints. */
  readonly count: number;
  readonly bytes: Uint8Array;
}

export interface Batch {
  /** For everyone. */
  readonly hints: EncodedHints | null;
  /** A member need not be told of its own writing. */
  readonly typing: readonly (EncodedHints & { readonly memberId: string })[];
}

export class LiveFeed {
  readonly #clock: Clock;
  readonly #send: (batch: Batch | 'too many') => void;
  #waiting = new Map<string, Hint & { readonly kind: HintKind }>();
  #tooMany = false;
  #sentAt = Number.NEGATIVE_INFINITY;
  #cancel: (() => void) | null = null;

  /** @param send gets each batch; `too many` in place of one beyond the bound */
  constructor(clock: Clock, send: (batch: Batch | 'too many') => void) {
    this.#clock = clock;
    this.#send = send;
  }

  add(kind: HintKind, hints: readonly Hint[]): void {
    for (const hint of hints) {
      const key = `${kind} ${hint.id} ${hint.by?.id ?? ''}`;
      const known = this.#waiting.get(key);
      if (!known || known.seq <= hint.seq) this.#waiting.set(key, { kind, ...hint });
    }
    if (this.#waiting.size > WAITING_MAX) {
      this.#waiting.clear();
      this.#tooMany = true;
    }
    if (this.#cancel) return;
    const waitMs = Math.max(0, this.#sentAt + COALESCE_MS - this.#clock.monotonic());
    this.#cancel = this.#clock.after(waitMs, () => this.#flush());
  }

  end(): void {
    this.#cancel?.();
    this.#waiting.clear();
  }

  #flush(): void {
    this.#cancel = null;
    this.#sentAt = this.#clock.monotonic();
    const waiting = [...this.#waiting.values()];
    const tooMany = this.#tooMany;
    this.#waiting = new Map();
    this.#tooMany = false;
    this.#send(tooMany ? 'too many' : batchOf(waiting));
  }
}

function batchOf(waiting: readonly (Hint & { readonly kind: HintKind })[]): Batch {
  const hints = waiting.filter(({ by }) => by === undefined);
  return {
    hints: hints.length === 0 ? null : { count: hints.length, bytes: event('hint', { hints }) },
    typing: waiting.flatMap(({ id, by }) => {
      if (!by) return [];
      const bytes = event('typing', { conversationId: id, member: by });
      return [{ memberId: by.id, count: 1, bytes }];
    }),
  };
}

function event(name: string, data: object): Uint8Array {
  return Buffer.from(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`);
}
