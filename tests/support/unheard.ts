/** Live hints and pushes that no process listens to. */
import type { LiveHints } from '../../shared/ports/live.ts';
import type { StreamPublisher } from '../../shared/ports/streams.ts';

export const UNHEARD: LiveHints = {
  changed: () => undefined,
  hasListeners: () => false,
  endStreams: () => Promise.resolve(),
};

/** No process has a connection of a stream. */
export const UNREAD: StreamPublisher = { push: () => undefined };
