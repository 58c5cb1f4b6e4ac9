/** Sightings of a consumer of an event stream, over its lives: a kill ends one. */
export interface Sighting {
  /** The delivery's. */
  readonly id: string;
  /** Its id as the stream wrote it, where the reader sees it. */
  readonly place?: string;
  readonly event: string;
  /** The bytes that a POST would carry. */
  readonly data: string;
  /** The consumer has taken it: a receiver that answers 500 has not. */
  readonly isTaken: boolean;
}

export interface Life {
  /** `Last-Event-ID` of its one connection; null: none was sent, or the client sends its own. */
  readonly after: string | null;
  /** In the order in which they came. */
  readonly sightings: readonly Sighting[];
}

/** How a consumer reads: what may come twice in one life of it. */
export type Reading = 'connection' | 'client' | 'forwarded';

export interface Consumer {
  readonly name: string;
  readonly reading: Reading;
  readonly key: string;
  readonly lives: readonly Life[];
  /** Ends of its own accord, and requests that were not what they have to be. */
  readonly faults: readonly string[];
  /** kill -9, and another life. */
  kill(): Promise<void>;
  close(): Promise<void>;
}

/** Ids that any life has seen. */
export function seenBy({ lives }: Pick<Consumer, 'lives'>): ReadonlySet<string> {
  return new Set(lives.flatMap(({ sightings }) => sightings.map(({ id }) => id)));
}
