/** What happened to the event streams of a run, for their checker. Times are as in `history.ts`. */

/** One stream by its name, over all of its connections. */
export interface StreamHistory {
  readonly id: string;
  readonly name: string;
  /** Which of the streams of this name is there at the end; null where none is. */
  readonly generation: number | null;
  /** In the order in which they were asked for. */
  readonly connections: readonly StreamConnection[];
  /** Every connection that was asked for, those without an answer too. */
  readonly openings: readonly StreamOpening[];
  readonly acknowledgements: readonly StreamAcknowledgement[];
  /** Everything that was recorded for it. */
  readonly deliveries: readonly StreamDelivery[];
  /** When streams of this name began. */
  readonly begunAt: readonly number[];
  readonly reaches: readonly KeyReach[];
  readonly dropped: readonly DroppedCount[];
}

/** The stream's owner numbered the connection between these moments. */
export interface StreamOpening {
  readonly from: number;
  /** Infinite without an answer: it may be numbered at any later time, or never. */
  readonly to: number;
  /** Names the connection; empty without one. */
  readonly connection: string;
}

export interface StreamConnection {
  readonly name: string;
  /** When it was asked for. An older one is replaced from then on. */
  readonly openedAt: number;
  /** `Last-Event-ID`, as it was sent. */
  readonly lastEventId: string | null;
  /** In the order in which the gateway wrote them. */
  readonly written: readonly StreamWriting[];
  readonly overflows: readonly { readonly at: number; readonly dropped: number }[];
  /** When it was told that a newer one has its stream. */
  readonly replacedAt: number | null;
  /** It read until the end. */
  readonly isLive: boolean;
}

export interface StreamWriting {
  readonly id: string;
  readonly position: number;
  readonly event: string;
  readonly body: string;
  readonly at: number;
  /** Its owner asked for the scope of the key at this moment or later. */
  readonly scopeFrom: number;
}

export interface StreamAcknowledgement {
  readonly sentAt: number;
  /** Settles everything up to this position. */
  readonly upTo?: number;
  /** Settles these alone. */
  readonly ids?: readonly string[];
}

export interface StreamDelivery {
  readonly id: string;
  readonly event: string;
  readonly body: string;
  /** Of the stream that it was recorded for. */
  readonly generation: number;
  readonly status: string;
  /** Of the last attempt: why it failed. */
  readonly reason: string | null;
  /** Each status that it had. */
  readonly changes: readonly {
    readonly at: number;
    readonly status: string;
    readonly position: number | null;
    /** Of an attempt that came with it. */
    readonly reason: string | null;
    /** Attempts by then, where a run counts them. */
    readonly tried?: number;
  }[];
  /** When its commit was asked for, and when it took effect; null where that was not seen. */
  readonly commit: {
    readonly entity: string;
    readonly begunAt: number;
    readonly at: number;
  } | null;
}

/** From that moment on the key reaches this channel; null: all of its organization. */
export interface KeyReach {
  readonly at: number;
  readonly channelId: string | null;
  /** Neither revoked nor removed. */
  readonly isGood: boolean;
}

/** Dropped events that the stream knows of, and its client does not, from that moment on. */
export interface DroppedCount {
  readonly at: number;
  readonly generation: number;
  readonly count: number;
}
