/** The subscribers of a world: they log every POST, and answer, refuse, hang or lose the answer. */
import type { Outbound, PostOutcome } from '../../../../shared/ports/outbound.ts';
import type { ExecutionTrace } from '../world/execution-trace.ts';
import type { FaultInjector } from '../world/fault-injector.ts';
import type { Machine } from '../world/machine.ts';
import type { Scheduler } from '../world/scheduler.ts';

const TIMEOUT_MS = 10_000;

export interface Posted {
  readonly url: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly at: number;
}

export class Subscribers {
  readonly posts: Posted[] = [];
  readonly #scheduler: Scheduler;
  readonly #faults: FaultInjector;
  readonly #trace: ExecutionTrace;
  /** Addresses that take nothing. */
  readonly #away = new Set<string>();
  readonly #posters = new Map<string, string>();

  constructor(scheduler: Scheduler, faults: FaultInjector, trace: ExecutionTrace) {
    this.#scheduler = scheduler;
    this.#trace = trace;
    this.#faults = faults;
  }

  /** Takes nothing until `comeBack`. */
  goAway(url: string): void {
    this.#away.add(url);
  }

  comeBack(url: string): void {
    this.#away.delete(url);
  }

  heal(): void {
    this.#away.clear();
  }

  /** The machine that posted there last. */
  lastPosterTo(url: string): string | null {
    return this.#posters.get(url) ?? null;
  }

  outboundFor(machine: Machine): Outbound {
    const post: Outbound['post'] = (url, body, headers) => {
      const { promise, resolve } = Promise.withResolvers<PostOutcome>();
      if (machine.dead) return promise;
      const { ms, outcome, arrives } = this.#answer(url);
      this.#posters.set(url, machine.name);
      this.#trace.record(
        'subscriber',
        `is posted ${headers['X-Service-Delivery'] ?? ''} by ${machine.name}`,
      );
      if (arrives) this.posts.push({ url, body, headers, at: this.#scheduler.now });
      this.#scheduler.after(ms, () => machine.reach(() => resolve({ ...outcome, ms })));
      return promise;
    };
    return {
      refuse: () => Promise.resolve(null),
      post,
      request: (url, { body, headers }) => post(url, body ?? '', headers),
    };
  }

  #answer(url: string) {
    const { random } = this.#faults;
    const ms = 2 + random.around(30);
    if (this.#away.has(url)) {
      return { ms, outcome: { ok: true, status: 503, body: '', ms: 0 } as const, arrives: true };
    }
    const lost = { ok: false, kind: 'reset', error: 'reset', ms: 0 } as const;
    if (this.#faults.injects('subscriber-hangs', 0.05)) {
      const outcome = { ok: false, kind: 'timeout', error: 'timeout', ms: 0 } as const;
      return { ms: TIMEOUT_MS, outcome, arrives: random.happens(0.5) };
    }
    if (this.#faults.injects('subscriber-answer-lost', 0.1)) {
      return { ms, outcome: lost, arrives: true };
    }
    if (this.#faults.injects('subscriber-refuses', 0.3)) {
      const status = random.happens(0.01) ? 410 : random.pick([400, 429, 500, 503, 302]);
      return { ms, outcome: { ok: true, status, body: '', ms: 0 } as const, arrives: true };
    }
    return { ms, outcome: { ok: true, status: 200, body: '', ms: 0 } as const, arrives: true };
  }
}
