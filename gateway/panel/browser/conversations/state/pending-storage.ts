/** Storage of pending messages: each under the drafts of its member, which end with the session. */

import type { Message } from '../../../../../shared/api/message.ts';
import type { Refused } from '../../base/call.ts';
import { namesOf, storedText, storeText } from '../../base/text-storage.ts';
import type { TemplateDraft } from './template-values.ts';

export interface Draft {
  readonly conversationId: string;
  readonly channelId: string;
  readonly note: boolean;
  readonly text: string;
  readonly file: { readonly mediaId: string; readonly name: string } | null;
  /** It is sent, and `text` is what the contact reads. */
  readonly template?: TemplateDraft;
  /** The quoted message. */
  readonly replyToId?: string;
  /** It is sent in place of all else. */
  readonly reaction?: { readonly messageId: string; readonly emoji: string };
  /** Buttons, a place or cards, as the row takes them: sent in place of all else. */
  readonly structure?: Pick<Message, 'interactive' | 'location' | 'contacts'>;
  /** The failed message that it repeats. */
  readonly resends?: string;
  /** Of its call; absent: a fresh one. */
  readonly key?: string;
  /** ISO 8601 in UTC: the message is scheduled. */
  readonly sendAt?: string;
}

export interface Pending extends Draft {
  readonly key: string;
  readonly memberId: string;
  readonly at: string;
  /** Null until the server has accepted it. */
  readonly messageId: string | null;
  readonly refused: Refused | null;
  /** No answer came; it is repeated by itself. */
  readonly unanswered: boolean;
  /** Key of the one that goes before it: not accepted, that one holds it back. */
  readonly behind?: string;
}

const MARK = 'pending';

function prefixOf(memberId: string): string {
  return `recado:draft:${memberId}:${MARK}:`;
}

export function keepPending(given: Pending): void {
  storeText(prefixOf(given.memberId) + given.key, JSON.stringify(given));
}

export function forgetPending({ memberId, key }: Pending): void {
  storeText(prefixOf(memberId) + key, '');
}

/** Oldest first. */
export function restored(memberId: string): readonly Pending[] {
  return namesOf(prefixOf(memberId))
    .flatMap((name): readonly Pending[] => parsed(storedText(name)))
    .filter((each) => each.memberId === memberId)
    .map((each) => ({ ...each, unanswered: each.refused === null }))
    .toSorted((a, b) => a.at.localeCompare(b.at));
}

/** Another tab has sent or discarded one. */
export function whenForgotten(run: (key: string) => void): void {
  window.addEventListener('storage', ({ key, newValue }) => {
    const [, , , mark, pendingKey] = key?.split(':') ?? [];
    if (mark === MARK && pendingKey !== undefined && newValue === null) run(pendingKey);
  });
}

function parsed(text: string): readonly Pending[] {
  try {
    const given: Pending = JSON.parse(text);
    return [given];
  } catch {
    return [];
  }
}
