/**
 * Reactions, by the message that they are on. Each side has one on a message: its newest, which an
 * empty one takes back. Pure.
 */
import type { Message } from '../../../../../shared/api/message.ts';
import type { Pending } from './pending-storage.ts';
import type { Pages } from './thread-pages.ts';

export interface ShownReaction {
  readonly emoji: string;
  /** Null: this browser's own, on its way. */
  readonly author: string | null;
  /** Of our number. */
  readonly own: boolean;
}

export type Reactions = ReadonlyMap<string, readonly ShownReaction[]>;

/** True for one that stands on its message and not in a bubble. */
export function isReaction({ kind, status }: Message): boolean {
  return kind === 'reaction' && status !== 'failed';
}

/** @param own messages of this browser that the history lacks */
export function reactionsOf({ messages }: Pages, own: readonly Pending[]): Reactions {
  const newest = new Map<string, ReadonlyMap<boolean, ShownReaction>>();
  const put = (id: string, reaction: ShownReaction) => {
    newest.set(id, new Map(newest.get(id)).set(reaction.own, reaction));
  };
  const rows = [...messages].filter(([, message]) => isReaction(message));
  for (const [, { reaction, author, direction }] of rows.toSorted(([a], [b]) => a - b)) {
    if (!reaction?.messageId) continue;
    const { messageId, emoji } = reaction;
    put(messageId, { emoji, author: author.label, own: direction === 'out' });
  }
  for (const { reaction, refused } of own) {
    if (!reaction || refused) continue;
    put(reaction.messageId, { emoji: reaction.emoji, author: null, own: true });
  }
  return new Map(
    [...newest].map(([id, each]) => [id, [...each.values()].filter(({ emoji }) => emoji !== '')]),
  );
}
