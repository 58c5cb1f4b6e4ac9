/** The subscribers of a world: they log every POST, and answer, refuse, hang or lose the answer. */
import type { Outbound, PostOutcome } from '../../../shared/ports.ts';
import type { Machine } from '../world/machine.ts';
import type { Scheduler } from '../world/scheduler.ts';
import type { Story } from '../world/story.ts';
import type { Weather } from '../world/weather.ts';

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
  readonly #weather: Weather;
  readonly #story: Story;
  /** Addresses that take nothing. */
  readonly #away = new Set<string>();
  readonly #posters = new Map<string, string>();

  constructor(scheduler: Scheduler, weather: Weather, story: Story) {
    this.#scheduler = scheduler;
    this.#story = story;
    this.#weather = weather;
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
      this.#story.tell(
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
    const { chance } = this.#weather;
    const ms = 2 + chance.around(30);
    if (this.#away.has(url)) {
      return { ms, outcome: { ok: true, status: 503, body: '', ms: 0 } as const, arrives: true };
    }
    const lost = { ok: false, kind: 'reset', error: 'reset', ms: 0 } as const;
    if (this.#weather.strikes('subscriber-hangs', 0.05)) {
      const outcome = { ok: false, kind: 'timeout', error: 'timeout', ms: 0 } as const;
      return { ms: TIMEOUT_MS, outcome, arrives: chance.happens(0.5) };
    }
    if (this.#weather.strikes('subscriber-answer-lost', 0.1)) {
      return { ms, outcome: lost, arrives: true };
    }
    if (this.#weather.strikes('subscriber-refuses', 0.3)) {
      const status = chance.happens(0.01) ? 410 : chance.pick([400, 429, 500, 503, 302]);
      return { ms, outcome: { ok: true, status, body: '', ms: 0 } as const, arrives: true };
    }
    return { ms, outcome: { ok: true, status: 200, body: '', ms: 0 } as const, arrives: true };
  }
}
