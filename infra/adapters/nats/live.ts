/**
 * Live hints over core NATS: `recado.live.<organization>.<kind>` carries those of one tick.
 *
 * 1. A process that listens announces its organizations, at once and every few seconds. An owner
 *    forgets an organization that is not announced again, and publishes nothing for it.
 * 2. An owner that starts asks for announcements, so that its first hints are not lost.
 */
import type { NatsConnection, Subscription } from 'nats';
import type { Clock } from '../../../shared/ports/clock.ts';
import type { Hint, HintKind, LiveHints, LiveListener } from '../../../shared/ports/live.ts';
import {
  kindOfLiveSubject,
  LIVE_LISTENERS,
  LIVE_LISTENERS_WANTED,
  liveSubject,
} from '../../../shared/wire/subjects.ts';
import { TickBatches } from './tick-batches.ts';

const ANNOUNCE_MS = 5_000;
/** Longer than two announcements. */
const FORGET_MS = 12_000;

export class HintPublisher implements LiveHints {
  readonly #clock: Clock;
  readonly #batches: TickBatches<Hint>;
  /** Monotonic milliseconds until which an organization has listeners. */
  readonly #listenedUntil = new Map<string, number>();

  constructor(connection: NatsConnection, clock: Clock) {
    this.#clock = clock;
    this.#batches = new TickBatches((subject, hints) => {
      connection.publish(subject, JSON.stringify(newestOf(hints)));
    });
    connection.subscribe(LIVE_LISTENERS, {
      callback: (error, message) => {
        if (!error) this.#learn(message.json<readonly string[]>());
      },
    });
    connection.publish(LIVE_LISTENERS_WANTED);
  }

  changed(orgId: string, kind: HintKind, hint: Hint): void {
    if (this.hasListeners(orgId)) this.#batches.add(liveSubject(orgId, kind), hint);
  }

  hasListeners(orgId: string): boolean {
    const until = this.#listenedUntil.get(orgId);
    return until !== undefined && until >= this.#clock.monotonic();
  }

  #learn(orgIds: readonly string[]): void {
    const now = this.#clock.monotonic();
    for (const [orgId, until] of this.#listenedUntil) {
      if (until < now) this.#listenedUntil.delete(orgId);
    }
    for (const orgId of orgIds) this.#listenedUntil.set(orgId, now + FORGET_MS);
  }
}

/** A receipt and its message change one conversation in one tick: the page reads it once. */
function newestOf(hints: readonly Hint[]): readonly Hint[] {
  const newest = new Map<string, Hint>();
  for (const hint of hints) {
    const key = `${hint.id} ${hint.by?.id ?? ''}`;
    const known = newest.get(key);
    if (!known || known.seq <= hint.seq) newest.set(key, hint);
  }
  return [...newest.values()];
}

interface Listened {
  readonly subscription: Subscription;
  readonly callbacks: Set<Parameters<LiveListener['listen']>[1]>;
}

export class HintListener implements LiveListener {
  readonly #connection: NatsConnection;
  readonly #clock: Clock;
  readonly #listened = new Map<string, Listened>();
  #stopAnnouncing: (() => void) | null = null;

  constructor(connection: NatsConnection, clock: Clock) {
    this.#connection = connection;
    this.#clock = clock;
    connection.subscribe(LIVE_LISTENERS_WANTED, { callback: () => this.#announce() });
  }

  listen(orgId: string, onHints: Parameters<LiveListener['listen']>[1]): () => void {
    const known = this.#listened.get(orgId);
    const { subscription, callbacks } = known ?? this.#subscribe(orgId);
    callbacks.add(onHints);
    return () => {
      callbacks.delete(onHints);
      if (callbacks.size > 0 || this.#listened.get(orgId)?.callbacks !== callbacks) return;
      this.#listened.delete(orgId);
      subscription.unsubscribe();
    };
  }

  close(): void {
    this.#stopAnnouncing?.();
    this.#stopAnnouncing = null;
    for (const { subscription } of this.#listened.values()) subscription.unsubscribe();
    this.#listened.clear();
  }

  #subscribe(orgId: string): Listened {
    const callbacks: Listened['callbacks'] = new Set();
    const subscription = this.#connection.subscribe(liveSubject(orgId, '*'), {
      callback: (error, message) => {
        const kind = error ? null : kindOfLiveSubject(message.subject);
        if (kind === null) return;
        const hints = message.json<readonly Hint[]>();
        for (const onHints of callbacks) onHints(kind, hints);
      },
    });
    const listened = { subscription, callbacks };
    this.#listened.set(orgId, listened);
    this.#announce();
    return listened;
  }

  /** Announces now, and again until nothing is listened to. */
  #announce(): void {
    this.#stopAnnouncing?.();
    this.#stopAnnouncing = null;
    if (this.#listened.size === 0 || this.#connection.isClosed()) return;
    this.#connection.publish(LIVE_LISTENERS, JSON.stringify([...this.#listened.keys()]));
    this.#stopAnnouncing = this.#clock.after(ANNOUNCE_MS, () => this.#announce());
  }
}
