/**
 * The ports of `actors` and `gateway` to their environment. Types only: `infra` implements them
 * with the real parts, a simulation implements them in memory. The code between them cannot see the
 * difference.
 */

import type { ActorKind } from './vocabulary.ts';
import type { AnswerRest } from './wire/answer-rest.ts';

export interface Log {
  debug(fields: Record<string, unknown>, message: string): void;
  info(fields: Record<string, unknown>, message: string): void;
  warn(fields: Record<string, unknown>, message: string): void;
  error(fields: Record<string, unknown>, message: string): void;
}

export interface Clock {
  /** Wall clock, milliseconds since the epoch. */
  now(): number;
  /** Monotonic, milliseconds from an arbitrary origin. */
  monotonic(): number;
  /** Calls `run` once after `ms`; the returned function cancels it. */
  after(ms: number, run: () => void): () => void;
}

export interface Random {
  /** Uniform in [0, 1). */
  unit(): number;
}

/** The inputs of an installation's derived names. */
export interface InstallationRecord {
  /** 32 bytes, base64. */
  readonly salt: string;
  readonly placesConversations: boolean;
}

export interface Ids {
  /** A fresh opaque id `<prefix>_<22 chars of A-Za-z0-9>`. */
  fresh(prefix: string): string;
  /**
   * The same opaque id for the same parts for the life of the installation. Keyed with the
   * installation's salt, so that it reveals nothing about a phone.
   */
  derive(prefix: string, ...parts: readonly string[]): string;
  /** Conversations are named beside their channels. Not so where older ones are on record. */
  readonly placesConversations: boolean;
  /** SHA-256, base64url: how keys are found without being stored. */
  digest(secret: string): string;
}

/** Where an ask goes: the owner of the partition which `key` falls into. */
export interface Address {
  readonly kind: ActorKind;
  readonly key: string;
}

/** Answer of an actor or a query: the gateway copies it out unparsed. */
export interface Answer {
  readonly status: number;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The admission by the organization's owner, when it was piggybacked. */
  readonly admission?: Answer;
  /** The body continues with the answer to this query, and so on: no process holds it whole. */
  readonly rest?: AnswerRest;
}

/** A call's admission that is sent with its command: one hop instead of two. */
export interface PiggybackedAdmission {
  readonly orgId: string;
  readonly command: Command;
}

export interface AskOptions {
  /** Absolute wall-clock deadline, epoch milliseconds. */
  readonly deadline: number;
  readonly requestId?: string;
  /**
   * The command runs only if the call is admitted as its gateway believes; else the answer's status
   * is NOT_RUN and `admission` is the admission's answer.
   */
  readonly admission?: PiggybackedAdmission;
}

/** A command to change state, addressed to one actor. */
export interface Command {
  /** Made by the gateway or derived; a repeated ask has the same one. */
  readonly id: string;
  readonly type: string;
  /** It may be repeated for a day: under an `Idempotency-Key`, or by an outbox. */
  readonly lasting?: boolean;
  readonly [field: string]: unknown;
}

/** Carries asks and nudges; loses, repeats and delays them at will. */
export interface Bus {
  /** Asks the actor's owner, repeats until the deadline (same command id). Throws AskFailed. */
  ask(address: Address, command: Command, options: AskOptions): Promise<Answer>;
  /** Asks any process that answers queries about the resource. */
  query(resource: string, payload: unknown, options: AskOptions): Promise<Answer>;
  /** Makes the actor's owner poll its agenda earlier; may be lost. */
  nudge(address: Address, payload: unknown): void;
  /** Whether the bus is connected. */
  connected(): boolean;
}

export type Filter = Readonly<Record<string, unknown>>;
export type Document = Readonly<Record<string, unknown>> & { readonly _id: string };

/** One write of a grouped commit. */
export type Write =
  | { readonly insert: string; readonly document: Document }
  /** `upsert` inserts filter + update where nothing matches: a compare-and-set on a version then
   * fails with `duplicate` instead of silently matching nothing. */
  | {
      readonly update: string;
      readonly filter: Filter;
      readonly change:
        | Readonly<Record<string, unknown>>
        | readonly Readonly<Record<string, unknown>>[];
      readonly upsert?: boolean;
      readonly many?: boolean;
    }
  | { readonly remove: string; readonly filter: Filter };

/** `duplicate` names the index whose uniqueness was violated (`_id_` for the primary key). */
export type WriteOutcome =
  | { readonly ok: true }
  | { readonly ok: false; readonly duplicate: string }
  /** `lasting`: the write itself is refused (too large, a bad value), and a repeat would be too. */
  | { readonly ok: false; readonly error: Error; readonly lasting?: boolean };

export interface FindOptions {
  readonly sort?: Readonly<Record<string, 1 | -1>>;
  readonly skip?: number;
  readonly limit?: number;
  readonly project?: Readonly<Record<string, 0 | 1>>;
  /** The keys of the index to walk: without, a deep page may be planned anew half-way. */
  readonly index?: IndexKeys;
  /** Answers `SizedDocument`s: those of more stored bytes come without their fields. */
  readonly wholeMaxBytes?: number;
}

export type IndexKeys = Readonly<Record<string, 1 | -1>>;

export interface CommitOptions {
  /** Nothing waits for these writes: they may gather for a moment. */
  readonly deferrable?: boolean;
}

export interface ExistenceQuery {
  readonly collection: string;
  readonly filter: Filter;
}

/** The record. Data that must survive is stored here before anyone is informed of it. */
export interface Store {
  /**
   * Journaled, grouped with the process's other commits of this moment. Resolves when all the
   * writes are durable or refused, one outcome per write. Unordered. Throws when the outcome is in
   * doubt (connection lost): then each write happened or did not.
   */
  commit(writes: readonly Write[], options?: CommitOptions): Promise<readonly WriteOutcome[]>;
  /** One document, grouped with the process's other current reads of the collection. */
  byId<T extends Document>(collection: string, id: string): Promise<T | null>;
  find<T extends Document>(collection: string, filter: Filter, options?: FindOptions): Promise<T[]>;
  findOne<T extends Document>(
    collection: string,
    filter: Filter,
    options?: FindOptions,
  ): Promise<T | null>;
  /** Of which of the questions there is any document: all of them in one call. */
  existsEach(questions: readonly ExistenceQuery[]): Promise<readonly boolean[]>;
  /** By an empty filter: what the store remembers, at once; after a crash of its own it may be
   * somewhat wrong. */
  count(collection: string, filter: Filter, index?: IndexKeys): Promise<number>;
}

export type PostOutcome =
  | {
      readonly ok: true;
      readonly status: number;
      readonly body: string;
      readonly ms: number;
      readonly retryAfterMs?: number;
    }
  /** `kind` is `blocked_address`, `timeout`, `dns`, `refused`, `reset`, `tls` or `network`. */
  | { readonly ok: false; readonly kind: string; readonly error: string; readonly ms: number };

/** Guarded outbound HTTP for callers' URLs: no packet to a non-public address (I10). */
export interface Outbound {
  /** Checks a URL as registration does: null when acceptable, else why not (English). */
  refuse(url: string): Promise<string | null>;
  /** One POST, no redirects; 10 s from the connection's start to the response head. */
  post(url: string, body: string, headers: Readonly<Record<string, string>>): Promise<PostOutcome>;
  /** One request of any method under the same guard, deadline and rule on redirects. */
  request(url: string, request: OutboundRequest): Promise<PostOutcome>;
}

export interface OutboundRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  /** How much of the answer's body the outcome holds. */
  readonly keptMaxBytes: number;
}

/** The location of a stored secret: its organization, record and field. */
export interface SecretLocation {
  readonly orgId: string;
  readonly recordId: string;
  readonly field: string;
}

/** A stored secret does not open: it was sealed under another key, or for another place. */
export class DecryptionFailed extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'DecryptionFailed';
  }
}

/** Stored secrets are encrypted at rest under SECRETS_KEY, each bound to its place. */
export interface Vault {
  seal(plain: string, place: SecretLocation): string;
  /**
   * @throws {DecryptionFailed} on a text that was sealed for another place, or under another key
   */
  open(sealed: string, place: SecretLocation): string;
  /** `sha256=<hex>` and `v1,<base64>` signatures of one delivery (D46). */
  sign(
    secrets: readonly string[],
    delivery: { id: string; timestamp: number; body: string },
  ): {
    readonly service: string;
    readonly standard: string;
  };
  /** A new `whsec_…` signing secret. */
  freshSecret(): string;
}

/** An ask did not get an answer before its deadline: its effect happened once or not at all. */
export class AskFailed extends Error {
  constructor(address: string, options?: ErrorOptions) {
    super(`no answer from ${address} before the deadline`, options);
    this.name = 'AskFailed';
  }
}

/** An ask as its owner sees it. */
export interface IncomingAsk {
  readonly address: Address;
  readonly command: Command;
  readonly deadline: number;
  readonly requestId?: string | undefined;
  /** It was asked before under the same command id: the first may have been committed. */
  readonly repeat: boolean;
  readonly admission?: PiggybackedAdmission | undefined;
  /** At most once; `null` means that this process does not own the actor. */
  answer(answer: Answer | null): void;
}

/** The side of the bus that only processes with actors have. */
export interface OwnerBus extends Bus {
  /** Receives the asks and nudges of a partition until the returned function is called. */
  own(
    partition: { readonly kind: ActorKind; readonly number: number },
    on: { ask(ask: IncomingAsk): void; nudge(payload: unknown): void },
  ): () => void;
  /** Answers queries about the resource, together with every other process that does. */
  answerQueries(resource: string, answer: (payload: unknown) => Promise<Answer>): void;
  /** Asks every process that answers on the topic; `onAnswer` may come any number of times until
   * the returned function is called. */
  askAll(topic: string, onAnswer: (answer: unknown) => void): () => void;
  answerAll(topic: string, answer: () => Promise<unknown>): void;
  /** Makes every process read the members again. */
  announceMembers(): void;
  onMembersAnnounced(onChange: () => void): void;
}
