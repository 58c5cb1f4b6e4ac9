/**
 * Live hints: an open page reads again what has changed. A hint is published after the commit, is
 * stored nowhere and may be lost, so a page also reads again after a silence (I25). The end of a
 * session is acknowledged by every process that listens.
 */
import { ACTOR_KINDS } from '../vocabulary.ts';

/** Beside actors: sessions that have ended, people who write an answer, published events. */
export const HINT_KINDS = [...ACTOR_KINDS, 'session', 'presence', 'event'] as const;
export type HintKind = (typeof HINT_KINDS)[number];

export interface Hint {
  /** Of the entity, or of the conversation of a changed message. */
  readonly id: string;
  /** Rises with the changes of one entity; equal ones may follow each other. */
  readonly seq: number;
  /** The member that writes an answer; of a presence alone. */
  readonly by?: { readonly id: string; readonly name: string };
}

/** The side of owners, and of the panel for presence. */
export interface LiveHints {
  /** Publishes the hint if a process listens for the organization, and else does nothing. */
  changed(orgId: string, kind: HintKind, hint: Hint): void;
  /**
   * Resolves when every process that listens for the organization has ended the sessions' streams,
   * or after a bounded wait for one that is silent. It does not reject.
   */
  endStreams(orgId: string, sessionIds: readonly string[]): Promise<void>;
  /** Whether a process listens for the organization, as far as is known. */
  hasListeners(orgId: string): boolean;
}

/** The side of the processes that have open pages. */
export interface LiveListener {
  /**
   * Receives an organization's hints until the returned function is called. Ended sessions are
   * acknowledged when the callbacks have returned.
   */
  listen(orgId: string, onHints: (kind: HintKind, hints: readonly Hint[]) => void): () => void;
  /** Calls back each time that hints may have been lost: the connection is there again. */
  onGap(resync: () => void): void;
}
