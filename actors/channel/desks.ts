/**
 * The desks of one partition. Anybody can send a webhook to any name: the desk of a channel that
 * nobody has configured, and for which nothing waits, is not kept.
 */
import type { Desk } from './desk.ts';

export class Desks {
  readonly #make: (channelId: string) => Desk;
  readonly #desks = new Map<string, Desk>();

  constructor(make: (channelId: string) => Desk) {
    this.#make = make;
  }

  get size(): number {
    return this.#desks.size;
  }

  of(channelId: string): Desk {
    const known = this.#desks.get(channelId);
    if (known) return known;
    const desk = this.#make(channelId);
    this.#desks.set(channelId, desk);
    return desk;
  }

  find(channelId: string): Desk | undefined {
    return this.#desks.get(channelId);
  }

  values(): Iterable<Desk> {
    return this.#desks.values();
  }

  /** Forgets a desk that is nobody's. */
  letGo(desk: Desk): void {
    if (!desk.isNobodys || this.#desks.get(desk.channelId) !== desk) return;
    desk.close();
    this.#desks.delete(desk.channelId);
  }
}
