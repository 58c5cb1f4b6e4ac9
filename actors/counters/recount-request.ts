/**
 * Recount requests. Any process answers lists, but only an organization's owner maintains its
 * counters: lists send it a nudge.
 */
import type { Bus } from '../../shared/ports/bus.ts';
import type { Clock } from '../../shared/ports/clock.ts';
import type { CountedCollection } from './counted-collection.ts';
import { counterId } from './counter-document.ts';

export interface RecountRequest {
  readonly collection: string;
  readonly orgId: string;
  /** A total was wrong: recount at once, however recent the last count is. */
  readonly doubted: boolean;
}

/** A request may be lost: a list after this time repeats it. */
const RESEND_AFTER_MS = 5_000;
/** Beyond these all are forgotten: a request is then sent once more. */
const SENT_MAX = 1_000;

export interface RecountRequestWorld {
  readonly bus: Pick<Bus, 'nudge'>;
  readonly clock: Pick<Clock, 'monotonic'>;
}

export class RecountRequests {
  readonly #environment: RecountRequestWorld;
  readonly #sentAt = new Map<string, number>();

  constructor(environment: RecountRequestWorld) {
    this.#environment = environment;
  }

  /** A list was counted by the engine: its counter must be made if there is none. */
  requestCounter(countedCollection: CountedCollection, orgId: string): void {
    const key = counterId(countedCollection, orgId);
    const now = this.#environment.clock.monotonic();
    if (now - (this.#sentAt.get(key) ?? Number.NEGATIVE_INFINITY) < RESEND_AFTER_MS) return;
    if (this.#sentAt.size >= SENT_MAX) this.#sentAt.clear();
    this.#sentAt.set(key, now);
    this.#send({ collection: countedCollection.collection, orgId, doubted: false });
  }

  /** A total was wrong. */
  requestRecount({ collection }: CountedCollection, orgId: string): void {
    this.#send({ collection, orgId, doubted: true });
  }

  #send(request: RecountRequest): void {
    this.#environment.bus.nudge({ kind: 'organization', key: request.orgId }, request);
  }
}

/** The payload may come from a process of another version. */
export function isRecountRequest(payload: unknown): payload is RecountRequest {
  if (typeof payload !== 'object' || payload === null) return false;
  const { collection, orgId, doubted }: { [name in keyof RecountRequest]?: unknown } = payload;
  if (typeof collection !== 'string' || typeof orgId !== 'string') return false;
  return typeof doubted === 'boolean';
}
