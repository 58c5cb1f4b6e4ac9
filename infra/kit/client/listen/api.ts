/** Public types of `listen`. Types only: the package has this file as its `listen.d.ts`. */

export interface ListenOptions {
  /** Address of the service. */
  readonly baseUrl: string;
  /** API key of an account or of a channel. */
  readonly key: string;
  /** Address that gets each event, e.g. `http://localhost:3000/hook`. */
  readonly forwardTo: string;
  /** Signs what is forwarded; `whsec_…`. */
  readonly secret: string;
  /** Comma-separated; all events of the contract unless given. */
  readonly events?: string;
  /** 1 to 40 of `a-z0-9-`; each name of a key is a stream of its own. `default` unless given. */
  readonly name?: string;
  /** Waits before the second to the seventh attempt; 1 s, 5 s, then 30 s unless given. */
  readonly retryWaitsMs?: readonly number[];
  /** Called when a connection is made: from the first one on, nothing is missed. */
  readonly onConnected?: () => void;
  /** Called after each attempt. */
  readonly onAttempt?: (attempt: ForwardedAttempt) => void;
  readonly onOverflow?: (overflow: { readonly dropped: number }) => void;
}

export interface ForwardedAttempt {
  readonly id: string;
  readonly event: string;
  /** Null: no answer. */
  readonly status: number | null;
  /** Duration. */
  readonly ms: number;
  /** 1 is the first one. */
  readonly attempt: number;
  /** Milliseconds until the next one; null: delivered, or failed for good. */
  readonly againInMs: number | null;
}

export interface Listening {
  /** Settles when it ends: by `close`, or because the service refuses it. */
  readonly ended: Promise<void>;
  /** Ends it: what is forwarded is recorded, and what is not comes next time. */
  close(): Promise<void>;
}

/** Forwards the events of a stream to an address, until it is closed. */
export declare function listen(options: ListenOptions): Listening;
