/**
 * Live hints over core NATS: `recado.live.<organization>.<kind>` carries those of one tick.
 *
 * 1. A process that listens announces its organizations, at once and every few seconds. An owner
 *    forgets an organization that is not announced again, and publishes nothing for it.
 * 2. An owner that starts asks for announcements, so that its first hints are not lost.
 * 3. The end of sessions has a reply subject. Each process that has announced the organization
 *    answers its id once the streams have ended.
 */
import type { Msg, Subscription } from 'nats';
import { LOG_EVENT } from '../../../shared/log-events.ts';
import type { Clock } from '../../../shared/ports/clock.ts';
import type { Hint, HintKind, LiveHints, LiveListener } from '../../../shared/ports/live.ts';
import type { Log } from '../../../shared/ports/log.ts';
import {
  LIVE_LISTENERS,
  LIVE_LISTENERS_WANTED,
  liveSubject,
  parseLiveSubject,
} from '../../../shared/wire/subjects.ts';
import type { Wire } from './connection.ts';
import { TickBatches } from './tick-batches.ts';

const ANNOUNCE_MS = 5_000;
/** Longer than two announcements. */
const FORGET_MS = 12_000;
/** Shorter than the deadline of an ask, with room for its turn. */
const ACKNOWLEDGED_MS = 2_000;

interface Publishing {
  readonly clock: Clock;
  readonly log: Log;
}

export class HintPublisher implements LiveHints {
  readonly #connection: Wire;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #batches: TickBatches<Hint>;
  readonly #listeners: KnownListeners;

  constructor(connection: Wire, { clock, log }: Publishing) {
    this.#connection = connection;
    this.#clock = clock;
    this.#log = log;
    this.#listeners = new KnownListeners(() => clock.monotonic());
    this.#batches = new TickBatches((subject, hints) => {
      connection.publish(subject, JSON.stringify(newestOf(hints)));
    });
    connection.subscribe(LIVE_LISTENERS, {
      callback: (error, message) => {
        if (!error) this.#listeners.learn(message.json());
      },
    });
    connection.publish(LIVE_LISTENERS_WANTED);
  }

  changed(orgId: string, kind: HintKind, hint: Hint): void {
    if (this.hasListeners(orgId)) this.#batches.add(liveSubject(orgId, kind), hint);
  }

  hasListeners(orgId: string): boolean {
    return this.#listeners.has(orgId);
  }

  async endStreams(orgId: string, sessionIds: readonly string[]): Promise<void> {
    const awaited = new Set(this.#listeners.answering(orgId));
    if (awaited.size === 0 || sessionIds.length === 0) return;
    try {
      await this.#ask(orgId, sessionIds, awaited);
    } catch (cause) {
      this.#log.warn({ cause, orgId }, LOG_EVENT.streamsUnacknowledged);
      return;
    }
    if (awaited.size === 0) return;
    // A process that has died must not delay the next command as well.
    for (const processId of awaited) this.#listeners.silent(processId);
    this.#log.warn({ orgId, processIds: [...awaited] }, LOG_EVENT.streamsUnacknowledged);
  }

  /** Takes each process that answers out of `awaited`. */
  async #ask(orgId: string, sessionIds: readonly string[], awaited: Set<string>): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const reply = this.#connection.newInbox();
    const take = (answer: Msg): void => {
      awaited.delete(answer.string());
      // "No responders" is an empty message: none of them is connected.
      if (awaited.size === 0 || answer.data.length === 0) resolve();
    };
    const answers = this.#connection.subscribe(reply, {
      callback: (error, message) => {
        if (error) resolve();
        else take(message);
      },
    });
    const seq = this.#clock.now();
    const hints = sessionIds.map((id) => ({ id, seq }));
    this.#connection.publish(liveSubject(orgId, 'session'), JSON.stringify(hints), { reply });
    const cancel = this.#clock.after(ACKNOWLEDGED_MS, resolve);
    await promise;
    cancel();
    answers.unsubscribe();
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

interface Listening {
  readonly clock: Clock;
  /** Names this process to the owners. */
  readonly processId: string;
}

export class HintListener implements LiveListener {
  readonly #connection: Wire;
  readonly #clock: Clock;
  readonly #processId: string;
  readonly #listened = new Map<string, Listened>();
  #stopAnnouncing: (() => void) | null = null;
  #resync: (() => void) | null = null;

  constructor(connection: Wire, { clock, processId }: Listening) {
    this.#connection = connection;
    this.#clock = clock;
    this.#processId = processId;
    connection.subscribe(LIVE_LISTENERS_WANTED, { callback: () => this.#announceAgain() });
    // Of every organization: an owner also counts on a process whose last page has just gone.
    connection.subscribe(liveSubject('*', 'session'), {
      callback: (error, message) => {
        if (error) return;
        this.#tell(message);
        message.respond(processId);
      },
    });
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
      if (this.#listened.size === 0) this.#announce();
    };
  }

  onGap(resync: () => void): void {
    this.#resync = resync;
  }

  /** The connection is there again, with its subscriptions: owners may have forgotten this one. */
  reconnected(): void {
    this.#announceAgain();
    this.#resync?.();
  }

  #subscribe(orgId: string): Listened {
    const callbacks: Listened['callbacks'] = new Set();
    const subscription = this.#connection.subscribe(liveSubject(orgId, '*'), {
      callback: (error, message) => {
        if (!error && parseLiveSubject(message.subject)?.kind !== 'session') this.#tell(message);
      },
    });
    const listened = { subscription, callbacks };
    this.#listened.set(orgId, listened);
    this.#announce();
    return listened;
  }

  #tell(message: Msg): void {
    const { orgId, kind } = parseLiveSubject(message.subject) ?? {};
    const listened = this.#listened.get(orgId ?? '');
    if (!listened || kind === undefined) return;
    const hints = message.json<readonly Hint[]>();
    for (const onHints of [...listened.callbacks]) onHints(kind, hints);
  }

  /** The first announcement is made by what is first listened to. */
  #announceAgain(): void {
    if (this.#listened.size > 0) this.#announce();
  }

  /** Announces now, and again until nothing is listened to. */
  #announce(): void {
    this.#stopAnnouncing?.();
    this.#stopAnnouncing = null;
    if (this.#connection.isClosed()) return;
    const orgIds = [...this.#listened.keys()];
    const announced = { processId: this.#processId, orgIds };
    this.#connection.publish(LIVE_LISTENERS, JSON.stringify(announced));
    if (orgIds.length === 0) return;
    this.#stopAnnouncing = this.#clock.after(ANNOUNCE_MS, () => this.#announce());
  }
}

interface Announced {
  readonly processId: string;
  /** All for which it listens. */
  readonly orgIds: readonly string[];
}

interface Listener {
  readonly orgIds: ReadonlySet<string>;
  readonly until: number;
  /** False once it was waited for in vain, until it announces itself again. */
  answers: boolean;
}

/** Processes that listen for live hints, as they announce themselves. */
class KnownListeners {
  readonly #now: () => number;
  readonly #listeners = new Map<string, Listener>();

  /** @param now monotonic milliseconds */
  constructor(now: () => number) {
    this.#now = now;
  }

  learn({ processId, orgIds }: Announced): void {
    const now = this.#now();
    for (const [known, { until }] of this.#listeners) {
      if (until < now) this.#listeners.delete(known);
    }
    if (orgIds.length === 0) this.#listeners.delete(processId);
    else {
      const until = now + FORGET_MS;
      this.#listeners.set(processId, { orgIds: new Set(orgIds), until, answers: true });
    }
  }

  has(orgId: string): boolean {
    const now = this.#now();
    for (const { orgIds, until } of this.#listeners.values()) {
      if (until >= now && orgIds.has(orgId)) return true;
    }
    return false;
  }

  /** Ids of the processes that are expected to acknowledge. */
  answering(orgId: string): readonly string[] {
    const now = this.#now();
    const isExpected = ({ orgIds, until, answers }: Listener): boolean =>
      answers && until >= now && orgIds.has(orgId);
    return [...this.#listeners].flatMap(([id, listener]) => (isExpected(listener) ? [id] : []));
  }

  silent(processId: string): void {
    const listener = this.#listeners.get(processId);
    if (listener) listener.answers = false;
  }
}
