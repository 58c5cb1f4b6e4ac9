/**
 * The 24 hours of contacts at the official network, by its own clock, and their stops of marketing
 * messages. Only contacts of `WINDOWED` have a window: with others every first message would fail.
 */
import { WINDOW_MS } from '../../../../shared/limits.ts';
import { WINDOW_CLOSED_CODE } from '../../../../shared/message.ts';
import type { NetworkEvent } from '../../../../shared/ports/network-event.ts';
import { EPOCH_MS } from '../world/machine.ts';
import type { Scheduler } from '../world/scheduler.ts';

export const WINDOWED = '5511950';
export const CLOSED = {
  code: WINDOW_CLOSED_CODE,
  reason: 'Fora da janela de 24 horas.',
} as const;
export const STOPPED = {
  code: '131050',
  reason: 'O contato não quer mensagens de marketing.',
} as const;

/** The network is the judge: with some it says closed whatever they wrote to our knowledge. */
function isJudgedOtherwise(phone: string): boolean {
  return phone.startsWith(WINDOWED) && Number(phone.at(-1)) % 3 === 0;
}

export class ContactWindows {
  readonly #scheduler: Scheduler;
  readonly #wroteAt = new Map<string, number>();
  readonly #stopped = new Set<string>();

  constructor(scheduler: Scheduler) {
    this.#scheduler = scheduler;
  }

  observe(events: readonly NetworkEvent[]): void {
    for (const event of events) {
      if (event.type === 'message') {
        this.#wroteAt.set(event.phone, Math.max(event.at, this.#wroteAt.get(event.phone) ?? 0));
      }
      if (event.type === 'marketing-wish' && !event.wanted) this.#stopped.add(event.phone);
    }
  }

  isClosed(phone: string): boolean {
    if (isJudgedOtherwise(phone)) return true;
    const opened = this.#wroteAt.get(phone) ?? 0;
    return phone.startsWith(WINDOWED) && EPOCH_MS + this.#scheduler.now >= opened + WINDOW_MS;
  }

  hasStopped(phone: string): boolean {
    return this.#stopped.has(phone);
  }
}
