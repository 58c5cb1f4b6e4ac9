/** Live hints that no process listens to. */
import type { LiveHints } from '../../shared/ports/live.ts';

export const UNHEARD: LiveHints = {
  changed: () => undefined,
  hasListeners: () => false,
  endStreams: () => Promise.resolve(),
};
