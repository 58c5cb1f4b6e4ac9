/**
 * Commands of event streams. A stream is a subscription whose transport is a connection: its
 * deliveries wait until the client acknowledges them.
 *
 * 1. The organization's owner begins a stream and numbers its connections: the highest one counts.
 * 2. The subscription's owner gives each delivery a position before it is first written. Positions
 *    rise; a connection writes everything unacknowledged in their order.
 * 3. Owners keep no state of a connection: a reader tells its number and its position.
 */
import type { Ids } from '../ports/ids.ts';

const PREFIX = 'str';

export function isStreamId(id: string): boolean {
  return id.startsWith(`${PREFIX}_`);
}

/** One stream per key and name. */
export function streamId(
  ids: Ids,
  { orgId, keyId, name }: { readonly orgId: string; readonly keyId: string; readonly name: string },
): string {
  return ids.derive(PREFIX, orgId, keyId, name);
}

/** To the organization: begins the stream, or connects it once more with these events. */
export interface OpenStream {
  readonly id: string;
  readonly type: 'open-stream';
  readonly streamId: string;
  readonly keyId: string;
  readonly name: string;
  /** Event names, or `*` for all events of the contract. */
  readonly events: readonly string[];
}

export interface OpenedStream {
  /** Number of the connection; the newest one is the stream's. */
  readonly connection: number;
  /** Which of the streams of its name it is; absent from an owner of an earlier version. */
  readonly generation?: number;
}

/** To the organization, now and then while a connection is open: it keeps the stream. */
export interface TouchStream {
  readonly id: string;
  readonly type: 'touch-stream';
  readonly streamId: string;
}

/** A delivery as its stream writes it. */
export interface StreamedDelivery {
  readonly id: string;
  readonly event: string;
  /** The bytes that a POST would carry. */
  readonly body: string;
  readonly position: number;
}

/** To the stream's owner: the next deliveries of a connection. */
export interface ReadStream {
  readonly id: string;
  readonly type: 'read-stream';
  readonly orgId: string;
  readonly connection: number;
  /** As `OpenedStream` has told: an ended stream of this name had the same numbers. */
  readonly generation?: number;
  /** Position of the last delivery that this connection has written; 0 before the first. */
  readonly after: number;
  /**
   * `Last-Event-ID`, on the first read of a connection: acknowledges up to its position. A bare
   * delivery id, as earlier versions wrote it, counts as its first position.
   */
  readonly acknowledged?: string;
}

export interface StreamPage {
  /** In the order of positions. */
  readonly deliveries: readonly StreamedDelivery[];
  /** Written at least once and not acknowledged, the page among them. */
  readonly unacknowledged: number;
}

/** `replaced`: a newer connection has the stream. `gone`: its key was revoked, or has expired. */
export type StreamRead =
  | { readonly outcome: 'replaced' | 'gone' }
  | (StreamPage & {
      readonly outcome: 'page';
      /** There are further deliveries: they are not pushed. */
      readonly more: boolean;
      /**
       * Oldest deliveries that were dropped for want of room since the acknowledged position: the
       * same number until the client acknowledges a later one.
       */
      readonly dropped: number;
      /** When the stream's key expires, epoch milliseconds; absent where it lasts. */
      readonly endsAt?: number;
    });

/** Pushed to the listeners of a stream; without deliveries it asks them to read. */
export interface PushedPage extends StreamPage {
  /** Position that precedes the first delivery: a reader that is elsewhere reads instead. */
  readonly after: number;
}

/** Outcome of one delivery that a client has forwarded. */
export interface StreamResult {
  readonly id: string;
  /** HTTP status; null where the client got no answer. */
  readonly status: number | null;
  /** Duration, milliseconds. */
  readonly ms: number;
}

/** To the stream's owner: settles deliveries, connected or not. */
export interface AcknowledgeStream {
  readonly id: string;
  readonly type: 'acknowledge-stream';
  readonly orgId: string;
  readonly settled: { readonly upTo: string } | { readonly results: readonly StreamResult[] };
}

/** To the stream's owner, from its gateway: the connection has ended. */
export interface LeaveStream {
  readonly id: string;
  readonly type: 'leave-stream';
  readonly connection: number;
  /** As in `ReadStream`. */
  readonly generation?: number;
}

/** To the stream's owner. */
export interface DescribeStream {
  readonly id: string;
  readonly type: 'describe-stream';
  readonly orgId: string;
}

export interface StreamState {
  /** A gateway that was killed tells of no end: it may be wrong for 45 s. */
  readonly isConnected: boolean;
  /** Deliveries that are not acknowledged, written or not. */
  readonly waiting: number;
  /** Written ones among them. */
  readonly unacknowledged: number;
}

export interface AcknowledgedStream {
  /** Number of deliveries that this command has settled. */
  readonly acknowledged: number;
}
