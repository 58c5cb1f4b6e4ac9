/**
 * Receipts of accepted messages: sent, delivered, read, each after a delay, in this order.
 *
 * The delays are the same for every message. So each step is a queue that is in order by itself,
 * and one timer serves all messages in progress.
 */
import type { Clock } from '../../../../shared/ports/clock.ts';
import type { BridgeMessage } from '../bridge/message.ts';
import type { BridgeSession } from '../bridge/sessions.ts';

export type ReceiptStep = 'sent' | 'delivered' | 'read' | 'failed';

/** One accepted message on its way to the contact. */
export interface Sending {
  /** Every channel with this number gets the receipt. */
  readonly channelIds: readonly string[];
  readonly provider: 'cloud' | 'web';
  readonly externalId: string;
  readonly to: string;
  /** `cloud`: the business-scoped id of a person who is written to by phone. */
  readonly userId?: string | undefined;
  /** `biz_opaque_callback_data`. */
  readonly callbackData?: string | undefined;
  /** `cloud`: what the message is billed as; `service` unless set. */
  readonly category?: string | undefined;
  /** The network reports nothing after `sent`. */
  readonly sentOnly?: boolean | undefined;
  /** `web`: the bridge's record of it. */
  readonly bridge?:
    | { readonly session: BridgeSession; readonly message: BridgeMessage }
    | undefined;
  readonly duplicate: boolean;
  /** Set: reported as failed with this code instead of sent. */
  readonly failCode?: number | undefined;
}

export interface ReceiptDelays {
  readonly sentMs: number;
  readonly deliveredMs: number;
  readonly readMs: number;
}

export const DEFAULT_DELAYS: ReceiptDelays = { sentMs: 15, deliveredMs: 35, readMs: 100 };

const TICK_MS = 5;
/** Consumed heads are cut off in blocks: shifting an array per entry costs its whole length. */
const CUT_ENTRIES = 4_096;

interface Stage {
  readonly step: ReceiptStep;
  readonly waitMs: number;
  entries: { readonly sending: Sending; readonly dueAt: number }[];
  head: number;
}

export class Receipts {
  readonly #clock: Clock;
  readonly #report: (sending: Sending, step: ReceiptStep) => void;
  readonly #stages: readonly Stage[];
  #cancelTick: (() => void) | null = null;

  constructor(
    clock: Clock,
    waits: ReceiptDelays,
    report: (sending: Sending, step: ReceiptStep) => void,
  ) {
    this.#clock = clock;
    this.#report = report;
    const stage = (step: ReceiptStep, waitMs: number) => ({ step, waitMs, entries: [], head: 0 });
    this.#stages = [
      stage('sent', waits.sentMs),
      stage('delivered', waits.deliveredMs),
      stage('read', waits.readMs),
    ];
  }

  /** Starts the message's way; nothing is reported before this call returns. */
  start(sending: Sending): void {
    this.#enter(0, sending, this.#clock.monotonic());
    this.#schedule();
  }

  stop(): void {
    this.#cancelTick?.();
    this.#cancelTick = () => undefined;
  }

  #enter(index: number, sending: Sending, now: number): void {
    const stage = this.#stages[index];
    stage?.entries.push({ sending, dueAt: now + stage.waitMs });
  }

  #schedule(): void {
    this.#cancelTick ??= this.#clock.after(TICK_MS, () => {
      this.#cancelTick = null;
      this.#tick();
    });
  }

  #tick(): void {
    const now = this.#clock.monotonic();
    let waiting = false;
    // From the last step to the first, so that one message advances at most one step per tick.
    for (let index = this.#stages.length - 1; index >= 0; index--) {
      const stage = this.#stages[index];
      if (stage === undefined) continue;
      this.#drain(stage, index, now);
      waiting ||= stage.head < stage.entries.length;
    }
    if (waiting || this.#stages.some((stage) => stage.head < stage.entries.length)) {
      this.#schedule();
    }
  }

  #drain(stage: Stage, index: number, now: number): void {
    for (;;) {
      const entry = stage.entries[stage.head];
      if (entry === undefined || entry.dueAt > now) break;
      stage.head += 1;
      this.#advance(entry.sending, stage.step, index);
    }
    if (stage.head > CUT_ENTRIES || stage.head === stage.entries.length) {
      stage.entries = stage.entries.slice(stage.head);
      stage.head = 0;
    }
  }

  #advance(sending: Sending, step: ReceiptStep, index: number): void {
    const reported = sending.failCode === undefined ? step : 'failed';
    this.#report(sending, reported);
    if (sending.duplicate) this.#report(sending, reported);
    if (reported !== 'failed' && !sending.sentOnly)
      this.#enter(index + 1, sending, this.#clock.monotonic());
  }
}
