/** Placeholder of the bus until the real one is connected. */
import type { Bus } from '../shared/ports/bus.ts';

interface RealBus extends Bus {
  close(): Promise<void>;
}

export class LazyBus implements Bus {
  #real: RealBus | null = null;

  connect(real: RealBus): void {
    this.#real = real;
  }

  readonly ask: Bus['ask'] = (...call) => this.#requireConnected().ask(...call);
  readonly query: Bus['query'] = (...call) => this.#requireConnected().query(...call);
  readonly nudge: Bus['nudge'] = (...call) => this.#real?.nudge(...call);

  connected(): boolean {
    return this.#real?.connected() ?? false;
  }

  async close(): Promise<void> {
    await this.#real?.close();
  }

  #requireConnected(): RealBus {
    if (!this.#real) throw new Error('the bus is not connected yet');
    return this.#real;
  }
}
