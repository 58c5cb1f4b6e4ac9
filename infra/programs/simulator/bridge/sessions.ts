/**
 * The simulated bridge's sessions: engine and version, state, restriction, and the messages that a
 * look-up finds. Some engines remember in memory which messages were sent over the API. A restart
 * of the bridge clears that memory.
 */
import type { JsonRecord } from '../../../adapters/network/webhook-body.ts';
import { type Engine, NEWEST_VERSION } from './engines.ts';
import { type Me, meOf } from './ids.ts';
import type { BridgeMessage } from './message.ts';
import type { SessionStatus } from './people.ts';

const RETAINED_MESSAGES = 20_000;
const RETAINED_PEOPLE = 20_000;
/** Time for which the bridge remembers that a message was sent over its API. */
const SOURCE_KEPT_MS = 600_000;
const STATUSES_KEPT = 3;
/** The address that a bridge reports when it does not know its own. */
const OWN_ADDRESS = 'http://localhost:3000';

export interface BridgeRestriction {
  /** Epoch milliseconds; null without a known end. */
  readonly until: number | null;
  readonly enforcementType: string;
  /** Whether the session reports it. */
  readonly told: boolean;
}

export class BridgeSession {
  readonly name: string;
  readonly me: Me;
  engine: Engine = 'gows';
  version = NEWEST_VERSION;
  status: SessionStatus = 'WORKING';
  restriction: BridgeRestriction | null = null;
  /** Counts the starts of the bridge. */
  run = 0;
  /** The beginning of `media.url`; null is the bridge's true address. */
  address: string | null = null;
  statuses: readonly { readonly status: SessionStatus; readonly timestamp: number }[] = [];
  #cancelEnd: () => void = () => undefined;
  readonly #messages = new Map<string, BridgeMessage>();
  readonly #wrote = new Set<string>();

  constructor(name: string) {
    this.name = name;
    this.me = meOf(name);
  }

  /** A manually installed bridge does not know its own address unless one is configured. */
  setBuild(build: {
    readonly engine: Engine;
    readonly version?: string | undefined;
    readonly address?: string | undefined;
  }): void {
    this.engine = build.engine;
    this.version = build.version ?? NEWEST_VERSION;
    this.address = build.address ?? OWN_ADDRESS;
  }

  setStatus(status: SessionStatus, now: number): void {
    this.status = status;
    this.statuses = [...this.statuses, { status, timestamp: now }].slice(-STATUSES_KEPT);
  }

  keep(message: BridgeMessage): void {
    this.#messages.set(message.id, message);
    dropOldest(this.#messages, RETAINED_MESSAGES);
  }

  message(id: string): BridgeMessage | undefined {
    return this.#messages.get(id);
  }

  /** Oldest first. */
  messages(): readonly BridgeMessage[] {
    return [...this.#messages.values()];
  }

  remove(id: string): void {
    this.#messages.delete(id);
  }

  /** The answered message as its answer contains it. */
  quoted(id: string): { id: string; text: string | null; by: string } {
    const known = this.#messages.get(id);
    const by = known === undefined || known.fromMe ? this.me.id : (known.participant ?? known.chat);
    return { id, text: known?.text ?? null, by };
  }

  /** The contact wrote: a chat that is not cold any more. */
  recordContact(person: string): void {
    this.#wrote.add(person);
    dropOldest(this.#wrote, RETAINED_PEOPLE);
  }

  hasContact(person: string): boolean {
    return this.#wrote.has(person);
  }

  /** `cancel` of the timer that reports the end of the restriction; one runs at most. */
  awaitEnd(cancel: () => void): void {
    this.#cancelEnd();
    this.#cancelEnd = cancel;
  }

  restrictedAt(now: number): BridgeRestriction | null {
    const until = this.restriction?.until;
    if (typeof until === 'number' && until <= now) return null;
    return this.restriction;
  }

  /** On GOWS the device decides; the others read a memory that a restart empties. */
  sourceOf(message: BridgeMessage, now: number): 'api' | 'app' {
    if (message.sentInRun === undefined) return 'app';
    if (this.engine === 'gows') return 'api';
    const remembered = message.sentInRun === this.run && now - message.at < SOURCE_KEPT_MS;
    return remembered ? 'api' : 'app';
  }

  environment(): JsonRecord {
    return {
      version: this.version,
      engine: this.label(),
      tier: 'PLUS',
      browser: this.engine === 'webjs' ? '/usr/bin/chromium' : null,
    };
  }

  label(): string {
    return this.engine.toUpperCase();
  }

  /** The number as webhooks and the session's own description name it. */
  meInfo(now: number): JsonRecord {
    const { id, lid, jid } = this.me;
    const own = { id, pushName: 'Sandbox', lid };
    if (this.engine === 'webjs') return own;
    const timelock = { reachoutTimelock: this.timelock(now) };
    return this.engine === 'gows' ? { ...own, jid, ...timelock } : { ...own, ...timelock };
  }

  /** Null where no restriction was ever reported. */
  timelock(now: number): JsonRecord | null {
    const { restriction } = this;
    if (restriction === null || !restriction.told || this.engine === 'webjs') return null;
    const { until, enforcementType } = restriction;
    const isActive = this.restrictedAt(now) !== null;
    const timeEnforcementEnds = until === null ? null : Math.floor(until / 1000);
    return { enforcementType, isActive, timeEnforcementEnds };
  }
}

export class BridgeSessions {
  readonly #sessions = new Map<string, BridgeSession>();

  get(name: string): BridgeSession {
    const known = this.#sessions.get(name);
    if (known !== undefined) return known;
    const session = new BridgeSession(name);
    this.#sessions.set(name, session);
    return session;
  }

  clear(): void {
    for (const session of this.#sessions.values()) session.awaitEnd(() => undefined);
    this.#sessions.clear();
  }
}

function dropOldest(
  retained: { readonly size: number; keys(): Iterator<string>; delete(name: string): boolean },
  most: number,
): void {
  if (retained.size <= most) return;
  const { value, done } = retained.keys().next();
  if (done !== true) retained.delete(value);
}
