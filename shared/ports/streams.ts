/** Pushes of event streams between their owners and the processes that have their connections. */
import type { PushedPage } from '../wire/stream-commands.ts';

/** The side of the owners. A push may be lost: a connection also reads now and then. */
export interface StreamPublisher {
  push(streamId: string, page: PushedPage): void;
}

/** The side of the connections. */
export interface StreamListener {
  /** Calls back for each push until the returned function is called. */
  listen(streamId: string, onPush: (page: PushedPage) => void): () => void;
}
