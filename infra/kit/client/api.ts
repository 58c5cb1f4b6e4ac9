/**
 * Public types of the client that no document changes. Types only: the package has this file as its
 * `runtime.d.ts`, as it stands.
 */

export interface ClientOptions {
  /** Address of the service, e.g. `https://recado.example.com`. */
  readonly baseUrl: string;
  /** API key of an account or of a channel. */
  readonly key: string;
  /** Milliseconds until an attempt counts as lost; 90,000 unless given. */
  readonly timeoutMs?: number;
  /** Milliseconds in which a call is repeated, waits included; 120,000 unless given. */
  readonly retryForMs?: number;
  /** Instead of the platform's `fetch`. */
  readonly fetch?: typeof globalThis.fetch;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
  /** Of a POST; a fresh one unless given. Repeats of the call have the same key. */
  readonly idempotencyKey?: string;
}

/** A file to send, whole. */
export interface FileInput {
  readonly bytes: Uint8Array;
  /** As its receivers see it. */
  readonly name: string;
  /** By the ending of the name unless given. */
  readonly mimeType?: string;
}

export interface Issue {
  /** The field, e.g. `phone`. */
  readonly path: string;
  readonly message: string;
}

/** A refusal or a fault, as the service tells it. */
export declare class RecadoError extends Error {
  private constructor();
  readonly status: number;
  /** A sentence in Portuguese, for logs and people. */
  readonly sentence: string;
  /** Of a 422: each field that was refused. */
  readonly issues: readonly Issue[];
  readonly requestId: string | null;
  /** Of a 429. */
  readonly retryAfterSeconds: number | null;
}

/** No attempt of a call got an answer. */
export declare class NoAnswer extends Error {
  private constructor();
}

/** A newer connection reads the stream: its name is taken. */
export declare class StreamReplaced extends Error {
  private constructor();
}

/** The request has no valid signature, or is not an event. */
export declare class SignatureRefused extends Error {
  private constructor();
}

export type HeadersLike =
  | Iterable<readonly [string, string]>
  | Readonly<Record<string, string | readonly string[] | undefined>>;

export interface VerifyOptions {
  /**
   * `standard` and `service` demand that signature. Unless given, `webhook-signature` counts where
   * it is present, and the service's own elsewhere. Only `standard` refuses old requests.
   */
  readonly signature?: 'standard' | 'service';
  /** How far `webhook-timestamp` may be from now; 300 unless given. */
  readonly toleranceSeconds?: number;
  /** Epoch milliseconds; the time now unless given. */
  readonly now?: number;
}

export interface EventsOptions<Name extends string> {
  /** All events of the contract unless given. */
  readonly events?: readonly (Name | '*')[];
  /** 1 to 40 of `a-z0-9-`; each name of a key is a stream of its own. `default` unless given. */
  readonly name?: string;
  /** Ends the stream. */
  readonly signal?: AbortSignal;
  /** Called when the service had no room for `dropped` events, the oldest. */
  readonly onOverflow?: (overflow: { readonly dropped: number }) => void;
}

/**
 * Events as they happen. An event is acknowledged when the next one is asked for. An event at which
 * the loop ends comes again with the next stream of that name, with the same id.
 */
export interface EventStream<Event> extends AsyncIterableIterator<Event> {
  /** Acknowledges the event in hand too, and ends the stream. */
  close(): Promise<void>;
}
