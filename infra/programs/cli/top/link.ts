/**
 * The bus of a command that goes on while the NATS server is away: it is reached anew wherever the
 * service is by then.
 */
import { ServiceFailed } from '../service/failure.ts';
import type { OpenBus } from '../service/service.ts';

/** Reaches the bus, until the signal ends that and closes it. Throws ServiceFailed. */
export type Reach = (signal: AbortSignal) => Promise<OpenBus>;

interface Reached {
  readonly bus: OpenBus;
  readonly end: AbortController;
}

export class BusLink {
  readonly #reach: Reach;
  #reached: Reached | null = null;

  constructor(reach: Reach) {
    this.#reach = reach;
  }

  /** Null while no server is there. */
  async bus(): Promise<OpenBus | null> {
    if (this.#reached?.bus.connected()) return this.#reached.bus;
    this.close();
    try {
      return await this.open(this.#reach);
    } catch (cause) {
      if (cause instanceof ServiceFailed) return null;
      throw cause;
    }
  }

  /** @throws {ServiceFailed} where no server is there */
  async open(reach: Reach): Promise<OpenBus> {
    const end = new AbortController();
    try {
      const bus = await reach(end.signal);
      this.#reached = { bus, end };
      return bus;
    } catch (cause) {
      end.abort();
      throw cause;
    }
  }

  close(): void {
    this.#reached?.end.abort();
    this.#reached = null;
  }
}
