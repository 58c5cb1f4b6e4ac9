/**
 * What lists wish of the ledgers. Any process answers lists, one keeps an organization's ledgers:
 * its owner is told.
 */
import type { Bus, Clock } from '../../shared/ports.ts';
import type { CountedCollection } from './counted-collection.ts';
import { counterId } from './counter-document.ts';

export interface RecountRequest {
  readonly collection: string;
  readonly orgId: string;
  /** A total was found wrong: it is to be counted, however lately it was. */
  readonly doubted: boolean;
}

/** A wish may be lost: the next list but a few has it again. */
const RESEND_AFTER_MS = 5_000;
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

  /** A list was asked for: its ledger is to be made, or checked when it is time. */
  requestCheck(countedCollection: CountedCollection, orgId: string): void {
    const key = counterId(countedCollection, orgId);
    const now = this.#environment.clock.monotonic();
    if (now - (this.#sentAt.get(key) ?? Number.NEGATIVE_INFINITY) < RESEND_AFTER_MS) return;
    if (this.#sentAt.size >= SENT_MAX) this.#sentAt.clear();
    this.#sentAt.set(key, now);
    this.#send({ collection: countedCollection.collection, orgId, doubted: false });
  }

  /** A total was found wrong. */
  requestRecount({ collection }: CountedCollection, orgId: string): void {
    this.#send({ collection, orgId, doubted: true });
  }

  #send(request: RecountRequest): void {
    this.#environment.bus.nudge({ kind: 'organization', key: request.orgId }, request);
  }
}

/** It may come from a process of another version. */
export function isRecountRequest(payload: unknown): payload is RecountRequest {
  if (typeof payload !== 'object' || payload === null) return false;
  const { collection, orgId, doubted }: { [name in keyof RecountRequest]?: unknown } = payload;
  return (
    typeof collection === 'string' && typeof orgId === 'string' && typeof doubted === 'boolean'
  );
}
