/**
 * The simulated bridge's sessions: engine and version, state, and what is known of its number. Some
 * engines remember in memory which messages were sent over the API. A restart of the bridge clears
 * that memory.
 */
import type { JsonRecord } from '../../../adapters/network/webhook-body.ts';
import { type Engine, NEWEST_VERSION } from './engines.ts';
import { type Me, meOf } from './ids.ts';
import type { BridgeMessage } from './message.ts';
import type { SessionStatus } from './people.ts';
import { Reach } from './reach.ts';
import { SessionMessages } from './session-messages.ts';

/** Time for which the bridge remembers that a message was sent over its API. */
const SOURCE_KEPT_MS = 600_000;
const STATUSES_KEPT = 3;
/** The address that a bridge reports when it does not know its own. */
const OWN_ADDRESS = 'http://localhost:3000';

/** The phone of the channel of a session, where the service tells it. */
export type PhoneOf = (session: string) => string | undefined;

export class BridgeSession {
  readonly name: string;
  /** Digits of the number that scanned the QR code; null: the channel's own. */
  scannedBy: string | null = null;
  readonly messages: SessionMessages;
  readonly reach = new Reach();
  readonly #phoneOf: PhoneOf;
  engine: Engine = 'gows';
  version = NEWEST_VERSION;
  status: SessionStatus = 'WORKING';
  /** Counts the starts of the bridge. */
  run = 0;
  /** The beginning of `media.url`; null is the bridge's true address. */
  address: string | null = null;
  statuses: readonly { readonly status: SessionStatus; readonly timestamp: number }[] = [];

  constructor(name: string, phoneOf: PhoneOf) {
    this.name = name;
    this.#phoneOf = phoneOf;
    this.messages = new SessionMessages(() => this.me.id);
  }

  /** The number that the session is connected to. */
  get me(): Me {
    if (this.scannedBy === null) return meOf(this.name, this.#phoneOf(this.name));
    return meOf(`${this.name}/${this.scannedBy}`, this.scannedBy);
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

  /** WEBJS reports no restriction. */
  timelock(now: number): JsonRecord | null {
    return this.engine === 'webjs' ? null : this.reach.timelock(now);
  }
}

export class BridgeSessions {
  readonly #sessions = new Map<string, BridgeSession>();
  readonly #phoneOf: PhoneOf;

  constructor(phoneOf: PhoneOf) {
    this.#phoneOf = phoneOf;
  }

  get(name: string): BridgeSession {
    const known = this.#sessions.get(name);
    if (known !== undefined) return known;
    const session = new BridgeSession(name, this.#phoneOf);
    this.#sessions.set(name, session);
    return session;
  }

  clear(): void {
    for (const session of this.#sessions.values()) session.reach.awaitEnd(() => undefined);
    this.#sessions.clear();
  }
}
